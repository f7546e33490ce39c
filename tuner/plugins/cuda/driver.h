#pragma once
// The CUDA driver: its functions, resolved at run time; what its errors mean; owners of its
// objects; and what it says of a device.

#include <cuda.h>

#include <memory>
#include <string>
#include <type_traits>

#include "tuner/plugin/abi.h"
#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/tensor_map_types.h"

namespace tuner::cuda {

// ---- functions ----------------------------------------------------------------------------------

// member, function whose type it has, exported name. The newest name of a function is avoided where
// an older one does the same: the plugin must also load on older drivers than it was built for.
#define TUNER_CUDA_FUNCTIONS(ROW)                                                             \
  ROW(init, cuInit, "cuInit")                                                                 \
  ROW(driver_get_version, cuDriverGetVersion, "cuDriverGetVersion")                           \
  ROW(get_error_name, cuGetErrorName, "cuGetErrorName")                                       \
  ROW(get_error_string, cuGetErrorString, "cuGetErrorString")                                 \
  ROW(device_get_count, cuDeviceGetCount, "cuDeviceGetCount")                                 \
  ROW(device_get, cuDeviceGet, "cuDeviceGet")                                                 \
  ROW(device_get_name, cuDeviceGetName, "cuDeviceGetName")                                    \
  ROW(device_get_uuid, cuDeviceGetUuid, "cuDeviceGetUuid")                                    \
  ROW(device_get_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")                     \
  ROW(device_total_mem, cuDeviceTotalMem, "cuDeviceTotalMem_v2")                              \
  ROW(primary_ctx_retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")               \
  ROW(primary_ctx_release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")         \
  ROW(ctx_set_current, cuCtxSetCurrent, "cuCtxSetCurrent")                                    \
  ROW(ctx_get_limit, cuCtxGetLimit, "cuCtxGetLimit")                                          \
  ROW(ctx_set_limit, cuCtxSetLimit, "cuCtxSetLimit")                                          \
  ROW(ctx_synchronize, cuCtxSynchronize, "cuCtxSynchronize")                                  \
  ROW(mem_alloc, cuMemAlloc, "cuMemAlloc_v2")                                                 \
  ROW(mem_free, cuMemFree, "cuMemFree_v2")                                                    \
  ROW(mem_host_alloc, cuMemHostAlloc, "cuMemHostAlloc")                                       \
  ROW(mem_host_get_device_pointer, cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2") \
  ROW(mem_free_host, cuMemFreeHost, "cuMemFreeHost")                                          \
  ROW(memcpy_htod_async, cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                           \
  ROW(memcpy_dtoh_async, cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                           \
  ROW(memcpy_dtod_async, cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                           \
  ROW(memset_d8_async, cuMemsetD8Async, "cuMemsetD8Async")                                    \
  ROW(stream_create, cuStreamCreate, "cuStreamCreate")                                        \
  ROW(stream_destroy, cuStreamDestroy, "cuStreamDestroy_v2")                                  \
  ROW(stream_synchronize, cuStreamSynchronize, "cuStreamSynchronize")                         \
  ROW(event_create, cuEventCreate, "cuEventCreate")                                           \
  ROW(event_destroy, cuEventDestroy, "cuEventDestroy_v2")                                     \
  ROW(event_record, cuEventRecord, "cuEventRecord")                                           \
  ROW(event_elapsed_time, cuEventElapsedTime, "cuEventElapsedTime")                           \
  ROW(module_load_data, cuModuleLoadData, "cuModuleLoadData")                                 \
  ROW(module_unload, cuModuleUnload, "cuModuleUnload")                                        \
  ROW(module_get_function, cuModuleGetFunction, "cuModuleGetFunction")                        \
  ROW(module_get_global, cuModuleGetGlobal, "cuModuleGetGlobal_v2")                           \
  ROW(func_get_attribute, cuFuncGetAttribute, "cuFuncGetAttribute")                           \
  ROW(func_set_attribute, cuFuncSetAttribute, "cuFuncSetAttribute")                           \
  ROW(launch_kernel, cuLaunchKernel, "cuLaunchKernel")

// Absent from older drivers; the plugin does without them.
using FuncGetParamInfo = CUresult (*)(CUfunction, std::size_t, std::size_t*, std::size_t*);
using LaunchKernelEx = decltype(&::cuLaunchKernelEx);
using CtxResetPersistingL2 = decltype(&::cuCtxResetPersistingL2Cache);
using TexObjectCreate = decltype(&::cuTexObjectCreate);
using TexObjectDestroy = decltype(&::cuTexObjectDestroy);
using SurfObjectCreate = decltype(&::cuSurfObjectCreate);
using SurfObjectDestroy = decltype(&::cuSurfObjectDestroy);
using ArrayCreate = decltype(&::cuArray3DCreate);
using ArrayDestroy = decltype(&::cuArrayDestroy);
using Memcpy3DAsync = CUresult (*)(const CUDA_MEMCPY3D*, CUstream);
using StreamBeginCapture = CUresult (*)(CUstream, CUstreamCaptureMode);
using StreamEndCapture = decltype(&::cuStreamEndCapture);
using GraphDestroy = decltype(&::cuGraphDestroy);
using GraphInstantiate = CUresult (*)(CUgraphExec*, CUgraph, unsigned long long);
using GraphExecDestroy = decltype(&::cuGraphExecDestroy);
using GraphUpload = decltype(&::cuGraphUpload);
using GraphLaunch = decltype(&::cuGraphLaunch);
using MemAddressReserve = decltype(&::cuMemAddressReserve);
using MemAddressFree = decltype(&::cuMemAddressFree);
using MemCreate = decltype(&::cuMemCreate);
using MemRelease = decltype(&::cuMemRelease);
using MemMap = decltype(&::cuMemMap);
using MemUnmap = decltype(&::cuMemUnmap);
using MemSetAccess = decltype(&::cuMemSetAccess);
using StreamWaitValue32 = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);

struct DriverApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses
#define TUNER_ROW(member, function, symbol) decltype(&::function) member = nullptr;
  TUNER_CUDA_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  FuncGetParamInfo func_get_param_info = nullptr;
  StreamWaitValue32 stream_wait_value_32 = nullptr;
  TensorMapEncodeTiled tensor_map_encode_tiled = nullptr;
  LaunchKernelEx launch_kernel_ex = nullptr;
  CtxResetPersistingL2 ctx_reset_persisting_l2 = nullptr;
  TexObjectCreate tex_object_create = nullptr;
  TexObjectDestroy tex_object_destroy = nullptr;
  // Arrays: all of them or none.
  SurfObjectCreate surf_object_create = nullptr;
  SurfObjectDestroy surf_object_destroy = nullptr;
  ArrayCreate array_create = nullptr;
  ArrayDestroy array_destroy = nullptr;
  Memcpy3DAsync memcpy_3d_async = nullptr;
  // Memory at given addresses: all of them or none.
  MemAddressReserve mem_address_reserve = nullptr;
  MemAddressFree mem_address_free = nullptr;
  MemCreate mem_create = nullptr;
  MemRelease mem_release = nullptr;
  MemMap mem_map = nullptr;
  MemUnmap mem_unmap = nullptr;
  MemSetAccess mem_set_access = nullptr;
  // Graphs: all of them or none.
  StreamBeginCapture stream_begin_capture = nullptr;
  StreamEndCapture stream_end_capture = nullptr;
  GraphDestroy graph_destroy = nullptr;
  GraphInstantiate graph_instantiate = nullptr;
  GraphExecDestroy graph_exec_destroy = nullptr;
  GraphUpload graph_upload = nullptr;
  GraphLaunch graph_launch = nullptr;
  bool has_graphs() const { return graph_launch != nullptr; }
};

// Opens libcuda.so.1 and calls cuInit: only where a driver may be initialised. Throws sdk::Error
// with the reason ("libcuda.so.1 not found"): TUNER_UNSUPPORTED where there is no driver or no
// device, TUNER_DEVICE_LOST where there is one that cannot be used.
DriverApi load_driver();

// Whether load_driver() has taken CUDA_LAUNCH_BLOCKING out of this process's environment. It does
// where the driver has not read it yet.
bool unblocked_launches();

// Why cuInit failed, and what helps; `file` is the driver's library.
std::string refusal_of_driver(const DriverApi& api, CUresult result, const std::string& file);

// The device with this number, counted from 0. Throws sdk::Error.
CUdevice device_of(const DriverApi& api, std::uint32_t number);

// ---- errors -------------------------------------------------------------------------------------

// The driver's work when it failed: decides what an ambiguous error means.
enum class Phase {
  kCall,    // anything that runs no kernel
  kLaunch,  // handing a kernel over: nothing has run yet
  kWait,    // waiting for a kernel
};

tuner_status classify(CUresult result, Phase phase);

// "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (invalid argument)".
std::string describe(const DriverApi& api, CUresult result, const char* call);

// Throws sdk::Error unless `result` is a success.
void check(const DriverApi& api, CUresult result, const char* call, Phase phase = Phase::kCall);

// ---- owners -------------------------------------------------------------------------------------
//
// Driver objects that end with their scope. Destruction ignores errors: after a fault the context
// is dead and every call fails.

template <auto Member>
struct Destroyer {
  const DriverApi* api = nullptr;
  template <typename Handle>
  void operator()(Handle* handle) const {
    (api->*Member)(handle);
  }
};

template <typename Handle, auto Member>
using UniqueHandle = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Member>>;

using Module = UniqueHandle<CUmodule, &DriverApi::module_unload>;
using Stream = UniqueHandle<CUstream, &DriverApi::stream_destroy>;
using Event = UniqueHandle<CUevent, &DriverApi::event_destroy>;
using Graph = UniqueHandle<CUgraph, &DriverApi::graph_destroy>;
using GraphExec = UniqueHandle<CUgraphExec, &DriverApi::graph_exec_destroy>;

// Device memory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DriverApi& api, std::size_t bytes);  // throws sdk::Error
  // Somebody else's, which is not freed.
  static DeviceMemory view(CUdeviceptr pointer, std::size_t bytes) {
    DeviceMemory out;
    out.pointer_ = pointer;
    out.bytes_ = bytes;
    return out;
  }
  ~DeviceMemory() {
    if (pointer_ != 0 && api_ != nullptr) api_->mem_free(pointer_);
  }
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  CUdeviceptr get() const { return pointer_; }
  bool is_owned() const { return api_ != nullptr; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(DeviceMemory& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(pointer_, other.pointer_);
    std::swap(bytes_, other.bytes_);
  }
  const DriverApi* api_ = nullptr;
  CUdeviceptr pointer_ = 0;
  std::size_t bytes_ = 0;
};

// The device's primary context, retained and made current.
class PrimaryContext {
 public:
  PrimaryContext(const DriverApi& api, CUdevice device);  // throws sdk::Error
  ~PrimaryContext() { api_.primary_ctx_release(device_); }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  void make_current() const { api_.ctx_set_current(context_); }
  CUcontext get() const { return context_; }

 private:
  const DriverApi& api_;
  CUdevice device_;
  CUcontext context_ = nullptr;
};

Stream make_stream(const DriverApi& api);
Event make_event(const DriverApi& api);

// ---- a device -----------------------------------------------------------------------------------

// `arch`: what to compile for, or "auto" for the device's own.
tuner_device_facts device_facts(const DriverApi& api, CUdevice device, const std::string& arch);

// "580.65.06 (CUDA 13.0)" from the text of /proc/driver/nvidia/version and cuDriverGetVersion;
// "CUDA 13.0" where that text has no version.
std::string driver_version_text(const std::string& proc_text, int cuda_version);

}  // namespace tuner::cuda
