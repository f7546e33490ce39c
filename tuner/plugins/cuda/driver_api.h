#pragma once
// The driver's functions, resolved at run time. A plain table, so that tests supply a fake driver.

#include <cuda.h>

namespace tuner::cuda {

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
using TensorMapEncodeTiled = decltype(&::cuTensorMapEncodeTiled);
using StreamWaitValue32 = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);

struct DriverApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses
#define TUNER_ROW(member, function, symbol) decltype(&::function) member = nullptr;
  TUNER_CUDA_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  FuncGetParamInfo func_get_param_info = nullptr;
  StreamWaitValue32 stream_wait_value_32 = nullptr;
  TensorMapEncodeTiled tensor_map_encode_tiled = nullptr;
};

// Opens libcuda.so.1 and calls cuInit: only where a driver may be initialised. Throws sdk::Error
// with the reason ("libcuda.so.1 not found").
DriverApi load_driver();

}  // namespace tuner::cuda
