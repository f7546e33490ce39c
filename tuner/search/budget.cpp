// Parses budgets and says when one is spent.

#include "tuner/search/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/resolve/objective.h"

namespace tuner {
namespace {

constexpr std::string_view kAllowed =
    "allowed are evaluations (500), a time (90s, 10m, 2h), target=VALUE and patience=N, joined by "
    "commas";

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> seconds_of(std::string_view text) {
  constexpr std::string_view kUnits = "smh";
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  if (unit == kUnits.npos) return std::nullopt;
  const std::optional<double> number = number_of<double>(text.substr(0, text.size() - 1));
  if (!number || !std::isfinite(*number) || *number <= 0) return std::nullopt;
  return *number * std::pow(60, unit);
}

std::optional<std::uint64_t> count_of(std::string_view text) {
  const std::optional<std::uint64_t> count = number_of<std::uint64_t>(text);
  return count && *count > 0 ? count : std::nullopt;
}

template <typename T>
std::string set_once(std::optional<T>& place, std::optional<T> value, std::string_view piece) {
  if (!value) return fmt::format("budget '{}' is not understood; {}", piece, kAllowed);
  if (place) return fmt::format("budget '{}' sets a limit that is already set", piece);
  place = std::move(value);
  return {};
}

// Empty when understood, else what is wrong.
std::string add_piece(Budget& budget, std::string_view piece) {
  constexpr std::string_view kTarget = "target=";
  constexpr std::string_view kPatience = "patience=";
  if (piece.starts_with(kTarget)) {
    std::optional<double> value = number_of<double>(piece.substr(kTarget.size()));
    if (value && !std::isfinite(*value)) value.reset();
    return set_once(budget.target, value, piece);
  }
  if (piece.starts_with(kPatience)) {
    return set_once(budget.patience, count_of(piece.substr(kPatience.size())), piece);
  }
  if (const std::optional<double> seconds = seconds_of(piece)) {
    return set_once(budget.seconds, seconds, piece);
  }
  return set_once(budget.evaluations, count_of(piece), piece);
}

}  // namespace

Expected<Budget, std::string> parse_budget(std::string_view text) {
  Budget budget;
  std::string_view rest = text;
  while (true) {
    const auto comma = rest.find(',');
    const std::string wrong = add_piece(budget, trimmed(rest.substr(0, comma)));
    if (!wrong.empty()) return Unexpected{wrong};
    if (comma == std::string_view::npos) return budget;
    rest.remove_prefix(comma + 1);
  }
}

BudgetClock::BudgetClock(const Budget& budget, const ObjectiveSpec& objective)
    : budget_(budget), objective_(objective) {}

void BudgetClock::finished(std::optional<double> objective) {
  ++finished_;
  ++since_better_;
  if (objective && (!best_ || better(objective_, *objective, *best_))) {
    best_ = objective;
    since_better_ = 0;
  }
}

std::uint64_t BudgetClock::may_submit() const {
  if (!budget_.evaluations) return std::numeric_limits<std::uint64_t>::max();
  return *budget_.evaluations - std::min(*budget_.evaluations, submitted_);
}

BudgetClock::Left BudgetClock::left(double now) const {
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  return {budget_.evaluations ? static_cast<double>(may_submit()) : kUnlimited,
          budget_.seconds ? std::max(*budget_.seconds - now, 0.0) : kUnlimited};
}

std::optional<std::string> BudgetClock::spent(double now) const {
  if (may_submit() == 0) return count_text(*budget_.evaluations, "evaluation");
  if (budget_.seconds && now >= *budget_.seconds) {
    return fmt::format("{:g} seconds", *budget_.seconds);
  }
  if (budget_.target && best_ && !better(objective_, *budget_.target, *best_)) {
    return fmt::format("the target of {:g} is reached", *budget_.target);
  }
  // Before the first valid configuration there is nothing to be better than.
  if (budget_.patience && best_ && since_better_ >= *budget_.patience) {
    return fmt::format("nothing better in {} evaluations", *budget_.patience);
  }
  return std::nullopt;
}

}  // namespace tuner
