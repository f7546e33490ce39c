#pragma once
// Exported launchers on the host: the text of a cuda_runtime.h whose functions note what they are
// asked for, and programs that are built with it.

#include <gtest/gtest.h>

#include <string>

#include "compiled.h"
#include "tuner/deploy/launcher.h"

namespace tuner {

// Streams are numbers; odd ones are captured in the graph of that number.
inline constexpr const char* kFakeCudaRuntime = R"(#pragma once
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#define __global__
#define __location__(memory)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __constant__ __location__(constant)
#define CUDART_VERSION 13000
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
typedef struct stream* cudaStream_t;
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorInvalidConfiguration, cudaErrorOther,
  cudaErrorStreamCaptureUnsupported };
enum cudaMemcpyKind { cudaMemcpyDefault };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum { cudaStreamNonBlocking };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
struct cudaFuncAttributes { std::size_t sharedSizeBytes; };
struct cudaDeviceProp { char name[256]; int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock,
  maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, regsPerBlock, regsPerMultiprocessor, l2CacheSize;
  std::size_t sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalGlobalMem; };
inline std::atomic<int> asked{0}, allocations{0}, freed{0}, memsets{0}, launches{0}, refused{-1};
inline std::atomic<int> copies{0}, symbol_copies{0}, refused_copy{-1}, refused_symbol_copy{-1};
inline thread_local int current = 0;  // device
inline thread_local void* passed[8] = {};
inline thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
inline cudaError_t cudaGetDevice(int* n) { *n = current; return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  ++asked;
  *p = {"NVIDIA H200", 9, 0, 132, 32, 1024, 2048, 32, 65536, 65536, 1, 49152, 232448, 233472, 1};
  return cudaSuccess;
}
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void*) { *a = {}; return cudaSuccess; }
inline cudaError_t cudaFuncSetAttribute(const void*, int, int) { return cudaSuccess; }
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* m) {
  const auto before = mode; mode = *m; *m = before; return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, int) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long* id) {
  *id = reinterpret_cast<std::size_t>(s); return cudaSuccess;
}
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, cudaStreamCaptureStatus* status, unsigned long long* id) {
  const auto n = reinterpret_cast<std::size_t>(s);
  *status = n % 2 == 1 ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  *id = n;
  return cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* status) {
  unsigned long long id = 0;
  return cudaStreamGetCaptureInfo(s, status, &id);
}
inline std::mutex symbols_guard;
inline std::set<const void*> symbols;  // whose place was asked for
inline bool is_symbol(const void* place) {
  const std::lock_guard<std::mutex> held(symbols_guard);
  return symbols.count(place) > 0;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  if (is_symbol(to) ? symbol_copies++ == refused_symbol_copy : copies++ == refused_copy) return cudaErrorOther;
  std::memcpy(to, from, bytes); return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** place, T& symbol) {
  if (mode != cudaStreamCaptureModeRelaxed) return cudaErrorOther;
  *place = &symbol;
  const std::lock_guard<std::mutex> held(symbols_guard);
  symbols.insert(&symbol);
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  if (mode != cudaStreamCaptureModeRelaxed) return cudaErrorOther;
  *p = std::malloc(bytes); std::memset(*p, 7, bytes); ++allocations; return cudaSuccess;
}
inline cudaError_t cudaFree(void* p) { std::free(p); ++freed; return cudaSuccess; }
inline cudaError_t cudaMemsetAsync(void* p, int v, std::size_t bytes, cudaStream_t) {
  std::memset(p, v, bytes); ++memsets; return cudaSuccess;
}
inline cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void** list, std::size_t, cudaStream_t) {
  if (launches++ == refused) return cudaErrorOther;
  for (int i = 0; list[i] != nullptr; ++i) passed[i] = *static_cast<void**>(list[i]);
  return cudaSuccess;
}
)";

// What a program prints that includes matmul_launcher.cu. The headers that the launcher includes
// are in the folder.
inline std::string output_with(const LauncherFiles& files, const HeaderFolder& folder,
                               const std::string& program) {
  write_launcher(folder, files);
  folder.write("main.cpp", "#include \"matmul_launcher.cu\"\n" + program);
  const auto compiled = folder.run(
      "g++ -std=c++17 -g -fsanitize=address,undefined -Wall -Wextra -I. main.cpp -o main -pthread "
      "-Wno-unknown-pragmas -Wno-unused-parameter");
  EXPECT_EQ(compiled.status, 0) << compiled.text.substr(0, 3000);
  return folder.run("./main").text;
}

}  // namespace tuner
