// Asks platforms for devices and devices for facts.

#include "tuner/plugins/opencl/devices.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace tuner::opencl {
namespace {

// Returns the text of a query that needs two calls, for the size and for the text; empty where
// there is no answer.
template <typename Query>
std::string text_of(const Query& query) {
  std::size_t size = 0;
  if (query(0, nullptr, &size) != CL_SUCCESS || size == 0 || size > (1 << 20)) return {};
  std::string text(size, '\0');
  if (query(size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::strlen(text.c_str()));  // drivers count the zero, and some write several
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string platform_text(cl_platform_id platform, cl_uint what) {
  return text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return cl_api().get_platform_info(platform, what, size, to, needed);
  });
}

std::string device_text(cl_device_id device, cl_uint what) {
  return text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return cl_api().get_device_info(device, what, size, to, needed);
  });
}

// 0 where there is no answer.
template <typename Number>
std::int64_t number_of(cl_device_id device, cl_uint what) {
  Number number{};
  if (cl_api().get_device_info(device, what, sizeof number, &number, nullptr) != CL_SUCCESS)
    return 0;
  return static_cast<std::int64_t>(number);
}

std::uint64_t hash_of(const std::string& text) {  // FNV-1a
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

// "opencl-" and a hash of all that decides what a program is compiled to: a compile worker finds
// the device by it, and it is part of the key that binaries are kept by.
std::string arch_of(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part + '\n';
  char text[32];
  std::snprintf(text, sizeof text, "opencl-%016llx", static_cast<unsigned long long>(hash_of(all)));
  return text;
}

std::string uuid_of(cl_device_id device) {
  unsigned char bytes[16] = {};
  if (cl_api().get_device_info(device, CL_DEVICE_UUID_KHR, sizeof bytes, bytes, nullptr) !=
      CL_SUCCESS) {
    return {};
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

// Returns number_of() a property; -1 where there is no answer.
std::int64_t told(cl_device_id device, cl_uint what) {
  const std::int64_t number = number_of<cl_uint>(device, what);
  return number > 0 ? number : -1;
}

// Adds a device's limits; some drivers report by extensions what OpenCL itself does not.
void add_limits(cl_device_id device, const std::string& extensions, tuner_device_facts& facts) {
  facts.multiprocessors = number_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  facts.max_threads_per_block = number_of<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  const std::int64_t local = number_of<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  facts.max_shared_memory_per_block = local;
  facts.max_shared_memory_per_block_optin = local;
  facts.shared_memory_per_multiprocessor = local;
  facts.l2_bytes = number_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  facts.memory_bytes = number_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.clock_khz = 1000 * number_of<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  std::size_t sizes[16] = {};
  const std::int64_t dimensions = number_of<cl_uint>(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  const bool is_known =
      dimensions >= 3 && dimensions <= 16 &&
      cl_api().get_device_info(device, CL_DEVICE_MAX_WORK_ITEM_SIZES,
                               static_cast<std::size_t>(dimensions) * sizeof sizes[0], sizes,
                               nullptr) == CL_SUCCESS;
  for (int i = 0; i < 3; ++i) {
    facts.max_block[i] = is_known ? static_cast<std::int64_t>(sizes[i]) : 0;
    facts.max_grid[i] = 2147483647;
  }
  for (std::int64_t* untold :
       {&facts.warp_size, &facts.registers_per_block, &facts.registers_per_multiprocessor,
        &facts.max_threads_per_multiprocessor, &facts.max_blocks_per_multiprocessor}) {
    *untold = -1;
  }
  if (has_word(extensions, "cl_nv_device_attribute_query")) {
    const std::int64_t major = number_of<cl_uint>(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
    const std::int64_t minor = number_of<cl_uint>(device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
    facts.compute_capability = static_cast<std::int32_t>(10 * major + minor);
    facts.registers_per_block = told(device, CL_DEVICE_REGISTERS_PER_BLOCK_NV);
    facts.warp_size = told(device, CL_DEVICE_WARP_SIZE_NV);
  }
  if (has_word(extensions, "cl_amd_device_attribute_query")) {
    facts.warp_size = told(device, CL_DEVICE_WAVEFRONT_WIDTH_AMD);
  }
}

Device described(cl_platform_id platform, cl_device_id id) {
  Device device;
  device.id = id;
  device.platform = platform;
  device.type = static_cast<cl_ulong>(number_of<cl_ulong>(id, CL_DEVICE_TYPE));
  device.name = device_text(id, CL_DEVICE_NAME);
  const std::string extensions = device_text(id, CL_DEVICE_EXTENSIONS);
  device.c_version = device_text(id, CL_DEVICE_OPENCL_C_VERSION);
  device.has_doubles = number_of<cl_ulong>(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  device.has_verbose_compiler = has_word(extensions, "cl_nv_compiler_options");
  device.alignment = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(number_of<cl_uint>(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN)) / 8);
  const std::string driver = device_text(id, CL_DRIVER_VERSION);
  const std::string of_platform = platform_text(platform, CL_PLATFORM_VERSION);
  tuner_device_facts& facts = device.facts;
  facts.struct_size = sizeof facts;
  sdk::put(facts.name, device.name);
  sdk::put(facts.uuid, has_word(extensions, "cl_khr_device_uuid") ? uuid_of(id) : "");
  sdk::put(facts.driver, driver + ", " + of_platform);
  sdk::put(facts.arch, arch_of({platform_text(platform, CL_PLATFORM_NAME), of_platform, device.name,
                                device_text(id, CL_DEVICE_VERSION), device.c_version, driver}));
  add_limits(id, extensions, facts);
  device.fault = fault_in(facts);
  if (device.fault.empty() && number_of<cl_uint>(id, CL_DEVICE_AVAILABLE) == 0) {
    device.fault = "it is not available";
  }
  if (device.fault.empty() && number_of<cl_uint>(id, CL_DEVICE_COMPILER_AVAILABLE) == 0) {
    device.fault = "it has no compiler";
  }
  return device;
}

int place_of(const Device& device) {
  if ((device.type & CL_DEVICE_TYPE_GPU) != 0) return 0;
  if ((device.type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return 1;
  return (device.type & CL_DEVICE_TYPE_CPU) != 0 ? 3 : 2;
}

template <typename Handle, typename List>
std::vector<Handle> listed(const List& list) {
  cl_uint count = 0;
  if (list(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<Handle> all(count);
  if (list(count, all.data(), &count) != CL_SUCCESS) return {};
  all.resize(std::min<std::size_t>(all.size(), count));
  return all;
}

}  // namespace

bool has_word(const std::string& words, const std::string& word) {
  std::istringstream all(words);
  for (std::string one; all >> one;) {
    if (one == word) return true;
  }
  return false;
}

std::string fault_in(const tuner_device_facts& facts) {
  if (facts.name[0] == '\0') return "it has no name";
  const auto wrong = [](const char* what, std::int64_t value) {
    return value >= 1 && value <= (std::int64_t{1} << 52)
               ? std::string()
               : "it says that it has " + std::to_string(value) + " " + what;
  };
  std::string fault = wrong("compute units", facts.multiprocessors);
  if (fault.empty()) fault = wrong("work-items in a group", facts.max_threads_per_block);
  for (const std::int64_t size : facts.max_block) {
    if (fault.empty()) fault = wrong("work-items along a dimension of a group", size);
  }
  if (fault.empty()) fault = wrong("bytes of memory", facts.memory_bytes);
  return fault;
}

std::vector<Device> all_devices() {
  const ClApi& api = cl_api();
  std::vector<Device> devices;
  const auto platforms =
      listed<cl_platform_id>([&](cl_uint size, cl_platform_id* to, cl_uint* count) {
        return api.get_platform_ids(size, to, count);
      });
  if (platforms.empty()) {
    throw sdk::Error(
        TUNER_UNSUPPORTED,
        "no OpenCL platform: no driver is installed (pocl-opencl-icd is one for CPUs)");
  }
  for (cl_platform_id platform : platforms) {
    const auto ids = listed<cl_device_id>([&](cl_uint size, cl_device_id* to, cl_uint* count) {
      return api.get_device_ids(platform, CL_DEVICE_TYPE_ALL, size, to, count);
    });
    for (cl_device_id id : ids) devices.push_back(described(platform, id));
  }
  std::string faults;
  for (const Device& one : devices) {
    if (!one.fault.empty()) faults += "; '" + one.name + "' cannot be used: " + one.fault;
  }
  std::erase_if(devices, [](const Device& one) { return !one.fault.empty(); });
  if (devices.empty()) {
    throw sdk::Error(TUNER_UNSUPPORTED, "no OpenCL platform has a device" + faults);
  }
  std::stable_sort(devices.begin(), devices.end(),
                   [](const Device& a, const Device& b) { return place_of(a) < place_of(b); });
  return devices;
}

}  // namespace tuner::opencl
