#pragma once
// Keeps right answers from code that is judged: it might look for them, or write into what is kept
// for comparing and restoring.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "tuner/base/trust.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/ports/backend.h"

namespace tuner {

class Masking {
 public:
  explicit Masking(DeviceMemory& memory) : memory_(memory) {}

  // Masks the contents of a guarded buffer, in whole words of 8 bytes: they become unreadable, and
  // readable again with the same key.
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

// Digests, taken on the host, of what is kept and no kernel may write into. A kernel can: a wrong
// address is enough, and then right answers look wrong.

class Seals {
 public:
  // Seals the buffer's first bytes as they are now. `what` is for messages; there is one seal of
  // each.
  DeviceResult<Ok> put(DeviceMemory& memory, const std::string& what, BufferId buffer,
                       std::uint64_t bytes);
  // Seals memory of the host, which must stay where it is.
  void put(const std::string& what, std::span<const std::byte> on_host);
  // Names sealed data that is no longer as it was, or returns nothing.
  DeviceResult<std::optional<std::string>> broken(DeviceMemory& memory) const;
  std::uint64_t bytes() const;

 private:
  struct Seal {
    BufferId buffer = 0;
    std::span<const std::byte> on_host{};  // instead of a buffer
    std::uint64_t bytes = 0;
    std::uint64_t digest = 0;
  };
  std::map<std::string, Seal> seals_;
};

}  // namespace tuner
