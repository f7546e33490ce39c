// Asks the driver for a device's facts.

#include "tuner/plugins/cuda/device_facts.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tuner/plugins/cuda/driver_error.h"

namespace tuner::cuda {
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
  std::string cuda = "CUDA " + std::to_string(cuda_version / 1000) + "." +
                     std::to_string(cuda_version % 1000 / 10);
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

}  // namespace tuner::cuda
