#pragma once
// The buffers of the device, their filling and comparing to the letter of plugin/abi.h.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "tuner/plugin/sdk.h"

namespace tuner::programs {

// The device's buffers: pages of their own, the end of the buffer (rounded up to 256 bytes) right
// before a page that must not be touched, so that far overruns end the process.
class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::uint64_t allocate(std::uint64_t bytes);  // throws sdk::Error (TUNER_OUT_OF_MEMORY)
  // Pages of their own where this address lies, as many as the buffer touches and are not there yet
  // for another such buffer. Throws sdk::Error (TUNER_INVALID) where something else is in the way.
  std::uint64_t allocate_at(std::uint64_t address, std::uint64_t bytes);
  // Memory of somebody else, which is not freed.
  std::uint64_t adopt(std::byte* data, std::uint64_t bytes);
  void release(std::uint64_t buffer);
  // Address of the range; throws sdk::Error (TUNER_INVALID) unless the buffer holds all of it.
  std::byte* at(tuner_range range, std::uint64_t bytes) const;
  std::uint64_t bytes_from(tuner_range range) const;  // to the buffer's end

 private:
  struct Buffer {
    std::byte* mapping = nullptr;  // null: somebody else's
    std::size_t mapped = 0;
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint64_t, Buffer> buffers_;
  std::set<std::uint64_t> placed_pages_;  // stay until the end: buffers may share one
  std::uint64_t last_ = 0;
};

// Elements [begin, end) of the range that starts at `data`; the fill and its type are known ones.
void fill_elements(std::byte* data, std::uint64_t begin, std::uint64_t end, const tuner_fill& how);

// Elements [begin, end); first_mismatch counts from 0.
tuner_comparison compare_elements(const std::byte* actual, const std::byte* expected,
                                  std::uint32_t type, std::uint64_t begin, std::uint64_t end,
                                  double rtol, double atol);

// The comparison of two neighbouring ranges together, `earlier` before `later`.
tuner_comparison merge(const tuner_comparison& earlier, const tuner_comparison& later);

}  // namespace tuner::programs
