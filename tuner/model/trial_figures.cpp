// Lists the figures of a trial.

#include "tuner/model/trial_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

namespace tuner {
namespace {

using Kind = TrialFigure::Kind;
using Column = TrialFigure::Column;
using InJson = TrialFigure::Json;

constexpr double kAlwaysKnown = std::numeric_limits<double>::quiet_NaN();

template <typename T>
double as_number(const T& value) {
  return static_cast<double>(value);
}
double as_number(const std::optional<bool>& value) { return value ? (*value ? 1 : 0) : -1; }

template <typename T>
void put(T& member, double value) {
  member = static_cast<T>(value);
}
void put(std::optional<bool>& member, double value) { member = value != 0; }

// How a figure is read from a trial, and written to it.
#define TUNER_AT(path)                                      \
  [](const Trial& trial) { return as_number(trial.path); }, \
      [](Trial& trial, double value) { put(trial.path, value); }

constexpr std::array kFigures{
    TrialFigure{"deterministic", Kind::kFlag, Column::kBeforeTiming, InJson::kIfKnown, -1,
                TUNER_AT(deterministic)},
    TrialFigure{"clock_mhz", Kind::kRounded, Column::kBeforeDevice, InJson::kIfKnown, 0,
                TUNER_AT(conditions.clock_mhz)},
    TrialFigure{"watts", Kind::kRounded, Column::kBeforeDevice, InJson::kIfKnown, 0,
                TUNER_AT(conditions.watts)},
    TrialFigure{"device_scale", Kind::kNumber, Column::kBeforeTie, InJson::kIfKnown, 0,
                TUNER_AT(device_scale)},
    TrialFigure{"registers", Kind::kWhole, Column::kBehindTie, InJson::kAlways, -1,
                TUNER_AT(resources.registers)},
    TrialFigure{"static_shared_bytes", Kind::kWhole, Column::kBehindTie, InJson::kAlways, -1,
                TUNER_AT(resources.static_shared_bytes)},
    TrialFigure{"dynamic_shared_bytes", Kind::kWhole, Column::kBehindTie, InJson::kAlways,
                kAlwaysKnown, TUNER_AT(geometry.dynamic_shared_bytes)},
    TrialFigure{"spill_bytes", Kind::kWhole, Column::kBehindTie, InJson::kAlways, -1,
                TUNER_AT(resources.spill_bytes)},
    TrialFigure{"local_bytes", Kind::kWhole, Column::kNone, InJson::kAlways, -1,
                TUNER_AT(resources.local_bytes)},
    TrialFigure{"constant_bytes", Kind::kWhole, Column::kNone, InJson::kAlways, -1,
                TUNER_AT(resources.constant_bytes)},
    TrialFigure{"occupancy", Kind::kNumber, Column::kBehindTie, InJson::kAlways, -1,
                TUNER_AT(occupancy)},
    TrialFigure{"compile_ms", Kind::kNumber, Column::kBehindTie, InJson::kAlways, kAlwaysKnown,
                TUNER_AT(compile_ms)},
    TrialFigure{"cost_seconds", Kind::kNumber, Column::kNone, InJson::kAlways, kAlwaysKnown,
                TUNER_AT(cost_seconds)},
    TrialFigure{"cache_hit", Kind::kFlag, Column::kBehindTie, InJson::kNone, kAlwaysKnown,
                TUNER_AT(cache_hit)},
    TrialFigure{"max_error", Kind::kNumber, Column::kBehindTie, InJson::kAlways, -1,
                TUNER_AT(max_error)},
};

#undef TUNER_AT

nlohmann::ordered_json json_of(const TrialFigure& figure, double value) {
  if (figure.kind == Kind::kFlag) return value != 0;
  if (figure.kind == Kind::kWhole) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

std::span<const TrialFigure> trial_figures() { return kFigures; }

bool is_known(const TrialFigure& figure, const Trial& trial) {
  const double value = figure.get(trial);
  return !std::isnan(value) && value != figure.unknown;
}

bool is_known(const TrialFigure& figure, std::span<const Trial> trials) {
  return std::ranges::any_of(trials, [&](const Trial& one) { return is_known(figure, one); });
}

std::string figure_text(const TrialFigure& figure, const Trial& trial) {
  if (!is_known(figure, trial)) return "";
  const double value = figure.get(trial);
  switch (figure.kind) {
    case Kind::kNumber:
      return fmt::format("{:.7g}", value);
    case Kind::kRounded:
      return fmt::format("{:.0f}", value);
    case Kind::kWhole:
      return std::to_string(static_cast<std::int64_t>(value));
    case Kind::kFlag:
      return value != 0 ? "true" : "false";
  }
  return "";
}

bool read_figure(const TrialFigure& figure, const std::string& text, Trial& trial) {
  if (figure.kind == Kind::kFlag) {
    figure.set(trial, text == "true" ? 1 : 0);
    return text == "true" || text == "false";
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || std::isnan(value)) return false;
  constexpr double kMostWhole = 9007199254740992.0;  // that a double holds exactly
  if (figure.kind == Kind::kWhole && std::abs(value) > kMostWhole) return false;
  figure.set(trial, value);
  return true;
}

void add_figures(nlohmann::ordered_json& to, const Trial& trial, TrialFigure::Json which) {
  for (const TrialFigure& one : kFigures) {
    if (one.json != which) continue;
    if (which == InJson::kAlways || is_known(one, trial)) {
      to[one.name] = json_of(one, one.get(trial));
    }
  }
}

}  // namespace tuner
