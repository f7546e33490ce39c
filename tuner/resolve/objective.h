#pragma once
// Metrics and the figure that is tuned for.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// Facts that compilers report of a variant, by the names that metrics, objectives and `compiled`
// use.
inline constexpr std::array<std::string_view, 6> kCompiledNames{
    "registers",           "spill_bytes",          "occupancy",
    "static_shared_bytes", "dynamic_shared_bytes", "image_bytes"};

// `names` and those that are known of the trial. What the study calls so keeps its meaning.
Bindings with_compiled(const Bindings& names, const Trial& trial);

// The first of the study's `compiled` that does not hold, with what it says, or nothing. What
// nothing is known of rules nothing out.
std::optional<std::string> broken_by_compiled(const Study& study, const Bindings& names,
                                              const Trial& trial);
// Checks `compiled` for a trial that was compiled just now, whose occupancy nobody has computed
// yet.
std::optional<std::string> broken_by_compiled(const Study& study, const Bindings& names,
                                              Trial trial, const DeviceFacts& device);

// The study's metrics in its order; `names` are SearchSpace::bindings() of the configuration, to
// which `time` (seconds), earlier metrics, what was observed and, where watts are known, `power`
// and `energy` (joules of one launch) are added. One that fails to evaluate, or is not a finite
// number, is left out.
Metrics metrics(const Study& study, const Bindings& names, double median_ms, double watts = 0,
                const Metrics& observed = {});

// The trial's value of the study's objective, as the study names it (time in seconds); empty when
// the trial is not valid or its metric has no value.
std::optional<double> objective_of(const Study& study, const Trial& trial);

// Metrics, objective and limit of a valid trial from its median and watts. One whose objective has
// no value becomes kRuntime, one that is faster than the device can be kSuspect.
void score(const Study& study, const Bindings& names, Trial& trial, const Ceilings& ceilings = {});

// Metrics and objective of what the final found, likewise, once its samples are there.
void score_final(const Study& study, const Bindings& names, const Ceilings& ceilings, Trial& trial);

// Scores a trial of an earlier run, which may have been made for another objective: then its final
// means nothing any more. Where no ceiling is known, what was found of its limit stays.
void rescore(const Study& study, const Bindings& names, Trial& trial,
             const Ceilings& ceilings = {});

// Scores a trial that another program measured: metrics that its time does not give stay as they
// were recorded, and it may have no time.
void score_recorded(const Study& study, const Bindings& names, Trial& trial);

// Gives a stored trial the objective by what is stored with it, where no study is at hand. One that
// lacks it, or whose time is none, becomes kRuntime.
void score_stored(const ObjectiveSpec& objective, Trial& trial);

// Whether a is strictly better than b.
bool better(const ObjectiveSpec& objective, double a, double b);
bool better(const ObjectiveSpec& objective, SearchFigure a, SearchFigure b);

// Turns the objective into something to be minimised, as strategies need it.
double to_minimise(const ObjectiveSpec& objective, double value);

// A valid trial's objective as something that is proportional to the time, or to be minimised like
// it, by the search. NaN: not known any more.
SearchFigure cost_of(const ObjectiveSpec& objective, const Trial& trial);

// The trial's values of `objective` and of those beside it, likewise; infinity where a metric has
// no value. `trial` must be valid and have an objective.
std::vector<double> all_to_minimise(const ObjectiveSpec& objective, const Trial& trial);

// Which points no other one dominates, being as small in every coordinate and smaller in one (the
// Pareto front). All have as many coordinates.
std::vector<bool> front_of(const std::vector<std::vector<double>>& points);

// Whether a faster configuration always has the better objective, so that a comparison of times
// decides: the objective is the time, or a metric of time and the problem size alone.
bool faster_is_better(const Study& study, const ProblemSize& size, const DeviceFacts& device);

// Whether a configuration may be wanted that takes many times as long as the fastest.
bool slow_may_be_best(const Study& study, const ProblemSize& size, const DeviceFacts& device);

}  // namespace tuner
