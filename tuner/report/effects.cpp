// Makes observations of trials.

#include "tuner/report/effects.h"

#include <algorithm>
#include <cmath>

#include "tuner/report/columns.h"
#include "tuner/report/figures.h"

namespace tuner {

Importance importance_of(const ReportSet& set) {
  std::vector<const Trial*> measured;
  Observations data;
  for (const Trial& trial : set.ranked.trials) {
    const Figures figures = figures_of(trial, set.objective);
    const auto& figure = figures.search ? figures.search : figures.final_round;
    if (!figure || !std::isfinite(figure->value) || trial.outdated) continue;
    if (trial.configuration.size() != set.parameters.size()) continue;
    measured.push_back(&trial);
    data.y.push_back(figure->value);
  }
  if (std::ranges::all_of(data.y, [](double y) { return y > 0; })) {
    for (double& y : data.y) y = std::log(y);
  }
  std::vector<std::size_t> places;  // of the parameters that have features
  for (std::size_t p = 0; p < set.parameters.size(); ++p) {
    std::vector<std::string> texts;
    texts.reserve(measured.size());
    for (const Trial* trial : measured) texts.push_back(to_text(trial->configuration[p]));
    std::vector<std::string> values;
    const std::vector<std::uint32_t> codes = codes_of(texts, values);
    if (values.size() < 2 || values.size() > 65535) continue;
    data.codes.emplace_back(codes.begin(), codes.end());
    places.push_back(p);
  }
  Importance found = permutation_importance(data);
  Importance out{std::vector<double>(set.parameters.size()), found.explained, found.rows};
  for (std::size_t i = 0; i < places.size(); ++i) out.features[places[i]] = found.features[i];
  return out;
}

}  // namespace tuner
