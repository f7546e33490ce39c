// Compares the best configurations with each value of a parameter.

#include "tuner/commands/what_next.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/deploy/selection.h"
#include "tuner/model/figures.h"

namespace tuner {
namespace {

constexpr double kTells = 0.01;  // a smaller difference decides nothing

// The best figure with each value of a parameter, of those that were timed in full.
using BestOfValues = std::map<Value, double>;

BestOfValues best_of_values(const RankedResults& results, std::size_t parameter,
                            const ObjectiveSpec& objective) {
  BestOfValues best;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    const Trial& trial = results.trials[i];
    const auto figure = figures_of(trial, objective).search;
    if (trial.state != TrialState::kOk || trial.outdated || !figure) continue;
    const auto [at, is_new] = best.emplace(trial.configuration[parameter], figure->value);
    if (is_new) continue;
    at->second = objective.maximize ? std::max(at->second, figure->value)
                                    : std::min(at->second, figure->value);
  }
  return best;
}

// By how much the one is worse than the other: 0.05 is 5 %.
double loss(double value, double than, bool maximize) {
  return (maximize ? than / value : value / than) - 1;
}

std::vector<double> sorted_numbers(const std::vector<Value>& values) {
  std::vector<double> numbers;
  for (const Value& one : values) {
    if (std::holds_alternative<std::string>(one) || std::holds_alternative<bool>(one)) return {};
    numbers.push_back(to_number(one));
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Goes on from the last of three numbers as the list does: by their ratio, or by their distance.
// Nothing: it does not stay above 0, as all of them are, or is no whole number, as they are.
std::optional<double> next_after(double third, double second, double last) {
  const bool is_ratio = third > 0 && last * third == second * second;
  const double next = is_ratio ? last * last / second : last + (last - second);
  const bool are_whole = std::trunc(second) == second && std::trunc(last) == last;
  if ((last > 0 && next <= 0) || (are_whole && std::trunc(next) != next)) return std::nullopt;
  return next;
}

Value like(const Value& value, double number) {
  return std::holds_alternative<std::int64_t>(value) && std::trunc(number) == number
             ? Value(static_cast<std::int64_t>(number))
             : Value(number);
}

std::optional<StudyHint> end_of_list(const Study& study, const RankedResults& results,
                                     std::size_t p, const BestOfValues& best) {
  const Configuration& winner = results.trials.front().configuration;
  const std::vector<double> numbers = sorted_numbers(study.parameters[p].values);
  const std::size_t n = numbers.size();
  if (n < 3) return std::nullopt;
  const double value = to_number(winner[p]);
  const bool is_last = value == numbers.back();
  if (!is_last && value != numbers.front()) return std::nullopt;
  const double beside = is_last ? numbers[n - 2] : numbers[1];
  const auto next = next_after(is_last ? numbers[n - 3] : numbers[2], beside, value);
  if (!next) return std::nullopt;
  const auto figure_of = [&](double number) {
    const auto at =
        std::ranges::find_if(best, [&](const auto& one) { return to_number(one.first) == number; });
    return at == best.end() ? std::optional<double>() : at->second;
  };
  const auto here = figure_of(value);
  const auto inner = figure_of(beside);
  if (!here || !inner || loss(*inner, *here, study.objective.maximize) < kTells)
    return std::nullopt;
  Configuration beyond = winner;
  beyond[p] = like(winner[p], *next);
  if (!may_launch(study, beyond, results.device, results.size)) return std::nullopt;
  return StudyHint{
      fmt::format("{0} {1} wins and is the {2} of its list: try {0} {3}", study.parameters[p].name,
                  to_text(winner[p]), is_last ? "largest" : "smallest", to_text(beyond[p])),
      false};
}

std::optional<StudyHint> no_difference(const Study& study, std::size_t p,
                                       const BestOfValues& best) {
  const Parameter& parameter = study.parameters[p];
  if (parameter.values.size() < 2 || best.size() < parameter.values.size()) return std::nullopt;
  const auto [low, high] =
      std::ranges::minmax_element(best, {}, [](const auto& one) { return one.second; });
  if (!(low->second > 0) || high->second / low->second - 1 > kTells) return std::nullopt;
  return StudyHint{parameter.name + " makes no difference: the best with each value are within 1 %",
                   true};
}

}  // namespace

std::vector<StudyHint> study_hints(const Study& study, const RankedResults& results) {
  std::vector<StudyHint> hints;
  const bool is_known =
      results.ranked > 0 && results.trials.front().configuration.size() == study.parameters.size();
  // A CUDA kernel's times on the host say nothing about a GPU.
  const bool is_of_a_host = results.device.compute_capability == 0 && !study.kernel.is_opencl() &&
                            study.kernel.subject != Subject::kCommand;
  if (!is_known || is_of_a_host) return hints;
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    const BestOfValues best = best_of_values(results, p, study.objective);
    if (auto hint = end_of_list(study, results, p, best)) hints.push_back(std::move(*hint));
    if (auto hint = no_difference(study, p, best)) hints.push_back(std::move(*hint));
  }
  return hints;
}

std::vector<std::string> hint_lines(const std::vector<std::vector<StudyHint>>& of_sizes) {
  std::vector<std::pair<StudyHint, std::size_t>> counted;
  for (const std::vector<StudyHint>& hints : of_sizes) {
    for (const StudyHint& hint : hints) {
      const auto at = std::ranges::find_if(
          counted, [&](const auto& one) { return one.first.text == hint.text; });
      if (at == counted.end()) {
        counted.emplace_back(hint, 1);
      } else {
        ++at->second;
      }
    }
  }
  std::ranges::stable_sort(counted, std::greater(), [](const auto& one) { return one.second; });
  std::vector<std::string> lines;
  for (const auto& [hint, count] : counted) {
    if (hint.needs_all && count < of_sizes.size()) continue;
    lines.push_back(count == of_sizes.size()
                        ? hint.text
                        : fmt::format("{} (at {} of {} sizes)", hint.text, count, of_sizes.size()));
  }
  return lines;
}

std::string header_command(const Study& study, const std::string& file, const std::string& where) {
  return fmt::format("tuner export {}{} --format header -o {}", file, where,
                     shell_word(study.kernel.name + "_tuned.h"));
}

}  // namespace tuner
