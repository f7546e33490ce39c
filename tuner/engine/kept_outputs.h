#pragma once
// Copies of outputs, to see whether another launch leaves the same bits.

#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/guarded_memory.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

class KeptOutputs {
 public:
  // Both outlive this.
  KeptOutputs(DeviceMemory& memory, const SizePlan& plan) : memory_(memory), plan_(plan) {}
  // Keeps what these guarded buffers, one for each argument, hold now of outputs.
  DeviceResult<Ok> keep(const std::vector<BufferId>& buffers);
  // The name of an output that holds other bits now, or nothing.
  DeviceResult<std::optional<std::string>> changed(const std::vector<BufferId>& buffers);

 private:
  GuardedMemory memory_;
  const SizePlan& plan_;
  std::vector<DeviceBuffer> kept_;  // as plan_.arguments
};

}  // namespace tuner
