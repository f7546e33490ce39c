// Allocates and fills them.

#include "tuner/measure/repeated_bytes.h"

#include <utility>

namespace tuner {

DeviceResult<Ok> RepeatedBytes::make(unsigned char byte, std::uint64_t bytes) {
  if (find(byte, bytes)) return Ok{};
  GuardedMemory guarded(memory_);
  auto buffer = guarded.allocate_pristine(bytes);
  if (!buffer) return Unexpected{buffer.error()};
  Made& it = made_[byte];
  it = {std::move(*buffer), bytes};
  auto done = guarded.fill_bytes(it.data.id(), kGuardBytes, bytes, byte);
  if (!done) return done;
  return seals_.put(memory_, byte == 0 ? "the zeros that are kept" : "the poison that is kept",
                    it.data.id(), kGuardBytes + bytes);
}

std::optional<BufferId> RepeatedBytes::find(unsigned char byte, std::uint64_t bytes) const {
  const auto found = made_.find(byte);
  if (found == made_.end() || found->second.bytes < bytes) return std::nullopt;
  return found->second.data.id();
}

}  // namespace tuner
