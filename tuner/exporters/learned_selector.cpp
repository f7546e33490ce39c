// Evaluates predictors as exported headers do (cpp/predicted.hpp).

#include "tuner/exporters/learned_selector.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tuner {
namespace {

constexpr double kMost = 1ULL << 40;  // more are not told apart

double number_of(const Tiling& tiling, const ProblemSize& size) {
  auto count = static_cast<double>(tiling.count);
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    const std::int64_t tile = tiling.tiles[d];
    const std::int64_t needed = tile > 0 ? (size.dims[d].second + tile - 1) / tile : 1;
    count *= static_cast<double>(needed);
  }
  return std::min(count, kMost);
}

// Of whole numbers whose sum is below 2^52: then the quotient is never rounded to the next one.
double tiles_in(double extent, double tile) { return std::floor((extent + tile - 1) / tile); }

}  // namespace

std::array<double, kPredictorFeatures> predictor_features(const Predictor& predictor,
                                                          std::int64_t multiprocessors,
                                                          const ProblemSize& size) {
  const auto processors = static_cast<double>(std::max<std::int64_t>(1, multiprocessors));
  double all = 1;
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    const std::int64_t extent = size.dims[d].second;
    const std::int64_t tile = predictor.pieces.tiles[d];
    const std::int64_t filled = tile > 0 ? (extent + tile - 1) / tile * tile : extent;
    all *= static_cast<double>(filled);
  }
  const double pieces = number_of(predictor.pieces, size);
  const double blocks = number_of(predictor.blocks, size);
  if (pieces <= 0 || blocks <= 0) return {1, 0, 0, all / processors, 0, 0};
  const double piece = all / pieces;
  const double each = pieces > blocks ? piece * tiles_in(pieces, blocks) : piece;  // for a block
  return {1,
          tiles_in(blocks, static_cast<double>(predictor.resident) * processors),
          tiles_in(blocks, processors) * each,
          all / std::min(blocks, processors),
          blocks,
          each};
}

double predicted_cost(const Predictor& predictor, std::int64_t multiprocessors,
                      const ProblemSize& size) {
  const auto features = predictor_features(predictor, multiprocessors, size);
  double cost = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    cost += predictor.coefficients[i] * features[i];
  }
  return cost;
}

bool is_within(const std::vector<ExtentRange>& domain, const ProblemSize& size) {
  for (std::size_t d = 0; d < domain.size(); ++d) {
    const std::int64_t extent = size.dims[d].second;
    if (extent < domain[d].low || extent > domain[d].high) return false;
  }
  return true;
}

}  // namespace tuner
