#pragma once
// What the host's CUDA libraries declare, where a source's host code gets to see it. That code is
// never called, so all that these names have to do is to compile. A name that is a type becomes a
// struct that derives from tuner_cpu_anything, any other name a tuner_cpu_function.

#ifdef __clang__
#define TUNER_CPU_OF_THE_HOST
#else
#define TUNER_CPU_OF_THE_HOST \
  __attribute__((             \
      error("a kernel calls a function of the host's: the cpu backend runs kernels only")))
#endif

struct tuner_cpu_anything {
  unsigned long long bits;
  tuner_cpu_anything() = default;
  template <class T>
  tuner_cpu_anything(const T&) : bits(0) {}
  template <class T>
  operator T() const {
    return *static_cast<T*>(nullptr);
  }
};
// A name that is no type, of a library whose functions tell a Status.
template <class Status>
struct tuner_cpu_function : tuner_cpu_anything {
  template <class... A>
  TUNER_CPU_OF_THE_HOST Status operator()(A&&...) const;
};
template <bool Holds>
struct tuner_cpu_if {};
template <>
struct tuner_cpu_if<true> {
  typedef int type;
};
#define TUNER_CPU_COMPARED(sign)                                                  \
  template <class A, class B,                                                     \
            typename tuner_cpu_if<__is_base_of(tuner_cpu_anything, A) ||          \
                                  __is_base_of(tuner_cpu_anything, B)>::type = 0> \
  inline bool operator sign(const A&, const B&) {                                 \
    return false;                                                                 \
  }
TUNER_CPU_COMPARED(==)
TUNER_CPU_COMPARED(!=)
TUNER_CPU_COMPARED(<)
TUNER_CPU_COMPARED(>)
#undef TUNER_CPU_COMPARED
inline tuner_cpu_anything operator|(const tuner_cpu_anything& a, const tuner_cpu_anything&) {
  return a;
}
template <class Stream>
inline Stream& operator<<(Stream& stream, const tuner_cpu_anything&) {
  return stream;
}

// "kernel<<<grid, block>>>(x)" is compiled as "kernel * tuner_cpu_launch(grid, block)(x)".
struct tuner_cpu_launched {
  template <class... A>
  tuner_cpu_launched operator()(A&&...) const;
};
template <class... A>
tuner_cpu_launched tuner_cpu_launch(A&&...);
template <class Kernel>
#ifndef __clang__
__attribute__((error("a kernel launches another one: the cpu backend has no child launches")))
#endif
void operator*(Kernel* kernel, const tuner_cpu_launched&);

struct cudaDeviceProp {
  char name[256];
  unsigned long totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor,
      sharedMemPerBlockOptin, totalConstMem;
  int major, minor, warpSize, regsPerBlock, regsPerMultiprocessor, multiProcessorCount, clockRate,
      memoryClockRate, memoryBusWidth, l2CacheSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor,
      maxBlocksPerMultiProcessor, maxThreadsDim[3], maxGridSize[3], concurrentKernels, integrated,
      canMapHostMemory, unifiedAddressing, managedMemory, concurrentManagedAccess,
      cooperativeLaunch, computeMode;
};
// Host objects are made where a variant is loaded, and never destroyed: nobody tells that it goes.
extern "C" __attribute__((used, visibility("hidden"))) inline int __cxa_atexit(void (*)(void*),
                                                                               void*,
                                                                               void*) noexcept {
  return 0;
}
extern "C" {
__attribute__((used, visibility("hidden"))) void* __dso_handle = nullptr;
}

struct tuner_cpu_names;  // behind which they are declared
