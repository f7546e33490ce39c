// Opens the loader of OpenCL drivers and explains their errors.

#include "tuner/plugins/opencl/cl_api.h"

#include <dlfcn.h>

#include <map>

namespace tuner::opencl {
namespace {

ClApi opened() {
  constexpr const char* kLibrary = "libOpenCL.so.1";
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    throw sdk::Error(TUNER_UNSUPPORTED, reason == nullptr ? "libOpenCL.so.1 not found" : reason);
  }
  ClApi api;
  const auto find = [&](const char* symbol) {
    void* found = ::dlsym(library, symbol);
    if (found != nullptr) return found;
    throw sdk::Error(TUNER_UNSUPPORTED,
                     std::string(kLibrary) + " is older than OpenCL 1.2: it has no " + symbol);
  };
#define TUNER_ROW(member, symbol, ...) \
  api.member = reinterpret_cast<decltype(api.member)>(find(#symbol));
  TUNER_CL_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  return api;
}

const std::map<cl_int, const char*>& error_names() {
  static const std::map<cl_int, const char*> kNames{
      {-1, "CL_DEVICE_NOT_FOUND"},
      {-2, "CL_DEVICE_NOT_AVAILABLE"},
      {-3, "CL_COMPILER_NOT_AVAILABLE"},
      {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {-5, "CL_OUT_OF_RESOURCES"},
      {-6, "CL_OUT_OF_HOST_MEMORY"},
      {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
      {-9, "CL_IMAGE_FORMAT_MISMATCH"},
      {-11, "CL_BUILD_PROGRAM_FAILURE"},
      {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
      {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      {-30, "CL_INVALID_VALUE"},
      {-33, "CL_INVALID_DEVICE"},
      {-34, "CL_INVALID_CONTEXT"},
      {-36, "CL_INVALID_COMMAND_QUEUE"},
      {-38, "CL_INVALID_MEM_OBJECT"},
      {-42, "CL_INVALID_BINARY"},
      {-43, "CL_INVALID_BUILD_OPTIONS"},
      {-44, "CL_INVALID_PROGRAM"},
      {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
      {-46, "CL_INVALID_KERNEL_NAME"},
      {-48, "CL_INVALID_KERNEL"},
      {-49, "CL_INVALID_ARG_INDEX"},
      {-50, "CL_INVALID_ARG_VALUE"},
      {-51, "CL_INVALID_ARG_SIZE"},
      {-52, "CL_INVALID_KERNEL_ARGS"},
      {-53, "CL_INVALID_WORK_DIMENSION"},
      {-54, "CL_INVALID_WORK_GROUP_SIZE"},
      {-55, "CL_INVALID_WORK_ITEM_SIZE"},
      {-59, "CL_INVALID_OPERATION"},
      {-61, "CL_INVALID_BUFFER_SIZE"},
      {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
  };
  return kNames;
}

}  // namespace

const ClApi& cl_api() {
  static const ClApi kApi = opened();
  return kApi;
}

tuner_status classify(cl_int code, Phase phase) {
  if (code == CL_SUCCESS) return TUNER_OK;
  // A kernel that reads where it may not takes the queue with it.
  if (phase == Phase::kWait || code == CL_INVALID_COMMAND_QUEUE) return TUNER_RUNTIME_FAULT;
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
      code == CL_INVALID_BUFFER_SIZE) {
    return TUNER_OUT_OF_MEMORY;
  }
  if (phase == Phase::kLaunch) return TUNER_LAUNCH_REFUSED;
  return code == CL_OUT_OF_RESOURCES ? TUNER_OUT_OF_MEMORY : TUNER_INVALID;
}

std::string describe(cl_int code, const char* call) {
  const auto found = error_names().find(code);
  return std::string(call) + ": " +
         (found == error_names().end() ? "error " + std::to_string(code) : found->second);
}

void check(cl_int code, const char* call, Phase phase) {
  if (code != CL_SUCCESS) throw sdk::Error(classify(code, phase), describe(code, call));
}

}  // namespace tuner::opencl
