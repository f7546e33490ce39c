#pragma once
// Makes right answers unreadable while code that is judged runs: it might look for them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tuner/base/trust.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/ports/backend.h"

namespace tuner {

class Masking {
 public:
  explicit Masking(DeviceMemory& memory) : memory_(memory) {}

  // What a guarded buffer holds, in whole words of 8 bytes: unreadable, and with the same key there
  // again.
  DeviceResult<Ok> turn(BufferId buffer, std::uint64_t bytes, std::uint64_t key);

 private:
  Fill fill_of(std::uint64_t key) const;
  bool device_can();
  DeviceResult<Ok> turn_on_host(BufferRange range, std::uint64_t words, const Fill& mask);

  DeviceMemory& memory_;
  std::uint64_t secret_ = drawn_secret();  // the half of each key that is in no answer
  std::optional<bool> device_can_;         // not tried yet
};

// A copy of a right answer on the host that is not needed any more. Kernels may be code of the
// host.
void wipe(std::span<std::byte> copy);

}  // namespace tuner
