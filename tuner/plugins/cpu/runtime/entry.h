#pragma once
// How a variant is entered: a kernel's parameters come as pointers, one for each.
#include "execution.h"
#include "mathematics.h"

#ifdef __clang__
#define TUNER_CPU_EXPORT extern "C" __attribute__((visibility("default"), used))
#else
#define TUNER_CPU_EXPORT extern "C" __attribute__((visibility("default"), externally_visible, used))
#endif

// Braces evaluate their contents from left to right; a call's parentheses need not.
template <class... P>
struct tuner_cpu_call {
  __attribute__((always_inline)) tuner_cpu_call(void (*kernel)(P...), P... arguments) {
    kernel(arguments...);
  }
};
template <class... P>
__attribute__((always_inline)) inline void tuner_cpu_enter(void (*kernel)(P...), void** arguments) {
  tuner_cpu_call<P...>{kernel, *static_cast<P*>(*arguments++)...};
}
template <class... P>
inline unsigned tuner_cpu_sizes(void (*)(P...), unsigned* sizes) {
  const unsigned all[] = {(unsigned)sizeof(P)..., 0u};
  for (unsigned i = 0; sizes && i < sizeof...(P); ++i) sizes[i] = all[i];
  return sizeof...(P);
}

TUNER_CPU_EXPORT void tuner_cpu_slots_of_thread(tuner_cpu_slots* slots) {
  slots->thread_index = reinterpret_cast<tuner_cpu_index*>(&threadIdx);
  slots->block_index = reinterpret_cast<tuner_cpu_index*>(&blockIdx);
  slots->block_size = reinterpret_cast<tuner_cpu_index*>(&blockDim);
  slots->grid_size = reinterpret_cast<tuner_cpu_index*>(&gridDim);
  slots->runtime = &tuner_cpu_services;
}
