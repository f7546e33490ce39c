#pragma once
// Barriers, shuffles, votes, atomics, cached loads.
#include "language.h"

inline void __syncthreads() { tuner_cpu_services->barrier(tuner_cpu_services->self); }
inline int __syncthreads_count(int predicate) {
  return tuner_cpu_services->barrier_vote(tuner_cpu_services->self, TUNER_CPU_COUNT, predicate);
}
inline int __syncthreads_and(int predicate) {
  return tuner_cpu_services->barrier_vote(tuner_cpu_services->self, TUNER_CPU_AND, predicate);
}
inline int __syncthreads_or(int predicate) {
  return tuner_cpu_services->barrier_vote(tuner_cpu_services->self, TUNER_CPU_OR, predicate);
}

__attribute__((always_inline)) inline unsigned long long tuner_cpu_warp(
    unsigned op, unsigned mask, unsigned long long value = 0, unsigned argument = 0) {
  return tuner_cpu_services->warp(tuner_cpu_services->self, op, mask, value, argument);
}
inline void __syncwarp(unsigned mask = 0xffffffffu) { tuner_cpu_warp(TUNER_CPU_SYNC, mask); }
// Numbered, so that compilers which merge equal calls cannot merge what two branches ask.
#define __activemask() \
  ((unsigned)tuner_cpu_warp(TUNER_CPU_ACTIVE_MASK, 0xffffffffu, 0, __COUNTER__))
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return (unsigned)tuner_cpu_warp(TUNER_CPU_BALLOT, mask, predicate != 0);
}
inline int __all_sync(unsigned mask, int predicate) {
  return (int)tuner_cpu_warp(TUNER_CPU_ALL, mask, predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate) {
  return (int)tuner_cpu_warp(TUNER_CPU_ANY, mask, predicate != 0);
}
inline int __uni_sync(unsigned mask, int predicate) {
  return (int)tuner_cpu_warp(TUNER_CPU_UNIFORM, mask, predicate != 0);
}

template <class T>
inline unsigned long long tuner_cpu_bits(T value) {
  static_assert(sizeof(T) == 8 || sizeof(T) <= 4, "warp functions take at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
inline T tuner_cpu_shuffled(unsigned mode, unsigned mask, T value, unsigned delta, int width) {
  const unsigned long long bits =
      tuner_cpu_warp(TUNER_CPU_SHUFFLE, mask, tuner_cpu_bits(value),
                     mode | (delta & 63) << 2 | (unsigned)(width - 1) << 8);
  T result;
  __builtin_memcpy(&result, &bits, sizeof(T));
  return result;
}
template <class T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return tuner_cpu_shuffled(TUNER_CPU_FROM, mask, value, (unsigned)lane, width);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return tuner_cpu_shuffled(TUNER_CPU_UP, mask, value, delta, width);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return tuner_cpu_shuffled(TUNER_CPU_DOWN, mask, value, delta, width);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  return tuner_cpu_shuffled(TUNER_CPU_XOR, mask, value, (unsigned)lanes, width);
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  return (unsigned)tuner_cpu_warp(TUNER_CPU_MATCH_ANY, mask, tuner_cpu_bits(value));
}

#define TUNER_CPU_REDUCE(name, T, op) \
  inline T name(unsigned mask, T value) { return (T)tuner_cpu_warp(op, mask, (unsigned)value); }
TUNER_CPU_REDUCE(__reduce_add_sync, unsigned, TUNER_CPU_ADD)
TUNER_CPU_REDUCE(__reduce_add_sync, int, TUNER_CPU_ADD)
TUNER_CPU_REDUCE(__reduce_min_sync, unsigned, TUNER_CPU_MIN_UNSIGNED)
TUNER_CPU_REDUCE(__reduce_min_sync, int, TUNER_CPU_MIN_SIGNED)
TUNER_CPU_REDUCE(__reduce_max_sync, unsigned, TUNER_CPU_MAX_UNSIGNED)
TUNER_CPU_REDUCE(__reduce_max_sync, int, TUNER_CPU_MAX_SIGNED)
TUNER_CPU_REDUCE(__reduce_and_sync, unsigned, TUNER_CPU_BIT_AND)
TUNER_CPU_REDUCE(__reduce_or_sync, unsigned, TUNER_CPU_BIT_OR)
TUNER_CPU_REDUCE(__reduce_xor_sync, unsigned, TUNER_CPU_BIT_XOR)
#undef TUNER_CPU_REDUCE

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Atomics are templates, so that a source's own overload (the well-known atomicAdd for double)
// wins.
template <class T>
struct tuner_cpu_same {
  typedef T type;
};

// Stores change(old) and returns old.
template <class T, class Change>
inline T tuner_cpu_update(T* address, Change change) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "no atomics of this size");
  T old, wanted;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  do {
    wanted = change(old);
  } while (
      !__atomic_compare_exchange(address, &old, &wanted, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return old;
}

inline int atomicAdd(int* p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
inline unsigned atomicAdd(unsigned* p, unsigned v) {
  return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
}
inline unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
  return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
}
#define TUNER_CPU_ATOMIC(name, expression)                                        \
  template <class T>                                                              \
  inline T name(T* address, typename tuner_cpu_same<T>::type value) {             \
    return tuner_cpu_update(address, [value](T old) -> T { return expression; }); \
  }                                                                               \
  template <class T>                                                              \
  inline T name##_block(T* address, typename tuner_cpu_same<T>::type value) {     \
    return name(address, value);                                                  \
  }                                                                               \
  template <class T>                                                              \
  inline T name##_system(T* address, typename tuner_cpu_same<T>::type value) {    \
    return name(address, value);                                                  \
  }
TUNER_CPU_ATOMIC(atomicAdd, old + value)
TUNER_CPU_ATOMIC(atomicSub, old - value)
TUNER_CPU_ATOMIC(atomicExch, value)
TUNER_CPU_ATOMIC(atomicMin, value < old ? value : old)
TUNER_CPU_ATOMIC(atomicMax, old < value ? value : old)
TUNER_CPU_ATOMIC(atomicAnd, old& value)
TUNER_CPU_ATOMIC(atomicOr, old | value)
TUNER_CPU_ATOMIC(atomicXor, old ^ value)
TUNER_CPU_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
TUNER_CPU_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef TUNER_CPU_ATOMIC
template <class T>
inline T atomicCAS(T* address, typename tuner_cpu_same<T>::type expected,
                   typename tuner_cpu_same<T>::type wanted) {
  __atomic_compare_exchange(address, &expected, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

#define TUNER_CPU_LOAD(name)     \
  template <class T>             \
  inline T name(const T* from) { \
    return *from;                \
  }
TUNER_CPU_LOAD(__ldg)
TUNER_CPU_LOAD(__ldca)
TUNER_CPU_LOAD(__ldcg)
TUNER_CPU_LOAD(__ldcs)
TUNER_CPU_LOAD(__ldlu)
TUNER_CPU_LOAD(__ldcv)
#undef TUNER_CPU_LOAD
#define TUNER_CPU_STORE(name)                                       \
  template <class T>                                                \
  inline void name(T* to, typename tuner_cpu_same<T>::type value) { \
    *to = value;                                                    \
  }
TUNER_CPU_STORE(__stwb)
TUNER_CPU_STORE(__stcg)
TUNER_CPU_STORE(__stcs)
TUNER_CPU_STORE(__stwt)
#undef TUNER_CPU_STORE
