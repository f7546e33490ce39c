#pragma once
// N neighbouring elements of any type as one access of up to 16 bytes. What is read or written once
// is marked as such, so that it does not drive other data out of the caches.

template <class Element, int N>
struct alignas(sizeof(Element) * N) Elements {
  Element at[N];
};

#ifndef TUNER_CPU
template <int BYTES>
struct WordOf;  // the type of this size that the compiler's cache operators know
template <>
struct WordOf<2> {
  using Type = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};
#endif

template <int N, bool ONCE = false, class Element>
__device__ __forceinline__ Elements<Element, N> load_elements(const Element* from) {
#ifndef TUNER_CPU
  if constexpr (ONCE) {
    using Word = typename WordOf<sizeof(Element) * N>::Type;
    const Word word = __ldcs(reinterpret_cast<const Word*>(from));
    return *reinterpret_cast<const Elements<Element, N>*>(&word);
  }
#endif
  return *reinterpret_cast<const Elements<Element, N>*>(from);
}

template <bool ONCE = false, class Element, int N>
__device__ __forceinline__ void store_elements(Element* to, const Elements<Element, N>& value) {
#ifndef TUNER_CPU
  using Word = typename WordOf<sizeof(Element) * N>::Type;
  const Word word = *reinterpret_cast<const Word*>(&value);
  if constexpr (ONCE) {
    __stcs(reinterpret_cast<Word*>(to), word);
  } else {
    __stcg(reinterpret_cast<Word*>(to), word);
  }
#else
  *reinterpret_cast<Elements<Element, N>*>(to) = value;
#endif
}
