// Describes this machine in the words of a device.

#include "tuner/plugins/cpu/host_facts.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tuner/plugins/programs/host_backend.h"

namespace tuner::cpu {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The largest cache of the first core, "32768K" in sysfs; 0 when not told.
std::int64_t largest_cache_bytes() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const std::string text =
        first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    char* unit = nullptr;
    std::int64_t bytes = std::strtoll(text.c_str(), &unit, 10);
    if (*unit == 'K') bytes *= 1024;
    if (*unit == 'M') bytes *= 1024 * 1024;
    largest = std::max(largest, bytes);
  }
  return largest;
}

}  // namespace

tuner_device_facts host_facts() {
  tuner_device_facts facts = programs::host_facts();
  facts.warp_size = kWarpSize;
  facts.max_threads_per_block = kMaxThreads;
  facts.max_threads_per_multiprocessor = kMaxThreads;
  facts.max_blocks_per_multiprocessor = 1;
  facts.registers_per_block = 65536;
  facts.registers_per_multiprocessor = 65536;
  facts.max_shared_memory_per_block = static_cast<std::int64_t>(kMaxStaticSharedBytes);
  facts.max_shared_memory_per_block_optin = static_cast<std::int64_t>(kMaxSharedBytes);
  facts.shared_memory_per_multiprocessor = static_cast<std::int64_t>(kMaxSharedBytes);
  facts.l2_bytes = largest_cache_bytes();
  const std::int64_t max_block[] = {1024, 1024, 64};
  const std::int64_t max_grid[] = {2147483647, 65535, 65535};
  std::copy_n(max_block, 3, facts.max_block);
  std::copy_n(max_grid, 3, facts.max_grid);
  return facts;
}

}  // namespace tuner::cpu
