// Measures a trial or its counters, and puts these where metrics come from.

#include "tuner/trust/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/base/stopwatch.h"
#include "tuner/model/bound.h"
#include "tuner/resolve/objective.h"

namespace tuner {
namespace {

auto named(Metrics& in, const std::string& name) {
  return std::ranges::find(in, name, [](const auto& one) { return one.first; });
}

void observe(const Study& study, Trial& trial) {
  for (const OptionValue& one : study.counters) {
    const auto counted = named(trial.counters, one.value);
    if (counted == trial.counters.end()) continue;
    std::erase_if(trial.observed, [&](const auto& known) { return known.first == one.name; });
    trial.observed.emplace_back(one.name, counted->second);
  }
}

// Whether all counters that the study asks for are there. Others may be missing: a device may have
// no figure for a pipe that was not used.
bool is_counted(const Study& study, const Trial& trial) {
  return !trial.counters.empty() &&
         std::ranges::all_of(study.counters, [&](const OptionValue& asked) {
           return std::ranges::any_of(trial.counters,
                                      [&](const auto& one) { return one.first == asked.value; });
         });
}

constexpr const char* kDuration = "gpu__time_duration.sum";  // nanoseconds

// Rescales figures per time of the profiler's range to the launch's: the range is some 50 us longer
// than the launch in it, and nothing goes on then.
Metrics by_time(Metrics read, const Trial& trial) {
  const auto duration = named(read, kDuration);
  const double ms = shown(trial).median_ms;
  if (duration == read.end() || !is_time(ms)) return read;
  const double ratio = std::max(1.0, duration->second / 1e6 / ms);
  for (auto& [name, value] : read) {
    for (const char* of_time :
         {"pct_of_peak_sustained_elapsed", ".per_second", "per_cycle_elapsed"}) {
      if (name.ends_with(of_time)) value *= ratio;
    }
  }
  return read;
}

// Whether there are any.
bool take_counters(const Study& study, const Bindings& names, const Ceilings& ceilings,
                   Metrics read, Trial& trial) {
  if (read.empty()) return false;
  trial.counters = by_time(std::move(read), trial);
  observe(study, trial);
  rescore(study, names, trial, ceilings);
  return true;
}

std::vector<std::size_t> due_of(const RankedResults& results, const Study& study) {
  std::vector<std::size_t> due;
  const bool by_final = results.ranked > 0 && results.trials[0].final;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    const Trial& trial = results.trials[i];
    const bool takes_part = by_final ? trial.final.has_value() : i == 0;
    if (takes_part && !is_counted(study, trial)) due.push_back(i);
  }
  return due;
}

}  // namespace

std::vector<std::string> counters_of(const Study& study) {
  std::vector<std::string> all = bound_counters();
  all.emplace_back(kDuration);
  for (const OptionValue& one : study.counters) {
    if (std::ranges::find(all, one.value) == all.end()) all.push_back(one.value);
  }
  return all;
}

std::optional<Trial> measure_one(MeasuringDevice& device, SizeTask task,
                                 const Configuration& configuration, const Note& no_counters) {
  const Study& study = task.study;
  const SearchSpace& space = task.space;
  const auto index = space.index_of(configuration);
  if (!index) return std::nullopt;
  const auto evaluator = device.evaluator(std::move(task));
  evaluator->submit(*index);
  std::optional<Trial> trial = evaluator->next(kNoEnd);
  if (!no_counters || !trial || !is_valid(*trial)) return trial;
  std::vector<Trial> one{*trial};
  one[0].counters.clear();
  const std::string why = evaluator->count(one, counters_of(study), kNoEnd);
  take_counters(study, space.bindings(configuration), device.facts().ceilings,
                std::move(one[0].counters), *trial);
  if (!why.empty()) no_counters("no counters: " + why);
  return trial;
}

Counted count_finalists_of(RankedResults& results, SizeEvaluator& evaluator, const Study& study,
                           const SearchSpace& space, double seconds) {
  const std::vector<std::size_t> due = due_of(results, study);
  if (due.empty()) return {};
  std::vector<Trial> wanted;
  for (const std::size_t at : due) {
    wanted.push_back(results.trials[at]);
    wanted.back().counters.clear();
  }
  const Stopwatch since;
  const std::string why = evaluator.count(wanted, counters_of(study), seconds);
  Counted counted;
  for (std::size_t i = 0; i < due.size(); ++i) {
    Trial& trial = results.trials[due[i]];
    if (take_counters(study, space.bindings(trial.configuration), results.device.ceilings,
                      std::move(wanted[i].counters), trial)) {
      counted.trials.push_back(trial);
    }
  }
  counted.note = counted.trials.empty()
                     ? "no counters: " + why
                     : fmt::format("counters of {} of {} read in {:.1f} s", counted.trials.size(),
                                   due.size(), since.seconds());
  if (!why.empty() && !counted.trials.empty()) counted.note += ", of the others not: " + why;
  return counted;
}

}  // namespace tuner
