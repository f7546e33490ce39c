#pragma once
// A strategy that proposes a list, whatever the answers are.

#include <cstddef>
#include <utility>
#include <vector>

#include "tuner/ports/strategy.h"

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

}  // namespace tuner
