#pragma once
// Buffers of one byte again and again: what scratch and outputs are copied from before a launch.

#include <cstdint>
#include <map>
#include <optional>

#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/seals.h"
#include "tuner/ports/backend.h"

namespace tuner {

class RepeatedBytes {
 public:
  explicit RepeatedBytes(DeviceMemory& memory) : memory_(memory) {}

  // Guard words, and so many times this byte, or more.
  DeviceResult<Ok> make(unsigned char byte, std::uint64_t bytes);
  // What was made, if it suffices.
  std::optional<BufferId> find(unsigned char byte, std::uint64_t bytes) const;
  const Seals& seals() const { return seals_; }

 private:
  struct Made {
    DeviceBuffer data;
    std::uint64_t bytes = 0;
  };
  DeviceMemory& memory_;
  std::map<unsigned char, Made> made_;
  Seals seals_;
};

}  // namespace tuner
