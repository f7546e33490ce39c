// Says why a device cannot run a launch.

#include "tuner/plugins/cuda/launch_check.h"

#include <cstdint>

namespace tuner::cuda {

std::string refusal(const tuner_launch& launch, const tuner_resources& kernel,
                    const tuner_device_facts& device) {
  using std::to_string;
  const char* const axes[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    if (launch.block[i] == 0 || launch.grid[i] == 0) {
      return std::string("grid and block must be at least 1 in ") + axes[i];
    }
    if (launch.block[i] > device.max_block[i]) {
      return std::string("block.") + axes[i] + " is " + to_string(launch.block[i]) +
             ", the device allows " + to_string(device.max_block[i]);
    }
    if (launch.grid[i] > device.max_grid[i]) {
      return std::string("grid.") + axes[i] + " is " + to_string(launch.grid[i]) +
             ", the device allows " + to_string(device.max_grid[i]);
    }
  }
  const std::int64_t threads = std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > device.max_threads_per_block) {
    return to_string(threads) + " threads in a block, the device allows " +
           to_string(device.max_threads_per_block);
  }
  if (kernel.max_threads >= 0 && threads > kernel.max_threads) {
    return to_string(threads) + " threads in a block, this kernel allows " +
           to_string(kernel.max_threads) + " (" + to_string(kernel.registers) +
           " registers a thread, or its launch bounds)";
  }
  const std::int64_t fixed = kernel.static_shared_bytes > 0 ? kernel.static_shared_bytes : 0;
  const auto optin = static_cast<std::uint64_t>(device.max_shared_memory_per_block_optin);
  if (launch.dynamic_shared_bytes > optin ||
      launch.dynamic_shared_bytes + static_cast<std::uint64_t>(fixed) > optin) {
    return to_string(launch.dynamic_shared_bytes) + " bytes of dynamic and " + to_string(fixed) +
           " of static shared memory, the device allows " + to_string(optin);
  }
  return {};
}

}  // namespace tuner::cuda
