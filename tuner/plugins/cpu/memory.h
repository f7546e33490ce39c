#pragma once
// The buffers of the device.

#include <cstddef>
#include <cstdint>
#include <map>

#include "tuner/plugin/sdk.h"

namespace tuner::cpu {

// The device's buffers: pages of their own, the end of the buffer (rounded up to 256 bytes) right
// before a page that must not be touched, so that far overruns end the process.
class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::uint64_t allocate(std::uint64_t bytes);  // throws sdk::Error (TUNER_OUT_OF_MEMORY)
  // Memory of somebody else, which is not freed.
  std::uint64_t adopt(std::byte* data, std::uint64_t bytes);
  void release(std::uint64_t buffer);
  // Address of the range; throws sdk::Error (TUNER_INVALID) unless the buffer holds all of it.
  std::byte* at(tuner_range range, std::uint64_t bytes) const;

 private:
  struct Buffer {
    std::byte* mapping = nullptr;  // null: somebody else's
    std::size_t mapped = 0;
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint64_t, Buffer> buffers_;
  std::uint64_t last_ = 0;
};

}  // namespace tuner::cpu
