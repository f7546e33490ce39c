// Writes the tables of predictors, and the domain for which they are.

#include "tuner/codegen/header_predictors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/codegen/cpp_text.h"
#include "tuner/codegen/embedded_text.h"

namespace tuner {
namespace {

template <typename Number>
std::string numbers(const std::vector<Number>& values) {
  std::string out;
  for (const Number value : values) out += fmt::format("{}{}", out.empty() ? "" : ", ", value);
  return out;
}

// The tilings that predictors have, each once, as rows of tilings[].
class TilingRows {
 public:
  // Places of the tiles in it.
  std::string places(const Tiling& tiling) {
    std::vector<std::size_t> places;
    for (std::size_t d = 0; d < tiling.tiles.size(); ++d) {
      const auto one = std::pair(d, tiling.tiles[d]);
      const auto at = std::ranges::find(rows_, one);
      places.push_back(static_cast<std::size_t>(at - rows_.begin()));
      if (at == rows_.end()) rows_.push_back(one);
    }
    return numbers(places);
  }
  std::string text() const {
    std::string out;
    for (const auto& [dimension, tile] : rows_) {
      out += fmt::format("    {{{}, {}}},\n", dimension, tile);
    }
    return out;
  }
  std::size_t count() const { return rows_.size(); }

 private:
  std::vector<std::pair<std::size_t, std::int64_t>> rows_;  // dimension, extent
};

}  // namespace

std::string header_predictors(const HeaderModel& model) {
  const LearnedSelector& learned = *model.table->learned;
  TilingRows tilings;
  std::string rows;
  for (const Predictor& one : learned.predictors) {
    rows += fmt::format("    {{{}, {}, {}, {}, {{{}}}, {{{}}}, {}, {{{}}}}},\n", one.device,
                        one.configuration, one.pieces.count, one.blocks.count,
                        tilings.places(one.pieces), tilings.places(one.blocks), one.resident,
                        numbers(one.coefficients));
  }
  std::string inside;
  std::string size;
  for (std::size_t d = 0; d < learned.domain.size(); ++d) {
    const ExtentRange& range = learned.domain[d];
    inside += fmt::format("{0}d.{1} >= {2} && d.{1} <= {3}ll", d > 0 ? " && " : "",
                          model.dims[d].name, range.low, range.high);
    size += fmt::format("{}static_cast<double>(d.{})", d > 0 ? ", " : "", model.dims[d].name);
  }
  std::string out(kPredictorsText);
  const auto fill = [&](const char* word, const std::string& text) {
    out = replaced(std::move(out), word, text);
  };
  fill("TUNER_TILINGS", tilings.text());
  fill("TUNER_TILING_COUNT", std::to_string(tilings.count()));
  fill("TUNER_PREDICTORS", rows);
  fill("TUNER_PREDICTOR_COUNT", std::to_string(learned.predictors.size()));
  fill("TUNER_DIMENSIONS", std::to_string(learned.domain.size()));
  fill("TUNER_IN_DOMAIN", inside);
  fill("TUNER_SIZE", size);
  return "namespace detail {\n" + std::string(kPredictedText) + "}  // namespace detail\n\n" + out;
}

}  // namespace tuner
