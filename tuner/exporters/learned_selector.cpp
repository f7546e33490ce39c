// Evaluates predictors as exported headers do (cpp/predicted.hpp).

#include "tuner/exporters/learned_selector.h"

#include <algorithm>

namespace tuner {
namespace {

constexpr std::int64_t kMostBlocks = std::int64_t{1} << 40;  // more are not told apart

}  // namespace

std::array<double, kPredictorFeatures> predictor_features(const Predictor& predictor,
                                                          std::int64_t multiprocessors,
                                                          const ProblemSize& size) {
  const std::int64_t processors = multiprocessors > 0 ? multiprocessors : 1;
  std::int64_t blocks = predictor.blocks;
  double all = 1;
  double tile = 1;
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    const std::int64_t extent = size.dims[d].second;
    const std::int64_t each = predictor.tiles[d];
    const std::int64_t count = each > 0 ? (extent + each - 1) / each : 1;
    all *= static_cast<double>(each > 0 ? count * each : extent);
    if (each <= 0) continue;
    tile *= static_cast<double>(each);
    if (blocks > 0) blocks = count > kMostBlocks / blocks ? kMostBlocks : blocks * count;
  }
  if (blocks <= 0) return {1, 0, 0, all / static_cast<double>(processors), 0, 0};
  const std::int64_t slots = predictor.resident * processors;
  const std::int64_t waves = (blocks + slots - 1) / slots;
  const std::int64_t most = (blocks + processors - 1) / processors;  // of one multiprocessor
  const double each = all / static_cast<double>(blocks);
  return {1,
          static_cast<double>(waves),
          static_cast<double>(most) * each,
          all / static_cast<double>(std::min(blocks, processors)),
          static_cast<double>(blocks),
          each / tile};
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
