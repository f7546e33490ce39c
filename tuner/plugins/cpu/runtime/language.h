#pragma once
// CUDA's keywords, built-in variables and vector types.
#include "interface.h"

#define TUNER_CPU 1
#define __CUDACC__ 1
// Sources ask it for what a device can do. Everything of 8.0 is here, but for rare PTX.
#define __CUDA_ARCH__ 800
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
// A block runs on one OS thread; a block-scope thread_local is static without being told so, and
// unlike `static` it may be combined with `extern` and with `static`.
#define __shared__ thread_local
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
// Without `inline`, which sources also write themselves.
#define __forceinline__ __attribute__((always_inline))
// Nothing: the host's C++ library writes __attribute__((__noinline__)), in which no other attribute
// may stand, and inlining changes no answer.
#define __noinline__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define CUDARTAPI
#define CUDART_CB

namespace std {}  // namespace std
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#ifndef NULL
#define NULL __null
#endif

#define TUNER_CPU_VECTORS(name, T, align2, align4)                             \
  struct name##1 {                                                             \
    T x;                                                                       \
  };                                                                           \
  struct __align__(align2) name##2 {                                           \
    T x, y;                                                                    \
  };                                                                           \
  struct name##3 {                                                             \
    T x, y, z;                                                                 \
  };                                                                           \
  struct __align__(align4) name##4 {                                           \
    T x, y, z, w;                                                              \
  };                                                                           \
  inline constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  inline constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

TUNER_CPU_VECTORS(char, signed char, 2, 4)
TUNER_CPU_VECTORS(uchar, unsigned char, 2, 4)
TUNER_CPU_VECTORS(short, short, 4, 8)
TUNER_CPU_VECTORS(ushort, unsigned short, 4, 8)
TUNER_CPU_VECTORS(int, int, 8, 16)
TUNER_CPU_VECTORS(uint, unsigned, 8, 16)
TUNER_CPU_VECTORS(long, long, 16, 16)
TUNER_CPU_VECTORS(ulong, unsigned long, 16, 16)
TUNER_CPU_VECTORS(longlong, long long, 16, 16)
TUNER_CPU_VECTORS(ulonglong, unsigned long long, 16, 16)
TUNER_CPU_VECTORS(float, float, 8, 16)
TUNER_CPU_VECTORS(double, double, 16, 16)
#undef TUNER_CPU_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

// Set by the runtime whenever it goes on with another thread of the block.
thread_local uint3 threadIdx, blockIdx;
thread_local dim3 blockDim, gridDim;
thread_local const tuner_cpu_runtime* tuner_cpu_services;
constexpr int warpSize = 32;

extern "C" int printf(const char*, ...);
extern "C" void* memcpy(void*, const void*, size_t) noexcept;
extern "C" void* memset(void*, int, size_t) noexcept;

__attribute__((noinline, cold)) static void tuner_cpu_fault(const char* what, const char* file,
                                                            int line) {
  tuner_cpu_services->fault(tuner_cpu_services->self, what, file, line);
  __builtin_trap();
}
// Also what the C library's own assert() calls.
extern "C" __attribute__((noreturn)) inline void __assert_fail(const char* condition,
                                                               const char* file, unsigned line,
                                                               const char*) noexcept {
  char text[256] = "assertion failed: ";
  for (int i = 0; condition[i] != 0 && i < 230; ++i) text[18 + i] = condition[i];
  tuner_cpu_fault(text, file, (int)line);
  __builtin_trap();
}
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, 0))
inline void __trap() { tuner_cpu_fault("__trap()", 0, 0); }
inline void __brkpt() { tuner_cpu_fault("__brkpt()", 0, 0); }

inline long long clock64() {
#if defined(__x86_64__)
  return (long long)__builtin_ia32_rdtsc();
#else
  long long ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}
// As <time.h> declares them, which a source may include; always inline, so that it is never the C
// library's that is called.
typedef long clock_t;
extern "C" inline __attribute__((always_inline)) long clock() noexcept { return (long)clock64(); }
inline void __nanosleep(unsigned) {}
