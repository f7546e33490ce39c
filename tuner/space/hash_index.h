#pragma once
// Numbers for different things, in the order of their first appearance, found by hash.

#include <cstdint>
#include <vector>

namespace tuner::detail {

// Open addressing over the hashes alone: whoever has the things says which of them are the same.
class HashIndex {
 public:
  // The number of the thing that has this hash and of which same(number) is true. When there is
  // none, size() before the call: a new number.
  template <typename Same>
  std::uint32_t insert(std::uint64_t hash, Same same) {
    std::size_t at = slot(hash);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint32_t number = slots_[at] - 1;
      if (hashes_[number] == hash && same(number)) return number;
    }
    hashes_.push_back(hash);
    slots_[at] = size();
    if (hashes_.size() * 2 > slots_.size()) grow();
    return size() - 1;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }
  std::size_t bytes() const {
    return hashes_.capacity() * sizeof(std::uint64_t) + slots_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::size_t slot(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  void grow() {
    slots_.assign(slots_.size() * 4, 0);
    for (std::uint32_t number = 0; number < size(); ++number) {
      std::size_t at = slot(hashes_[number]);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = number + 1;
    }
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64);  // number + 1; 0 is free
};

}  // namespace tuner::detail
