#pragma once
// Given configurations: their places in a space, and a strategy that proposes a list of these,
// whatever the answers are.

#include <cstddef>
#include <utility>
#include <vector>

#include "tuner/ports/strategy.h"
#include "tuner/space/search_space.h"

namespace tuner {

class ListedOnes final : public Strategy {
 public:
  explicit ListedOnes(std::vector<ConfigIndex> listed) : listed_(std::move(listed)) {}
  std::vector<ConfigIndex> ask(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count && next_ < listed_.size()) out.push_back(listed_[next_++]);
    return out;
  }
  void tell(const Observation&) override {}

 private:
  std::vector<ConfigIndex> listed_;
  std::size_t next_ = 0;
};

// The places in `space` of those that it has.
inline std::vector<ConfigIndex> indices_of(const SearchSpace& space,
                                           const std::vector<Configuration>& configurations) {
  std::vector<ConfigIndex> indices;
  for (const Configuration& one : configurations) {
    if (const auto index = space.index_of(one)) indices.push_back(*index);
  }
  return indices;
}

}  // namespace tuner
