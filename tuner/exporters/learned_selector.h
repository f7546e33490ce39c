#pragma once
// Compact predictors by which an exported header chooses among its configurations, computed here as
// there, operation by operation.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/model/problem_size.h"
#include "tuner/model/size_domain.h"

namespace tuner {

// How many there are of something at a size: `count` for each tile, of which there are as many in
// each dimension as its extent needs.
struct Tiling {
  std::int64_t count = 0;  // 0: it is not made of tiles
  std::vector<std::int64_t>
      tiles;  // extents of a tile, by dimension; 0: the dimension does not count
};

// What a configuration costs on a device, as a function of the size: a sum of parts that follow
// from how many blocks there are and how much each has to do (predictor_features).
struct Predictor {
  std::size_t device = 0;         // in TunedTable::devices
  std::size_t configuration = 0;  // in TunedTable::configurations
  Tiling pieces{};                // of work; a block takes one after the other
  Tiling blocks{};
  std::int64_t resident = 1;           // blocks that a multiprocessor holds at once
  std::vector<double> coefficients{};  // of the features, none negative
};

struct LearnedSelector {
  std::vector<ExtentRange> domain;  // sizes beyond it are not predicted
  std::vector<Predictor> predictors;
};

constexpr std::size_t kPredictorFeatures = 6;

// 1; waves of blocks; what the busiest multiprocessor has to do; what each would have if all had
// the same, but a block at least; blocks; what a block has to do. All there is to do is the product
// of the extents, filled up to whole tiles.
std::array<double, kPredictorFeatures> predictor_features(const Predictor& predictor,
                                                          std::int64_t multiprocessors,
                                                          const ProblemSize& size);

// What is expected to be the cost there: the smaller the faster.
double predicted_cost(const Predictor& predictor, std::int64_t multiprocessors,
                      const ProblemSize& size);

bool is_within(const std::vector<ExtentRange>& domain, const ProblemSize& size);

}  // namespace tuner
