// The functions of the driver in front of which this object stands. An application reaches them by
// dlsym(), by cuGetProcAddress, which it finds by dlsym(), or because it is linked with the driver.
// Exceptions never leave this object, and what is not replaced goes to the driver as it came.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tuner/plugins/cuda/apply/driver.h"
#include "tuner/plugins/cuda/apply/launches.h"

namespace tuner::apply {
namespace {

// The driver's own function, found when it is called first.
template <typename... Arguments>
class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  CUresult operator()(Arguments... arguments) {
    Function function = known_.load(std::memory_order_relaxed);
    if (function == nullptr) {
      function = reinterpret_cast<Function>(driver_symbol(name_));
      known_ = function;
    }
    return function != nullptr ? function(arguments...) : CUDA_ERROR_NOT_INITIALIZED;
  }

 private:
  using Function = CUresult (*)(Arguments...);
  const char* name_;
  std::atomic<Function> known_ = nullptr;
};

// ---- launches -----------------------------------------------------------------------------------

using Count = unsigned;
using LaunchCall =
    Real<CUfunction, Count, Count, Count, Count, Count, Count, Count, CUstream, void**, void**>;
using LaunchExCall = Real<const CUlaunchConfig*, CUfunction, void**, void**>;
using CooperativeCall =
    Real<CUfunction, Count, Count, Count, Count, Count, Count, Count, CUstream, void**>;
using AddNodeCall =
    Real<CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const CUDA_KERNEL_NODE_PARAMS*>;

LaunchCall launch_call("cuLaunchKernel"), launch_call_ptsz("cuLaunchKernel_ptsz");
LaunchExCall launch_ex_call("cuLaunchKernelEx"), launch_ex_call_ptsz("cuLaunchKernelEx_ptsz");
CooperativeCall cooperative_call("cuLaunchCooperativeKernel"),
    cooperative_call_ptsz("cuLaunchCooperativeKernel_ptsz");
AddNodeCall add_node_call("cuGraphAddKernelNode"), add_node_call_v2("cuGraphAddKernelNode_v2");

// No stream means the thread's own in calls of the kind "_ptsz".
template <bool kPerThread>
CUstream stream_of(CUstream stream) {
  return kPerThread && stream == nullptr ? CU_STREAM_PER_THREAD : stream;
}

template <auto& kReal, bool kPerThread>
CUresult launch_kernel(CUfunction kernel, Count grid_x, Count grid_y, Count grid_z, Count block_x,
                       Count block_y, Count block_z, Count shared, CUstream stream,
                       void** parameters, void** extra) noexcept {
  const Launch launch{kernel,
                      {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared},
                      stream_of<kPerThread>(stream),
                      parameters,
                      extra};
  return launches().make(launch, [&] {
    return kReal(kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                 parameters, extra);
  });
}

template <auto& kReal, bool kPerThread>
CUresult launch_kernel_ex(const CUlaunchConfig* how, CUfunction kernel, void** parameters,
                          void** extra) noexcept {
  if (how == nullptr) return kReal(how, kernel, parameters, extra);
  const Launch launch{kernel,
                      {how->gridDimX, how->gridDimY, how->gridDimZ, how->blockDimX, how->blockDimY,
                       how->blockDimZ, how->sharedMemBytes},
                      stream_of<kPerThread>(how->hStream),
                      parameters,
                      extra,
                      how->attrs,
                      how->attrs != nullptr ? how->numAttrs : 0};
  return launches().make(launch, [&] { return kReal(how, kernel, parameters, extra); });
}

template <auto& kReal, bool kPerThread>
CUresult launch_cooperative(CUfunction kernel, Count grid_x, Count grid_y, Count grid_z,
                            Count block_x, Count block_y, Count block_z, Count shared,
                            CUstream stream, void** parameters) noexcept {
  Launch launch{kernel,
                {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared},
                stream_of<kPerThread>(stream),
                parameters};
  launch.is_cooperative = true;
  return launches().make(launch, [&] {
    return kReal(kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                 parameters);
  });
}

// Leaves out `kern`, which the older call does not have.
template <auto& kReal, bool kHasKern>
CUresult add_kernel_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                         std::size_t count, const CUDA_KERNEL_NODE_PARAMS* what) noexcept {
  CUfunction kernel = what != nullptr ? what->func : nullptr;
  if constexpr (kHasKern) {
    const bool is_other = what != nullptr && kernel == nullptr;
    if (is_other) kernel = reinterpret_cast<CUfunction>(what->kern);
  }
  if (kernel != nullptr) {
    launches().leave(kernel, "they are nodes that the program adds to a graph itself");
  }
  return kReal(node, graph, after, count, what);
}

// ---- what ends handles --------------------------------------------------------------------------

Real<CUmodule> unload_module_call("cuModuleUnload");
Real<CUlibrary> unload_library_call("cuLibraryUnload");
Real<CUcontext> destroy_context_call("cuCtxDestroy_v2");
Real<CUdevice> reset_context_call("cuDevicePrimaryCtxReset_v2"),
    release_context_call("cuDevicePrimaryCtxRelease_v2");

template <auto& kReal, typename Handle>
CUresult end_module(Handle handle) noexcept {
  const CUresult result = kReal(handle);
  launches().forget_handles();
  return result;
}

template <auto& kReal, typename Handle>
CUresult end_context(Handle handle) noexcept {
  const CUresult result = kReal(handle);
  launches().forget_contexts();
  return result;
}

// ---- lookups ------------------------------------------------------------------------------------

using LookupCall = Real<const char*, void**, int, cuuint64_t, void*>;
using OldLookupCall = Real<const char*, void**, int, cuuint64_t>;
LookupCall lookup_call("cuGetProcAddress_v2");
OldLookupCall old_lookup_call("cuGetProcAddress");

CUresult look_up(const char* symbol, void** found, int version, cuuint64_t flags,
                 void* status) noexcept;
CUresult look_up_old(const char* symbol, void** found, int version, cuuint64_t flags) noexcept;

struct Interposed {
  std::string_view exported;  // by dlsym()
  std::string_view name;      // by cuGetProcAddress
  int since;                  // of CUDA's versions, where that means this one
  bool is_per_thread;
  void* instead;
};

template <typename Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

// Rows of one name: the later ones come first.
const auto& interposed() {
  static const std::array kAll{
      Interposed{"cuLaunchKernel_ptsz", "cuLaunchKernel", 0, true,
                 address_of(&launch_kernel<launch_call_ptsz, true>)},
      Interposed{"cuLaunchKernel", "cuLaunchKernel", 0, false,
                 address_of(&launch_kernel<launch_call, false>)},
      Interposed{"cuLaunchKernelEx_ptsz", "cuLaunchKernelEx", 0, true,
                 address_of(&launch_kernel_ex<launch_ex_call_ptsz, true>)},
      Interposed{"cuLaunchKernelEx", "cuLaunchKernelEx", 0, false,
                 address_of(&launch_kernel_ex<launch_ex_call, false>)},
      Interposed{"cuLaunchCooperativeKernel_ptsz", "cuLaunchCooperativeKernel", 0, true,
                 address_of(&launch_cooperative<cooperative_call_ptsz, true>)},
      Interposed{"cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel", 0, false,
                 address_of(&launch_cooperative<cooperative_call, false>)},
      Interposed{"cuGraphAddKernelNode_v2", "cuGraphAddKernelNode", 12000, false,
                 address_of(&add_kernel_node<add_node_call_v2, true>)},
      Interposed{"cuGraphAddKernelNode", "cuGraphAddKernelNode", 0, false,
                 address_of(&add_kernel_node<add_node_call, false>)},
      Interposed{"cuModuleUnload", "cuModuleUnload", 0, false,
                 address_of(&end_module<unload_module_call, CUmodule>)},
      Interposed{"cuLibraryUnload", "cuLibraryUnload", 0, false,
                 address_of(&end_module<unload_library_call, CUlibrary>)},
      Interposed{"cuCtxDestroy_v2", "cuCtxDestroy", 4000, false,
                 address_of(&end_context<destroy_context_call, CUcontext>)},
      Interposed{"cuDevicePrimaryCtxReset_v2", "cuDevicePrimaryCtxReset", 11000, false,
                 address_of(&end_context<reset_context_call, CUdevice>)},
      Interposed{"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", 11000, false,
                 address_of(&end_context<release_context_call, CUdevice>)},
      Interposed{"cuGetProcAddress_v2", "cuGetProcAddress", 12000, false, address_of(&look_up)},
      Interposed{"cuGetProcAddress", "cuGetProcAddress", 0, false, address_of(&look_up_old)},
  };
  return kAll;
}

// Finds the function to hand out instead of the driver's.
void replace_found(std::string_view name, int version, cuuint64_t flags, void** found) {
  if (found == nullptr || *found == nullptr) return;
  launches().greet();
  const bool is_per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  for (const Interposed& one : interposed()) {
    if (one.name != name || version < one.since || (one.is_per_thread && !is_per_thread)) continue;
    *found = one.instead;
    return;
  }
}

CUresult look_up(const char* symbol, void** found, int version, cuuint64_t flags,
                 void* status) noexcept {
  const CUresult result = lookup_call(symbol, found, version, flags, status);
  if (result == CUDA_SUCCESS && symbol != nullptr) replace_found(symbol, version, flags, found);
  return result;
}

CUresult look_up_old(const char* symbol, void** found, int version, cuuint64_t flags) noexcept {
  const CUresult result = old_lookup_call(symbol, found, version, flags);
  if (result == CUDA_SUCCESS && symbol != nullptr) replace_found(symbol, version, flags, found);
  return result;
}

// The mark by which tuner sees that the loader takes this object.
__attribute__((constructor)) void leave_mark() {
  const char* const socket = std::getenv("TUNER_APPLY");
  if (socket == nullptr) return;
  const std::string mark = std::string(socket) + ".loaded";
  const int file = ::open(mark.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
}

}  // namespace
}  // namespace tuner::apply

// ---- what applications see ----------------------------------------------------------------------

// dlsym() is written in assembler: with RTLD_NEXT it answers for the object that has called it,
// which it knows by the return address. So what is not ours is jumped to, not called.
extern "C" {
__attribute__((visibility("hidden"))) void* (*tuner_apply_dlsym)(void*, const char*) = nullptr;

// Returns what stands in front of the function; null: dlsym() is to answer.
__attribute__((visibility("hidden"), used)) void* tuner_apply_look_up(void* handle,
                                                                      const char* name) noexcept {
  using namespace tuner::apply;
  if (tuner_apply_dlsym == nullptr) tuner_apply_dlsym = real_dlsym();
  if (handle == RTLD_NEXT || name == nullptr || name[0] != 'c' || name[1] != 'u') return nullptr;
  for (const Interposed& one : interposed()) {
    if (one.exported != name) continue;
    if (tuner_apply_dlsym(handle, name) == nullptr) return nullptr;
    launches().greet();
    return one.instead;
  }
  return nullptr;
}
}

#if defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call tuner_apply_look_up
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  je 1f
  ret
1:
  jmpq *tuner_apply_dlsym(%rip)
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  .cfi_startproc
  stp x29, x30, [sp, #-32]!
  .cfi_adjust_cfa_offset 32
  stp x0, x1, [sp, #16]
  bl tuner_apply_look_up
  mov x9, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_adjust_cfa_offset -32
  cbz x9, 1f
  mov x0, x9
  ret
1:
  adrp x9, tuner_apply_dlsym
  ldr x9, [x9, #:lo12:tuner_apply_dlsym]
  br x9
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#else
#error "there is no dlsym() for this processor yet"
#endif

// For applications that are linked with the driver. cuda.h declares functions of these names, so
// that here they have others.
#define TUNER_EXPORT(name, parameters, ...)                  \
  CUresult in_front_of_##name parameters noexcept asm(#name) \
      __attribute__((visibility("default"), used));          \
  CUresult in_front_of_##name parameters noexcept { return __VA_ARGS__; }

namespace tuner::apply {
#define TUNER_SHAPE                                                                              \
  CUfunction f, Count gx, Count gy, Count gz, Count bx, Count by, Count bz, Count n, CUstream s, \
      void **p
TUNER_EXPORT(cuLaunchKernel, (TUNER_SHAPE, void** e),
             launch_kernel<launch_call, false>(f, gx, gy, gz, bx, by, bz, n, s, p, e))
TUNER_EXPORT(cuLaunchKernel_ptsz, (TUNER_SHAPE, void** e),
             launch_kernel<launch_call_ptsz, true>(f, gx, gy, gz, bx, by, bz, n, s, p, e))
TUNER_EXPORT(cuLaunchCooperativeKernel, (TUNER_SHAPE),
             launch_cooperative<cooperative_call, false>(f, gx, gy, gz, bx, by, bz, n, s, p))
TUNER_EXPORT(cuLaunchCooperativeKernel_ptsz, (TUNER_SHAPE),
             launch_cooperative<cooperative_call_ptsz, true>(f, gx, gy, gz, bx, by, bz, n, s, p))
#undef TUNER_SHAPE
TUNER_EXPORT(cuLaunchKernelEx, (const CUlaunchConfig* c, CUfunction f, void** p, void** e),
             launch_kernel_ex<launch_ex_call, false>(c, f, p, e))
TUNER_EXPORT(cuLaunchKernelEx_ptsz, (const CUlaunchConfig* c, CUfunction f, void** p, void** e),
             launch_kernel_ex<launch_ex_call_ptsz, true>(c, f, p, e))
TUNER_EXPORT(cuGraphAddKernelNode,
             (CUgraphNode * n, CUgraph g, const CUgraphNode* d, std::size_t c,
              const CUDA_KERNEL_NODE_PARAMS* w),
             add_kernel_node<add_node_call, false>(n, g, d, c, w))
TUNER_EXPORT(cuGraphAddKernelNode_v2,
             (CUgraphNode * n, CUgraph g, const CUgraphNode* d, std::size_t c,
              const CUDA_KERNEL_NODE_PARAMS* w),
             add_kernel_node<add_node_call_v2, true>(n, g, d, c, w))
TUNER_EXPORT(cuModuleUnload, (CUmodule m), end_module<unload_module_call>(m))
TUNER_EXPORT(cuLibraryUnload, (CUlibrary l), end_module<unload_library_call>(l))
TUNER_EXPORT(cuCtxDestroy_v2, (CUcontext c), end_context<destroy_context_call>(c))
TUNER_EXPORT(cuDevicePrimaryCtxReset_v2, (CUdevice d), end_context<reset_context_call>(d))
TUNER_EXPORT(cuDevicePrimaryCtxRelease_v2, (CUdevice d), end_context<release_context_call>(d))
TUNER_EXPORT(cuGetProcAddress_v2, (const char* n, void** f, int v, cuuint64_t o, void* q),
             look_up(n, f, v, o, q))
TUNER_EXPORT(cuGetProcAddress, (const char* n, void** f, int v, cuuint64_t o),
             look_up_old(n, f, v, o))
}  // namespace tuner::apply
