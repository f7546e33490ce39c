// Opens the CUDA driver, explains its errors, creates and destroys its objects, and reads a
// device's facts.

#include "tuner/plugins/cuda/driver.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tuner/plugins/cuda/dynamic_library.h"
#include "tuner/plugins/cuda/toolkit.h"

namespace tuner::cuda {

// ---- functions ----------------------------------------------------------------------------------

namespace {

// False: this driver lacks one of them.
template <typename Function>
bool find(const DynamicLibrary& library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(library.find(symbol));
  return function != nullptr;
}

void find_graphs(const DynamicLibrary& library, DriverApi& api) {
  const bool all = find(library, api.stream_begin_capture, "cuStreamBeginCapture_v2") &&
                   find(library, api.stream_end_capture, "cuStreamEndCapture") &&
                   find(library, api.graph_destroy, "cuGraphDestroy") &&
                   find(library, api.graph_instantiate, "cuGraphInstantiateWithFlags") &&
                   find(library, api.graph_exec_destroy, "cuGraphExecDestroy") &&
                   find(library, api.graph_upload, "cuGraphUpload") &&
                   find(library, api.graph_launch, "cuGraphLaunch");
  if (!all) api.graph_launch = nullptr;
}

void find_textures(const DynamicLibrary& library, DriverApi& api) {
  find(library, api.tex_object_create, "cuTexObjectCreate");
  find(library, api.tex_object_destroy, "cuTexObjectDestroy");
  const bool all = find(library, api.surf_object_create, "cuSurfObjectCreate") &&
                   find(library, api.surf_object_destroy, "cuSurfObjectDestroy") &&
                   find(library, api.array_destroy, "cuArrayDestroy") &&
                   find(library, api.memcpy_3d_async, "cuMemcpy3DAsync_v2") &&
                   find(library, api.array_create, "cuArray3DCreate_v2");
  if (!all) api.array_create = nullptr;
}

void find_placement(const DynamicLibrary& library, DriverApi& api) {
  const bool all = find(library, api.mem_address_reserve, "cuMemAddressReserve") &&
                   find(library, api.mem_address_free, "cuMemAddressFree") &&
                   find(library, api.mem_create, "cuMemCreate") &&
                   find(library, api.mem_release, "cuMemRelease") &&
                   find(library, api.mem_map, "cuMemMap") &&
                   find(library, api.mem_unmap, "cuMemUnmap") &&
                   find(library, api.mem_set_access, "cuMemSetAccess");
  if (!all) api.mem_set_access = nullptr;
}

std::atomic<bool> unblocked{false};

// Developers have it in their shells, to find faults. The driver reads it once, in cuInit; in an
// application that has done so already it is left alone.
void unblock_launches() {
  const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (value == nullptr || DynamicLibrary::is_open("libcuda.so.1")) return;
  if (std::string_view(value) != "0") unblocked = true;
  ::unsetenv("CUDA_LAUNCH_BLOCKING");
}

}  // namespace

bool unblocked_launches() { return unblocked; }

std::string refusal_of_driver(const DriverApi& api, CUresult result, const std::string& file) {
  const auto said = [&](const std::string& what) {
    return "the driver (" + file + ") is there, but refuses to work: " + what + "; " +
           describe(api, result, "cuInit");
  };
  switch (result) {
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return said(
          "the system is not ready; where GPUs are joined by NVSwitch, as H100 and H200 "
          "boards are, nvidia-fabricmanager has to run");
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return said(
          "this library and the driver in the kernel have different versions: see "
          "/proc/driver/nvidia/version, and restart after an update");
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return said(
          "it is a library of forward compatibility, which this GPU does not support: take "
          "its folder ('compat') out of LD_LIBRARY_PATH");
    case CUDA_ERROR_STUB_LIBRARY:
      return said(
          "it is the toolkit's stub, which is for linking only: take its folder ('stubs') "
          "out of LD_LIBRARY_PATH");
    default:
      return said("nvidia-smi and the system's log may say more");
  }
}

namespace {

void start_driver(const DynamicLibrary& library) {
  DriverApi api;
  if (!find(library, api.init, "cuInit")) return;  // what is missing is told with all the others
  find(library, api.get_error_name, "cuGetErrorName");
  find(library, api.get_error_string, "cuGetErrorString");
  const CUresult started = api.init(0);
  if (started == CUDA_ERROR_NO_DEVICE) check(api, started, "cuInit");
  if (started == CUDA_SUCCESS) return;
  const std::string file = DynamicLibrary::file_of(reinterpret_cast<const void*>(api.init));
  throw sdk::Error(TUNER_DEVICE_LOST, refusal_of_driver(api, started, file));
}

}  // namespace

DriverApi load_driver() {
  unblock_launches();
  const auto library = DynamicLibrary::open_first({"libcuda.so.1"});
  start_driver(library);
  DriverApi api;
  try {
#define TUNER_ROW(member, function, symbol) \
  api.member = reinterpret_cast<decltype(api.member)>(library.require(symbol));
    TUNER_CUDA_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  } catch (const sdk::Error& error) {
    throw sdk::Error(TUNER_DEVICE_LOST, error.what());
  }
  api.func_get_param_info = reinterpret_cast<FuncGetParamInfo>(library.find("cuFuncGetParamInfo"));
  api.stream_wait_value_32 =
      reinterpret_cast<StreamWaitValue32>(library.find("cuStreamWaitValue32_v2"));
  api.tensor_map_encode_tiled =
      reinterpret_cast<TensorMapEncodeTiled>(library.find("cuTensorMapEncodeTiled"));
  api.launch_kernel_ex = reinterpret_cast<LaunchKernelEx>(library.find("cuLaunchKernelEx"));
  api.ctx_reset_persisting_l2 =
      reinterpret_cast<CtxResetPersistingL2>(library.find("cuCtxResetPersistingL2Cache"));
  find_textures(library, api);
  find_graphs(library, api);
  find_placement(library, api);
  return api;
}

// ---- errors -------------------------------------------------------------------------------------

tuner_status classify(CUresult result, Phase phase) {
  switch (result) {
    case CUDA_SUCCESS:
      return TUNER_OK;
    case CUDA_ERROR_OUT_OF_MEMORY:
      return TUNER_OUT_OF_MEMORY;
    // The kernel did it. These errors are sticky: every later call in the context fails.
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return TUNER_RUNTIME_FAULT;
    // The device failed, not the kernel.
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_EXTERNAL_DEVICE:
      return TUNER_DEVICE_LOST;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return TUNER_UNSUPPORTED;
    default:
      break;
  }
  if (phase == Phase::kLaunch) return TUNER_LAUNCH_REFUSED;
  if (phase == Phase::kWait) return TUNER_RUNTIME_FAULT;
  return TUNER_INVALID;
}

std::string describe(const DriverApi& api, CUresult result, const char* call) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.get_error_name != nullptr) api.get_error_name(result, &name);
  if (api.get_error_string != nullptr) api.get_error_string(result, &text);
  std::string out = std::string(call) + ": ";
  out += name != nullptr ? name : "error " + std::to_string(static_cast<int>(result));
  if (text != nullptr) out += std::string(" (") + text + ")";
  return out;
}

void check(const DriverApi& api, CUresult result, const char* call, Phase phase) {
  if (result == CUDA_SUCCESS) return;
  throw sdk::Error(classify(result, phase), describe(api, result, call));
}

// ---- owners -------------------------------------------------------------------------------------

DeviceMemory::DeviceMemory(const DriverApi& api, std::size_t bytes) : api_(&api), bytes_(bytes) {
  check(api, api.mem_alloc(&pointer_, bytes), "cuMemAlloc");
}

namespace {

// A device that allows one process at a time, or none, says only that it is busy or unavailable.
std::string compute_mode_text(const DriverApi& api, CUdevice device) {
  int mode = CU_COMPUTEMODE_DEFAULT;
  api.device_get_attribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device);
  if (mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS) {
    return "the device is in exclusive compute mode, and another process has it: ";
  }
  return mode == CU_COMPUTEMODE_PROHIBITED ? "the device's compute mode prohibits its use: " : "";
}

}  // namespace

PrimaryContext::PrimaryContext(const DriverApi& api, CUdevice device) : api_(api), device_(device) {
  const CUresult retained = api.primary_ctx_retain(&context_, device);
  if (retained == CUDA_ERROR_DEVICE_UNAVAILABLE) {
    throw sdk::Error(TUNER_DEVICE_LOST, compute_mode_text(api, device) +
                                            describe(api, retained, "cuDevicePrimaryCtxRetain"));
  }
  check(api, retained, "cuDevicePrimaryCtxRetain");
  const CUresult current = api.ctx_set_current(context_);
  if (current == CUDA_SUCCESS) return;
  api.primary_ctx_release(device);
  check(api, current, "cuCtxSetCurrent");
}

Stream make_stream(const DriverApi& api) {
  CUstream raw = nullptr;
  check(api, api.stream_create(&raw, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return Stream(raw, {&api});
}

Event make_event(const DriverApi& api) {
  CUevent raw = nullptr;
  check(api, api.event_create(&raw, CU_EVENT_DEFAULT), "cuEventCreate");
  return Event(raw, {&api});
}

// ---- a device -----------------------------------------------------------------------------------

namespace {

template <std::size_t N>
void copy_text(const std::string& from, char (&to)[N]) {
  std::snprintf(to, N, "%s", from.c_str());
}

std::string uuid_text(const CUuuid& uuid) {
  std::string out = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    out += digits;
  }
  return out;
}

bool is_version(const std::string& word) {
  return word.find('.') != std::string::npos &&
         word.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace

std::string driver_version_text(const std::string& proc_text, int cuda_version) {
  std::string cuda = "CUDA " + version_text(cuda_version);
  std::istringstream words(proc_text.substr(0, proc_text.find('\n')));
  for (std::string word; words >> word;) {
    if (is_version(word)) return word + " (" + cuda + ")";
  }
  return cuda;
}

tuner_device_facts device_facts(const DriverApi& api, CUdevice device, const std::string& arch) {
  tuner_device_facts facts{};
  facts.struct_size = sizeof facts;
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    check(api, api.device_get_attribute(&value, which, device), "cuDeviceGetAttribute");
    return std::int64_t{value};
  };
  check(api, api.device_get_name(facts.name, sizeof facts.name, device), "cuDeviceGetName");
  CUuuid uuid{};
  check(api, api.device_get_uuid(&uuid, device), "cuDeviceGetUuid");
  copy_text(uuid_text(uuid), facts.uuid);
  facts.compute_capability =
      static_cast<std::int32_t>(10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                                attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  copy_text(arch == "auto" ? "sm_" + std::to_string(facts.compute_capability) : arch, facts.arch);

  int version = 0;
  check(api, api.driver_get_version(&version), "cuDriverGetVersion");
  std::ostringstream proc;
  proc << std::ifstream("/proc/driver/nvidia/version").rdbuf();
  copy_text(driver_version_text(proc.str(), version), facts.driver);

  std::size_t memory = 0;
  check(api, api.device_total_mem(&memory, device), "cuDeviceTotalMem");
  facts.memory_bytes = static_cast<std::int64_t>(memory);
  facts.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  facts.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  facts.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  facts.max_threads_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  facts.max_blocks_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  facts.registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  facts.registers_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  facts.max_shared_memory_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  facts.max_shared_memory_per_block_optin =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  facts.shared_memory_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  facts.reserved_shared_memory_per_block =
      attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  facts.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  facts.clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  facts.max_block[0] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  facts.max_block[1] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  facts.max_block[2] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  facts.max_grid[0] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  facts.max_grid[1] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  facts.max_grid[2] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  return facts;
}

CUdevice device_of(const DriverApi& api, std::uint32_t number) {
  int count = 0;
  check(api, api.device_get_count(&count), "cuDeviceGetCount");
  if (number >= static_cast<std::uint32_t>(count)) {
    throw sdk::Error(TUNER_UNSUPPORTED, "there is no CUDA device " + std::to_string(number) +
                                            "; devices are counted from 0 and there are " +
                                            std::to_string(count));
  }
  CUdevice device = 0;
  check(api, api.device_get(&device, static_cast<int>(number)), "cuDeviceGet");
  return device;
}

}  // namespace tuner::cuda
