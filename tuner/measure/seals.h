#pragma once
// Digests, taken on the host, of what is kept for comparing and restoring and no kernel may write
// into. A kernel can: a wrong address is enough, and then right answers look wrong.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "tuner/ports/backend.h"

namespace tuner {

class Seals {
 public:
  // Of the buffer's first bytes as they are now. `what` is for messages; there is one seal of each.
  DeviceResult<Ok> put(DeviceMemory& memory, const std::string& what, BufferId buffer,
                       std::uint64_t bytes);
  // Of memory of the host, which stays where it is.
  void put(const std::string& what, std::span<const std::byte> on_host);
  // What is no longer as it was, or nothing.
  DeviceResult<std::optional<std::string>> broken(DeviceMemory& memory) const;
  bool has(const std::string& what) const { return seals_.contains(what); }
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
