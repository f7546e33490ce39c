#pragma once
// Floats in shared memory by their 32-bit addresses. nvcc keeps pointers to shared memory in 32 bits,
// NVRTC in 64: a loop that goes by pointers is not the same program in an application, where nvcc
// compiles it, as in the tuner. By addresses it is, instruction for instruction.

#include "elements.cuh"

template <int N>
using Vector = Elements<float, N>;

struct SharedFloats {
#ifdef TUNER_CPU
  float* place;

  __device__ SharedFloats operator+(int count) const { return {place + count}; }
  __device__ float* pointer() const { return place; }
#else
  unsigned address;  // in bytes, in the block's shared memory

  __device__ SharedFloats operator+(int count) const { return {address + 4u * count}; }
  __device__ float* pointer() const {
    return static_cast<float*>(__cvta_shared_to_generic(address));
  }
#endif
};

__device__ __forceinline__ SharedFloats shared_floats(float* place) {
#ifdef TUNER_CPU
  return {place};
#else
  unsigned address;  // by __cvta_generic_to_shared the two compilers' programs differ again
  asm("{ .reg .u64 shared; cvta.to.shared.u64 shared, %1; cvt.u32.u64 %0, shared; }"
      : "=r"(address)
      : "l"(place));
  return {address};
#endif
}

// Four floats, of which the first lies at a multiple of 16 bytes. (Volatile, so that they stay between
// the barriers that they are written between.)
__device__ __forceinline__ Vector<4> load_vector(SharedFloats from) {
#ifdef TUNER_CPU
  return load_elements<4>(from.place);
#else
  Vector<4> value;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.at[0]), "=f"(value.at[1]), "=f"(value.at[2]), "=f"(value.at[3])
               : "r"(from.address));
  return value;
#endif
}

__device__ __forceinline__ void store_vector(SharedFloats to, const Vector<4>& value) {
#ifdef TUNER_CPU
  assign_elements(to.place, value);
#else
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to.address), "f"(value.at[0]),
               "f"(value.at[1]), "f"(value.at[2]), "f"(value.at[3]));
#endif
}

// One float, which may be read through a pointer afterwards: hence "memory".
__device__ __forceinline__ void store(SharedFloats to, float value) {
#ifdef TUNER_CPU
  *to.place = value;
#else
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(to.address), "f"(value) : "memory");
#endif
}
