#pragma once
// The devices of all platforms, and the facts that they report.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/plugins/opencl/cl_api.h"

namespace tuner::opencl {

struct Device {
  cl_device_id id = nullptr;
  cl_platform_id platform = nullptr;
  tuner_device_facts facts{};
  cl_ulong type = 0;
  std::string fault;            // why it cannot be used; empty: it can
  std::string name, c_version;  // "OpenCL C 1.2"
  bool has_doubles = false;
  bool has_verbose_compiler = false;  // tells registers in its log (cl_nv_compiler_options)
  std::uint64_t alignment = 1;        // of parts of buffers, in bytes
};

// GPUs first, CPUs last, none with a fault. Throws sdk::Error where there is none.
std::vector<Device> all_devices();

// Whether a device's extensions have this one.
bool has_word(const std::string& words, const std::string& word);

// Returns what is wrong with the facts that a device reports; empty: nothing.
std::string fault_in(const tuner_device_facts& facts);

}  // namespace tuner::opencl
