#pragma once
// The figures measured for a trial: those of the search and those of the final, which are not to be
// compared with each other.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// Milliseconds, or the objective where that is not the time; without an interval low = high =
// value.
struct MeasuredFigure {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct Figures {
  std::optional<MeasuredFigure> search;
  std::optional<MeasuredFigure> final_round;
};

// Both empty for a trial that failed.
Figures figures_of(const Trial& trial, const ObjectiveSpec& objective);

// The one by which a trial is ranked.
std::optional<MeasuredFigure> ranking_figure(const Trial& trial, const ObjectiveSpec& objective);

}  // namespace tuner
