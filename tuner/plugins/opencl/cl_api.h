#pragma once
// OpenCL as far as this plugin uses it: the types, numbers and functions of its public interface,
// by their own names. The functions are found in libOpenCL.so.1 at run time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace tuner::opencl {

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_ulong = std::uint64_t;
using cl_platform_id = struct PlatformOfCl*;
using cl_device_id = struct DeviceOfCl*;
using cl_context = struct ContextOfCl*;
using cl_command_queue = struct QueueOfCl*;
using cl_mem = struct MemoryOfCl*;
using cl_program = struct ProgramOfCl*;
using cl_kernel = struct KernelOfCl*;
using cl_event = struct EventOfCl*;

inline constexpr cl_int CL_SUCCESS = 0;
inline constexpr cl_int CL_MEM_OBJECT_ALLOCATION_FAILURE = -4;
inline constexpr cl_int CL_OUT_OF_RESOURCES = -5;
inline constexpr cl_int CL_OUT_OF_HOST_MEMORY = -6;
inline constexpr cl_int CL_INVALID_COMMAND_QUEUE = -36;
inline constexpr cl_int CL_INVALID_BUFFER_SIZE = -61;

inline constexpr cl_ulong CL_DEVICE_TYPE_CPU = 1 << 1;
inline constexpr cl_ulong CL_DEVICE_TYPE_GPU = 1 << 2;
inline constexpr cl_ulong CL_DEVICE_TYPE_ACCELERATOR = 1 << 3;
inline constexpr cl_ulong CL_DEVICE_TYPE_ALL = 0xFFFFFFFF;

inline constexpr cl_uint CL_PLATFORM_VERSION = 0x0901;
inline constexpr cl_uint CL_PLATFORM_NAME = 0x0902;
inline constexpr cl_uint CL_DEVICE_TYPE = 0x1000;
inline constexpr cl_uint CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002;
inline constexpr cl_uint CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS = 0x1003;
inline constexpr cl_uint CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004;
inline constexpr cl_uint CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005;
inline constexpr cl_uint CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C;
inline constexpr cl_uint CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019;
inline constexpr cl_uint CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E;
inline constexpr cl_uint CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F;
inline constexpr cl_uint CL_DEVICE_LOCAL_MEM_SIZE = 0x1023;
inline constexpr cl_uint CL_DEVICE_AVAILABLE = 0x1027;
inline constexpr cl_uint CL_DEVICE_COMPILER_AVAILABLE = 0x1028;
inline constexpr cl_uint CL_DEVICE_NAME = 0x102B;
inline constexpr cl_uint CL_DRIVER_VERSION = 0x102D;
inline constexpr cl_uint CL_DEVICE_VERSION = 0x102F;
inline constexpr cl_uint CL_DEVICE_EXTENSIONS = 0x1030;
inline constexpr cl_uint CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032;
inline constexpr cl_uint CL_DEVICE_OPENCL_C_VERSION = 0x103D;
inline constexpr cl_uint CL_DEVICE_UUID_KHR = 0x106A;
inline constexpr cl_uint CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000;
inline constexpr cl_uint CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001;
inline constexpr cl_uint CL_DEVICE_REGISTERS_PER_BLOCK_NV = 0x4002;
inline constexpr cl_uint CL_DEVICE_WARP_SIZE_NV = 0x4003;
inline constexpr cl_uint CL_DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043;

inline constexpr cl_ulong CL_QUEUE_PROFILING_ENABLE = 1 << 1;
inline constexpr cl_ulong CL_MEM_READ_WRITE = 1 << 0;
inline constexpr cl_uint CL_BUFFER_CREATE_TYPE_REGION = 0x1220;
inline constexpr cl_uint CL_PROGRAM_BINARY_SIZES = 0x1165;
inline constexpr cl_uint CL_PROGRAM_BINARIES = 0x1166;
inline constexpr cl_uint CL_PROGRAM_BUILD_LOG = 0x1183;
inline constexpr cl_uint CL_KERNEL_NUM_ARGS = 0x1191;
inline constexpr cl_uint CL_KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196;
inline constexpr cl_uint CL_KERNEL_ARG_TYPE_NAME = 0x1198;
inline constexpr cl_uint CL_KERNEL_ARG_ADDRESS_GLOBAL = 0x119B;
inline constexpr cl_uint CL_KERNEL_ARG_ADDRESS_LOCAL = 0x119C;
inline constexpr cl_uint CL_KERNEL_ARG_ADDRESS_CONSTANT = 0x119D;
inline constexpr cl_uint CL_KERNEL_WORK_GROUP_SIZE = 0x11B0;
inline constexpr cl_uint CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2;
inline constexpr cl_uint CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4;
inline constexpr cl_uint CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3;
inline constexpr cl_uint CL_PROFILING_COMMAND_START = 0x1282;
inline constexpr cl_uint CL_PROFILING_COMMAND_END = 0x1283;

struct cl_buffer_region {
  std::size_t origin, size;
};

// Member, what it is called in the library, and its type.
#define TUNER_CL_FUNCTIONS(ROW)                                                                    \
  ROW(get_platform_ids, clGetPlatformIDs, cl_int(cl_uint, cl_platform_id*, cl_uint*))              \
  ROW(get_platform_info, clGetPlatformInfo,                                                        \
      cl_int(cl_platform_id, cl_uint, std::size_t, void*, std::size_t*))                           \
  ROW(get_device_ids, clGetDeviceIDs,                                                              \
      cl_int(cl_platform_id, cl_ulong, cl_uint, cl_device_id*, cl_uint*))                          \
  ROW(get_device_info, clGetDeviceInfo,                                                            \
      cl_int(cl_device_id, cl_uint, std::size_t, void*, std::size_t*))                             \
  ROW(create_context, clCreateContext,                                                             \
      cl_context(const std::intptr_t*, cl_uint, const cl_device_id*,                               \
                 void (*)(const char*, const void*, std::size_t, void*), void*, cl_int*))          \
  ROW(release_context, clReleaseContext, cl_int(cl_context))                                       \
  ROW(create_queue, clCreateCommandQueue,                                                          \
      cl_command_queue(cl_context, cl_device_id, cl_ulong, cl_int*))                               \
  ROW(release_queue, clReleaseCommandQueue, cl_int(cl_command_queue))                              \
  ROW(finish, clFinish, cl_int(cl_command_queue))                                                  \
  ROW(create_buffer, clCreateBuffer, cl_mem(cl_context, cl_ulong, std::size_t, void*, cl_int*))    \
  ROW(create_sub_buffer, clCreateSubBuffer,                                                        \
      cl_mem(cl_mem, cl_ulong, cl_uint, const void*, cl_int*))                                     \
  ROW(release_memory, clReleaseMemObject, cl_int(cl_mem))                                          \
  ROW(write, clEnqueueWriteBuffer,                                                                 \
      cl_int(cl_command_queue, cl_mem, cl_uint, std::size_t, std::size_t, const void*, cl_uint,    \
             const cl_event*, cl_event*))                                                          \
  ROW(read, clEnqueueReadBuffer,                                                                   \
      cl_int(cl_command_queue, cl_mem, cl_uint, std::size_t, std::size_t, void*, cl_uint,          \
             const cl_event*, cl_event*))                                                          \
  ROW(copy, clEnqueueCopyBuffer,                                                                   \
      cl_int(cl_command_queue, cl_mem, cl_mem, std::size_t, std::size_t, std::size_t, cl_uint,     \
             const cl_event*, cl_event*))                                                          \
  ROW(fill, clEnqueueFillBuffer,                                                                   \
      cl_int(cl_command_queue, cl_mem, const void*, std::size_t, std::size_t, std::size_t,         \
             cl_uint, const cl_event*, cl_event*))                                                 \
  ROW(launch, clEnqueueNDRangeKernel,                                                              \
      cl_int(cl_command_queue, cl_kernel, cl_uint, const std::size_t*, const std::size_t*,         \
             const std::size_t*, cl_uint, const cl_event*, cl_event*))                             \
  ROW(create_program, clCreateProgramWithSource,                                                   \
      cl_program(cl_context, cl_uint, const char**, const std::size_t*, cl_int*))                  \
  ROW(create_program_from_binary, clCreateProgramWithBinary,                                       \
      cl_program(cl_context, cl_uint, const cl_device_id*, const std::size_t*,                     \
                 const unsigned char**, cl_int*, cl_int*))                                         \
  ROW(build_program, clBuildProgram,                                                               \
      cl_int(cl_program, cl_uint, const cl_device_id*, const char*, void (*)(cl_program, void*),   \
             void*))                                                                               \
  ROW(release_program, clReleaseProgram, cl_int(cl_program))                                       \
  ROW(get_program_info, clGetProgramInfo,                                                          \
      cl_int(cl_program, cl_uint, std::size_t, void*, std::size_t*))                               \
  ROW(get_build_info, clGetProgramBuildInfo,                                                       \
      cl_int(cl_program, cl_device_id, cl_uint, std::size_t, void*, std::size_t*))                 \
  ROW(create_kernel, clCreateKernel, cl_kernel(cl_program, const char*, cl_int*))                  \
  ROW(release_kernel, clReleaseKernel, cl_int(cl_kernel))                                          \
  ROW(get_kernel_info, clGetKernelInfo,                                                            \
      cl_int(cl_kernel, cl_uint, std::size_t, void*, std::size_t*))                                \
  ROW(get_argument_info, clGetKernelArgInfo,                                                       \
      cl_int(cl_kernel, cl_uint, cl_uint, std::size_t, void*, std::size_t*))                       \
  ROW(get_work_group_info, clGetKernelWorkGroupInfo,                                               \
      cl_int(cl_kernel, cl_device_id, cl_uint, std::size_t, void*, std::size_t*))                  \
  ROW(set_argument, clSetKernelArg, cl_int(cl_kernel, cl_uint, std::size_t, const void*))          \
  ROW(get_profiling_info, clGetEventProfilingInfo,                                                 \
      cl_int(cl_event, cl_uint, std::size_t, void*, std::size_t*))                                 \
  ROW(get_event_info, clGetEventInfo, cl_int(cl_event, cl_uint, std::size_t, void*, std::size_t*)) \
  ROW(release_event, clReleaseEvent, cl_int(cl_event))

template <typename Signature>
using ClFunction = Signature*;

struct ClApi {
#define TUNER_ROW(member, symbol, ...) ClFunction<__VA_ARGS__> member = nullptr;
  TUNER_CL_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
};

// Opened once for the process. Throws sdk::Error (TUNER_UNSUPPORTED) where it is not there or too
// old.
const ClApi& cl_api();

// The kind of a call: a failure's meaning depends on it.
enum class Phase : std::uint8_t { kCall, kLaunch, kWait };
tuner_status classify(cl_int code, Phase phase);
std::string describe(cl_int code, const char* call);
// Throws sdk::Error unless the code is CL_SUCCESS.
void check(cl_int code, const char* call, Phase phase = Phase::kCall);

// An object of OpenCL that is released with its owner.
template <typename Handle, cl_int (*ClApi::*kRelease)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) (cl_api().*kRelease)(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

using Context = Owned<cl_context, &ClApi::release_context>;
using CommandQueue = Owned<cl_command_queue, &ClApi::release_queue>;
using Memory = Owned<cl_mem, &ClApi::release_memory>;
using Program = Owned<cl_program, &ClApi::release_program>;
using Kernel = Owned<cl_kernel, &ClApi::release_kernel>;
using Event = Owned<cl_event, &ClApi::release_event>;

}  // namespace tuner::opencl
