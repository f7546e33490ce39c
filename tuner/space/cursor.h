#pragma once
// Walking the valid configurations in order.

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/diagram.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Walks the valid configurations of a space in the order of their indices, a few nanoseconds each.
// The space must outlive it. Not thread-safe; use one for each thread.
class SpaceCursor {
 public:
  // Starts at `index`; valid() is false when there is no such configuration.
  explicit SpaceCursor(const SearchSpace& space, ConfigIndex index = 0);

  bool valid() const { return valid_; }
  std::span<const std::uint32_t> positions() const { return positions_; }
  void next() {
    // Most steps only move within the last run of the fastest parameter.
    Place& fastest = places_.back();
    if (++fastest.offset < fastest.length) {
      ++positions_[fastest.parameter];
    } else {
      advance();
    }
  }

 private:
  // One level of one group's diagram; the levels of all groups in a row, the last one fastest.
  struct Place {
    const detail::Diagram* diagram = nullptr;
    std::size_t level = 0;
    std::uint32_t parameter = 0;
    std::uint32_t offset = 0;  // in the run
    std::uint32_t length = 0;
    const detail::Run* run = nullptr;
    const detail::Run* end = nullptr;  // of the node's runs
  };

  void advance();
  void enter(Place& place, std::uint32_t node);
  void set_run(Place& place, const detail::Run* run, std::uint32_t offset);

  std::vector<Place> places_;
  std::vector<std::uint32_t> positions_;
  bool valid_ = false;
};

}  // namespace tuner
