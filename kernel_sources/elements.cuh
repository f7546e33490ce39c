#pragma once
// N neighbouring elements of any type as one access of up to 16 bytes. What is read or written once
// is marked as such, so that it does not drive other data out of the caches.

template <class Element, int N>
struct alignas(sizeof(Element) * N) Elements {
  Element at[N];
};

#ifndef TUNER_CPU
// The type of so many bytes that the compiler's cache operators know.
template <class Element, int BYTES>
struct WordOf;
template <class Element>
struct WordOf<Element, 2> {
  using Type = unsigned short;
};
template <class Element>
struct WordOf<Element, 4> {
  using Type = unsigned;
};
template <class Element>
struct WordOf<Element, 8> {
  using Type = uint2;
};
template <class Element>
struct WordOf<Element, 16> {
  using Type = uint4;
};
template <>
struct WordOf<float, 4> {
  using Type = float;
};
template <>
struct WordOf<float, 8> {
  using Type = float2;
};
template <>
struct WordOf<float, 16> {
  using Type = float4;
};
#endif

template <int N, bool ONCE = false, class Element>
__device__ __forceinline__ Elements<Element, N> load_elements(const Element* from) {
#ifndef TUNER_CPU
  if constexpr (ONCE) {
    using Word = typename WordOf<Element, sizeof(Element) * N>::Type;
    const Word word = __ldcs(reinterpret_cast<const Word*>(from));
    return *reinterpret_cast<const Elements<Element, N>*>(&word);
  }
#endif
  return *reinterpret_cast<const Elements<Element, N>*>(from);
}

// To any memory. The compiler may make one store for each element of it, where that costs fewer registers.
template <class Element, int N>
__device__ __forceinline__ void assign_elements(Element* to, const Elements<Element, N>& value) {
  *reinterpret_cast<Elements<Element, N>*>(to) = value;
}

// To global memory, as one store whatever it costs.
template <bool ONCE = false, class Element, int N>
__device__ __forceinline__ void store_elements(Element* to, const Elements<Element, N>& value) {
#ifndef TUNER_CPU
  using Word = typename WordOf<Element, sizeof(Element) * N>::Type;
  const Word word = *reinterpret_cast<const Word*>(&value);
  if constexpr (ONCE) {
    __stcs(reinterpret_cast<Word*>(to), word);
  } else {
    __stcg(reinterpret_cast<Word*>(to), word);
  }
#else
  assign_elements(to, value);
#endif
}

// To shared memory, 16 bytes. A plain assignment may become one store for each element there, and those of
// neighbouring threads then meet in the same banks.
template <class Element, int N>
__device__ __forceinline__ void store_shared(Element* to, const Elements<Element, N>& value) {
  static_assert(sizeof(value) == 16);
#ifndef TUNER_CPU
  const uint4 word = *reinterpret_cast<const uint4*>(&value);
  asm volatile(
      "st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(unsigned(__cvta_generic_to_shared(to))),
      "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)
      : "memory");
#else
  assign_elements(to, value);
#endif
}
