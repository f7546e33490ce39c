// Evaluates predictors as exported headers do (cpp/predicted.hpp).

#include "tuner/exporters/learned_selector.h"

#include "tuner/exporters/selection.h"

namespace tuner {
namespace {

constexpr std::int64_t kCentre = 1536;                       // 2^6, where products vanish
constexpr std::int64_t kMostBlocks = std::int64_t{1} << 40;  // more are not told apart

}  // namespace

std::vector<std::int64_t> predictor_features(const Predictor& predictor,
                                             std::int64_t multiprocessors,
                                             const ProblemSize& size) {
  std::vector<std::int64_t> out{256};
  std::vector<std::int64_t> logs;
  for (const auto& [name, extent] : size.dims) logs.push_back(lg256(extent) - kCentre);
  out.insert(out.end(), logs.begin(), logs.end());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) out.push_back(logs[i] * logs[j] / 256);
  }
  std::int64_t blocks = predictor.blocks;
  for (std::size_t d = 0; d < logs.size(); ++d) {
    const std::int64_t tile = predictor.tiles[d];
    if (tile <= 0) {
      out.push_back(0);
      continue;
    }
    const std::int64_t tiles = (size.dims[d].second + tile - 1) / tile;
    out.push_back(lg256(tiles * tile) - lg256(size.dims[d].second));
    if (blocks > 0) blocks = tiles > kMostBlocks / blocks ? kMostBlocks : blocks * tiles;
  }
  const std::int64_t slots = predictor.resident * (multiprocessors > 0 ? multiprocessors : 1);
  const std::int64_t started = (blocks + slots - 1) / slots * slots;
  out.push_back(blocks > 0 ? lg256(started) - lg256(blocks) : 0);
  return out;
}

std::int64_t predicted_score(const Predictor& predictor, std::int64_t multiprocessors,
                             const ProblemSize& size) {
  const auto features = predictor_features(predictor, multiprocessors, size);
  std::int64_t score = 0;
  for (std::size_t i = 0; i < features.size(); ++i) score += predictor.weights[i] * features[i];
  return score;
}

bool is_within(const std::vector<ExtentRange>& domain, const ProblemSize& size) {
  for (std::size_t d = 0; d < domain.size(); ++d) {
    const std::int64_t extent = size.dims[d].second;
    if (extent < domain[d].low || extent > domain[d].high) return false;
  }
  return true;
}

}  // namespace tuner
