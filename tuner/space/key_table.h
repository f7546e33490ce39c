#pragma once
// Numbers for rows of doubles.

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tuner::detail {

// Numbers rows of `width` doubles in order of first appearance. Rows are equal when their bits are.
class KeyTable {
 public:
  explicit KeyTable(std::size_t width) : width_(width), slots_(64) {}

  std::uint32_t insert(const double* row) {
    const std::uint64_t hash = hash_of(row);
    std::size_t at = (hash >> 32) & (slots_.size() - 1);
    const std::uint64_t tag = hash << 32;
    while (slots_[at] != 0) {
      const auto id = static_cast<std::uint32_t>(slots_[at]) - 1;
      if ((slots_[at] ^ tag) >> 32 == 0 && same(id, row)) return id;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = tag | (count_ + 1);
    rows_.insert(rows_.end(), row, row + width_);
    ++count_;
    if (std::size_t{count_} * 2 > slots_.size()) grow();
    return count_ - 1;
  }

  const double* row(std::size_t id) const { return rows_.data() + id * width_; }
  std::uint32_t size() const { return count_; }
  std::size_t bytes() const {
    return rows_.capacity() * sizeof(double) + slots_.capacity() * sizeof(std::uint64_t);
  }
  void drop_index() { std::vector<std::uint64_t>().swap(slots_); }

 private:
  std::uint64_t hash_of(const double* row) const {
    std::uint64_t hash = 0x243F6A8885A308D3ULL;
    for (std::size_t i = 0; i < width_; ++i) {
      hash = (std::rotl(hash, 23) ^ std::bit_cast<std::uint64_t>(row[i])) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 32;
    }
    return hash * 0xBF58476D1CE4E5B9ULL;
  }
  bool same(std::uint32_t id, const double* row) const {
    return width_ == 0 || std::memcmp(this->row(id), row, width_ * sizeof(double)) == 0;
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 4);
    old.swap(slots_);
    for (std::uint32_t id = 0; id < count_; ++id) {
      const std::uint64_t hash = hash_of(row(id));
      std::size_t at = (hash >> 32) & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = hash << 32 | (id + 1);
    }
  }

  std::size_t width_;
  std::uint32_t count_ = 0;
  std::vector<double> rows_;
  std::vector<std::uint64_t> slots_;  // low half: id + 1; high half: tag
};

}  // namespace tuner::detail
