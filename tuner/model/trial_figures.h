#pragma once
// The figures of a trial beside its times and metrics, each described once. The ranked CSV (out and
// in), results as JSON, events and the report are made from this table; docs/contract.md and
// docs/exchange.md say what each figure means.

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tuner/model/trial.h"

namespace tuner {

struct TrialFigure {
  enum class Kind { kNumber, kRounded, kWhole, kFlag };
  // The column's place in a ranked CSV: before how launches were timed, before the device, around
  // "tie", or behind all others. Columns keep their places, so that files stay comparable: a new
  // one is kLast.
  enum class Column { kNone, kBeforeTiming, kBeforeDevice, kBeforeTie, kBehindTie, kLast };
  // Whether JSON has the figure. One that is kIfKnown has no column, either, in a ranking in which
  // no trial has it.
  enum class Json { kNone, kAlways, kIfKnown };

  const char* name;  // of the column and of the JSON member
  Kind kind;
  Column column;
  Json json;
  double unknown;  // the number that stands for "not known"; NaN: it is always known
  double (*get)(const Trial&);
  void (*set)(Trial&, double);
};

// Lists all figures in the order of their columns.
std::span<const TrialFigure> trial_figures();

bool is_known(const TrialFigure& figure, const Trial& trial);
// Whether any of these trials has it.
bool is_known(const TrialFigure& figure, std::span<const Trial> trials);

// Prints a figure as a CSV has it; empty where it is not known.
std::string figure_text(const TrialFigure& figure, const Trial& trial);

// Reads what figure_text() printed. False: that is no such figure.
bool read_figure(const TrialFigure& figure, const std::string& text, Trial& trial);

// Adds the figures of a trial to its JSON.
void add_figures(nlohmann::ordered_json& to, const Trial& trial, TrialFigure::Json which);

}  // namespace tuner
