#pragma once
// Answers of an exported header's select(), for reports and verification: by the text that the
// header is made of.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tuner/deploy/tuned_table.h"
#include "tuner/resolve/names_at.h"

namespace tuner {

// Kinds of answers, as in the header; predicted: only in one that has predictors.
enum class Match { kExact, kNearSize, kNearDevice, kFallback, kUnsupported, kPredicted };
std::string_view name_of(Match match);

struct Selection {
  std::size_t configuration = 0;  // in TunedTable::configurations
  Match how = Match::kUnsupported;
  std::optional<std::size_t> entry;  // in TunedTable::entries
  int tier = 4;                      // 0 same device ... 3 older, 4 none
  double log2_distance_sq = 0;       // weighted
};

// Selects a configuration as the header does. The size's dimensions are in the order of the
// table's.
Selection select(const Study& study, const TunedTable& table, const DeviceFacts& device,
                 const ProblemSize& size);

// select() again and again at one size of one device, of a table whose weights and predictors
// change in between: what follows from its configurations and entries, which do not, is found out
// once. Study, table, device and size must outlive it.
class Selector {
 public:
  Selector(const Study& study, const TunedTable& table, const DeviceFacts& device,
           const ProblemSize& size);
  Selection choose();

  struct Known {
    NamesAt names;
    std::vector<std::optional<bool>> serves;  // by configuration, once it is asked for
    std::vector<std::int64_t> squares{};  // SizeDistance::add_squares() of all entries, likewise
  };

 private:
  const Study& study_;
  const TunedTable& table_;
  const DeviceFacts& device_;
  const ProblemSize& size_;
  Known known_;
};

// Constraints and the launch limits of CUDA: the header's valid().
bool may_launch(const Study& study, const Configuration& configuration, const DeviceFacts& device,
                const ProblemSize& size);
// The same, of many configurations at a size of the device.
bool may_launch(const Study& study, NamesAt& names, const Configuration& configuration,
                const DeviceFacts& device);

// Returns the terms of a configuration's cost at a size on a device, as many as coefficients: in
// cpp/predicted.hpp the parts are factors of them.
std::vector<double> predictor_features(const Predictor& predictor, std::int64_t multiprocessors,
                                       const ProblemSize& size);
constexpr std::size_t kWorkOfBlock = 5;  // of these

// The fixed-point logarithm of exported headers: 256 * log2(x), linear between powers of two; 0 for
// x < 1.
int lg256(long long x);

// How far two problem sizes are apart: over the dimensions, the sum of the weight times the squared
// log2 of the ratio. In whole numbers, so that tuner and exported header agree to the bit.
class SizeDistance {
 public:
  // One weight for each dimension, in the order of the sizes'; empty: all are 1.
  explicit SizeDistance(const std::vector<double>& weights);

  std::int64_t between(const ProblemSize& a, const ProblemSize& b) const;
  // Adds (256 * log2 of the ratio) squared of each dimension: the distance without its weights.
  static void add_squares(const ProblemSize& a, const ProblemSize& b,
                          std::vector<std::int64_t>& out);
  std::int64_t of_squares(std::span<const std::int64_t> squares) const;
  // Converts a distance to squared log2.
  double log2_sq(std::int64_t distance) const { return static_cast<double>(distance) * unit_; }

  // Returns the factor of a dimension, by which (256 * log2 of the ratio) squared is multiplied.
  std::int64_t factor(std::size_t dimension) const {
    return dimension < factors_.size() ? factors_[dimension] : 1;
  }
  double unit() const { return unit_; }

 private:
  std::vector<std::int64_t> factors_;
  double unit_ = 1.0 / 65536;
};

}  // namespace tuner
