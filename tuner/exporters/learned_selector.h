#pragma once
// Compact predictors by which an exported header chooses among its configurations, computed here as
// there: in whole numbers, so that both agree to the bit.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/model/problem_size.h"
#include "tuner/model/size_domain.h"

namespace tuner {

// What is known of a configuration's time on a device, as a function of the size: a quadratic form
// of the dimensions' logarithms, what its tiles waste, and how full its last wave of blocks is.
struct Predictor {
  std::size_t device = 0;               // in TunedTable::devices
  std::size_t configuration = 0;        // in TunedTable::configurations
  std::int64_t blocks = 0;              // of a size of one tile; 0: the grid is not made of tiles
  std::int64_t resident = 1;            // blocks that a multiprocessor holds at once
  std::vector<std::int64_t> tiles{};    // extents of a tile, by dimension; 0: none
  std::vector<std::int64_t> weights{};  // of the features
};

struct LearnedSelector {
  std::vector<ExtentRange> domain;  // sizes beyond it are not predicted
  std::vector<Predictor> predictors;
};

// 1, each dimension's logarithm, their products, the waste of each tile and of the last wave; in
// 1/256 of a power of two.
std::vector<std::int64_t> predictor_features(const Predictor& predictor,
                                             std::int64_t multiprocessors, const ProblemSize& size);

// The smaller the faster; to be compared among predictors of one device at one size.
std::int64_t predicted_score(const Predictor& predictor, std::int64_t multiprocessors,
                             const ProblemSize& size);

bool is_within(const std::vector<ExtentRange>& domain, const ProblemSize& size);

}  // namespace tuner
