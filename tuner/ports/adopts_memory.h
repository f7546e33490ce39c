#pragma once
// What a backend may be able to do besides: work on memory of an application in whose process it
// is.

#include <cstdint>

#include "tuner/ports/backend.h"

namespace tuner {

class AdoptsMemory {
 public:
  virtual ~AdoptsMemory() = default;
  // A buffer until it is released, which leaves the memory itself alone. `address` is what a kernel
  // is given for it.
  virtual DeviceResult<BufferId> adopt(std::uint64_t address, std::uint64_t bytes) = 0;
};

}  // namespace tuner
