// Shows a run: its progress, its rankings, what it came to; and writes its trace.

#include "tuner/commands/run_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "tuner/base/process_state.h"
#include "tuner/base/stopwatch.h"
#include "tuner/commands/commands.h"
#include "tuner/files/failure_report.h"
#include "tuner/files/ranked_csv.h"
#include "tuner/files/ranked_table.h"
#include "tuner/model/figures.h"
#include "tuner/model/statistics.h"

namespace tuner {

namespace {

// "3 times as fast as the baseline"; a ratio below 1 is turned round where times are meant.
std::string ratio_text(double ratio, const ObjectiveSpec& objective, const std::string& other) {
  const bool is_time = objective.name == "time";
  const bool is_slower = is_time && ratio > 0 && ratio < 0.995;
  if (is_slower) return fmt::format(", takes {:.3g} times as long as {}", 1 / ratio, other);
  const char* how = is_time ? "fast" : "good";
  if (std::abs(ratio - 1) < 0.005) return fmt::format(", as {} as {}", how, other);
  return fmt::format(", {:.3g} times as {} as {}", ratio, how, other);
}

// The search's figures compare; a final's would not.
std::string over_median(const RankedResults& results, const ObjectiveSpec& objective) {
  const auto best = figures_of(results.trials.front(), objective).search;
  std::vector<double> values;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    const auto figure = figures_of(results.trials[i], objective).search;
    if (figure) values.push_back(figure->value);
  }
  if (!best || values.size() < 2 || !(best->value > 0)) return {};
  const double middle = median(values);
  return ratio_text(objective.maximize ? best->value / middle : middle / best->value, objective,
                    fmt::format("the median of {} measured", values.size()));
}

// By the final where both took part in it, else by the search.
std::string over_baseline(const RankedResults& results, const ObjectiveSpec& objective,
                          bool by_final) {
  if (!results.baseline || results.baseline->speedups.empty()) return {};
  const Speedup& best = results.baseline->speedups.front();
  if (best.by_final != by_final) return {};
  return ratio_text(best.ratio, objective, "the baseline");
}

// Compares the best with the reference kernel, whose time is like one of the search.
std::string over_reference(const RankedResults& results, const Study& study) {
  if (!study.reference) return {};
  const Trial& best = results.trials.front();
  if (!best.reference_ms || !(best.timing.median > 0)) return ", the reference was not timed";
  return ratio_text(*best.reference_ms / best.timing.median, ObjectiveSpec(),
                    fmt::format("the reference ({:.4g} ms instead of {:.4g} ms)",
                                best.timing.median, *best.reference_ms));
}

std::string best_text(const RankedResults& results, const Study& study) {
  const ObjectiveSpec& objective = study.objective;
  const Figures figures = figures_of(results.trials.front(), objective);
  const std::string unit = objective.name == "time" ? "ms" : objective.name;
  const auto in = [&](const char* phase, const MeasuredFigure& figure) {
    return fmt::format("{:.4g} {} in the {}", figure.value, unit, phase);
  };
  std::string text = "best ";
  if (figures.final_round) {
    text += in("final", *figures.final_round) + over_baseline(results, objective, true);
  }
  if (!figures.search) return text;
  // Puts ratios that use figures of the search behind the search's own figure.
  return text + (figures.final_round ? "; " : "") + in("search", *figures.search) +
         over_baseline(results, objective, false) + over_reference(results, study) +
         over_median(results, objective);
}

constexpr const char* kRow = "{:>11} {:>9} {:>10} {:>9}{}";

// Writes the figures of one place as a row, short enough for a terminal of 80 columns.
std::string row_of(const RankedResults& results, const ObjectiveSpec& objective,
                   const std::optional<Bottleneck>& bound) {
  std::string best = "none";
  std::string baseline;
  std::string reference;
  if (results.ranked > 0) {
    const Trial& first = results.trials.front();
    const Figures figures = figures_of(first, objective);
    if (figures.search) best = fmt::format("{:.4g}", figures.search->value);
    if (figures.final_round) best = fmt::format("{:.4g}", figures.final_round->value);
    if (results.baseline && !results.baseline->speedups.empty())
      baseline = fmt::format("{:.3g}x", results.baseline->speedups.front().ratio);
    if (first.reference_ms && first.timing.median > 0)
      reference = fmt::format("{:.3g}x", *first.reference_ms / first.timing.median);
  }
  return fmt::format(fmt::runtime(kRow), best, baseline, reference,
                     fmt::format("{}/{}", results.ranked, results.trials.size()),
                     bound ? "  " + bound->by.substr(0, bound->by.find_first_of(",:")) : "");
}

// How busy each was, where there are several.
std::string each_device(const Utilization& utilization) {
  if (utilization.devices.size() < 2) return {};
  std::string text;
  for (const DeviceBusy& one : utilization.devices) {
    text += fmt::format("{} {} {:.0f} %", text.empty() ? "; busy:" : ",", text_of(one.device),
                        100 * one.share);
  }
  return text;
}

}  // namespace

// Sizes side by side end in any order.
void RunSummary::add_place(const RankedResults& results, std::string text, std::string row) {
  const auto order = [&](const ProblemSize& size) {
    return std::ranges::find(study_.sizes, size) - study_.sizes.begin();
  };
  const std::string& device = results.device.name;
  const auto at = std::ranges::find_if(places_, [&](const Place& place) {
    return place.device == device &&
           (place.size == results.size || order(place.size) > order(results.size));
  });
  if (at != places_.end() && at->size == results.size) {
    at->row = std::move(row);
    at->text = std::move(text);  // ranked anew with the winners of other sizes
    at->hints = study_hints(study_, results);
    return;
  }
  const bool is_sound = results.ranked > 0 && mostly_wrong_text(results).empty();
  places_.insert(at, {device, results.size, std::move(text), std::move(row),
                      study_hints(study_, results), is_sound});
  if (results.ranked > 0) ++valid_;
}

void RunSummary::add(const SizeOutcome& outcome) {
  const RankedResults& results = outcome.results;
  const StateCounts states = states_of(results);
  const std::string doubt = mostly_wrong_text(results);
  std::string text = doubt.empty() ? "" : doubt + "; ";
  text += results.ranked > 0 ? best_text(results, study_) : "nothing valid";
  any_sound_ = any_sound_ || (results.ranked > 0 && doubt.empty());
  any_doubt_ = any_doubt_ || !doubt.empty();
  const std::string ended = states_text(states);
  if (!ended.empty()) text += "; " + ended;
  std::optional<Bottleneck> bound;
  if (outcome.utilization) {
    bound =
        bottleneck_of(*outcome.utilization, usable_cores(), study_.search.strategy == "default");
    text +=
        "; limited by " + bound->by +
        (bound->help.empty() ? ": no setting would help" : "; what would help: " + bound->help) +
        each_device(*outcome.utilization);
  }
  add_place(results, std::move(text), row_of(results, study_.objective, bound));
  begin_ = std::min(begin_, steady_seconds() - outcome.seconds);
  seconds_ = steady_seconds() - begin_;
  any_trial_ = any_trial_ || !results.trials.empty();
  const bool cut_short =
      outcome.interrupted || !outcome.lost.empty() || outcome.store_gone || outcome.out_of_time;
  out_of_time_ = out_of_time_ || outcome.out_of_time;
  nothing_to_try_ = nothing_to_try_ || (results.trials.empty() && !cut_short);
  if (results.ranked > 0 || results.trials.empty()) return;
  const auto most = std::ranges::max_element(states);
  most_failed_ = shown_name(static_cast<TrialState>(most - states.begin()));
}

std::vector<std::string> RunSummary::hints() const {
  std::vector<std::vector<StudyHint>> all;
  for (const Place& place : places_) {
    if (place.is_sound) all.push_back(place.hints);
  }
  return hint_lines(all);
}

std::vector<std::string> RunSummary::next_steps() const {
  const std::string study = shell_word(typed_);
  const std::string where = results_ == "results" ? "" : " --results " + shell_word(results_);
  std::vector<std::string> steps;
  if (nothing_to_try_) {
    steps.push_back(fmt::format("tuner check {}  # what each constraint removes", study));
  }
  if (out_of_time_) {
    steps.push_back(
        fmt::format("tuner try {} --timeout 60  # how long one configuration takes", study));
  }
  if (!most_failed_.empty()) {
    steps.push_back(fmt::format("tuner try {}  # one configuration, to see why they end in '{}'",
                                study, most_failed_));
  }
  if (any_trial_) {
    steps.push_back(fmt::format("tuner report {}{} -o {}", study, where,
                                shell_word(study_.kernel.name + ".html")));
  }
  if (any_doubt_) {
    steps.push_back(
        fmt::format("tuner results {}{} --failures  # how most answers are wrong", study, where));
  }
  if (any_sound_) {
    steps.push_back(header_command(study_, study, where));
  }
  return steps;
}

std::vector<std::string> RunSummary::lines() const {
  std::vector<std::string> out;
  if (places_.empty()) return out;
  out.push_back(fmt::format("{} of {} have a valid configuration, after {}", valid_, places_.size(),
                            duration_text(seconds_)));
  std::size_t width = 4;
  for (const Place& place : places_) width = std::max(width, place.size.label().size());
  const std::string unit = study_.objective.name == "time" ? "ms" : study_.objective.name;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (places_.size() == 1) {
      out.push_back("  " + place.size.label() + " on " + place.device + ": " + place.text);
      continue;
    }
    if (i == 0 || places_[i - 1].device != place.device) {
      out.push_back("  on " + place.device);
      out.push_back(fmt::format("  {:{}}", "size", width) +
                    fmt::format(fmt::runtime(kRow), "best " + unit, "baseline", "reference",
                                "valid", "  limited by"));
    }
    out.push_back(fmt::format("  {:{}}", place.size.label(), width) + place.row);
  }
  out.emplace_back("next:");
  for (const std::string& hint : hints()) out.push_back("  " + hint);
  for (const std::string& step : next_steps()) out.push_back("  " + step);
  return out;
}

RunDisplay::RunDisplay(const Settings& settings, const StudyOptions& typed, Colours colours,
                       Progress& progress, TraceFile& trace)
    : settings_(settings),
      study_(settings.study),
      typed_(typed),
      progress_(progress),
      trace_(trace),
      colours_(colours),
      summary_(study_, typed_.study, settings_.results) {}

void RunDisplay::hear(const RunEvent& event) {
  progress_.hear(event, study_);
  if (event.kind == RunEvent::Kind::kRanked) print(*event.outcome);
  if (event.kind == RunEvent::Kind::kBegin) {
    in_trace_ = event.part->is_search;
    const SearchSpec& search = study_.search;
    const std::string& strategy = search.text.empty() ? search.strategy : search.text;
    if (in_trace_) trace_.begin_run(strategy, settings_.seed, event.lane);
  }
  if (event.kind == RunEvent::Kind::kTrial && in_trace_) {
    trace_.trial(*event.trial, event.seconds, event.lane);
  }
}

void RunDisplay::print(const SizeOutcome& outcome) {
  summary_.add(outcome);
  const std::vector<std::string> names = parameter_names(study_.parameters);
  constexpr std::size_t kShown = 10;
  std::cout << "\n" << ranked_table(outcome.results, names, kShown, colours_);
  if (const std::size_t more = left_out_of_table(outcome.results, kShown); more > 0) {
    std::cout << fmt::format("{} more: {} --top {}\n", more,
                             results_call(typed_, settings_.results), outcome.results.ranked);
  }
  std::cout << colours_.lines(failure_summary(
      outcome.results, names, failures_command(typed_, settings_.results), colours_));
  if (outcome.out_of_time && outcome.results.trials.empty()) {
    std::cout << colours_.lines(
                     "the time was over before the first one was done: more --budget, "
                     "or a smaller --size")
              << "\n";
  }
  if (!outcome.csv_path.empty()) std::cout << "  " << outcome.csv_path << "\n";
  std::cout.flush();
  if (!outcome.lost.empty() || outcome.store_gone) trace_.close();  // the run ends here
}

void RunDisplay::sum_up() const {
  if (progress_.programs() != nullptr) return;
  for (const std::string& line : summary_.lines()) progress_.note(line);
}

TraceFile::TraceFile(const std::string& path, bool by_time)
    : file_(path.empty() ? nullptr : std::make_unique<AtomicFile>(file_behind_links(path))),
      by_time_(by_time),
      text_("run,eval,time_s,objective,strategy,seed\n") {}

void TraceFile::begin_run(const std::string& strategy, std::uint64_t seed, std::size_t lane) {
  runs_[lane] = {begun_[strategy]++, 0, csv_field(strategy), seed};
}

void TraceFile::trial(const Trial& trial, double seconds, std::size_t lane) {
  if (!file_) return;
  Run& run = runs_[lane];
  text_ += fmt::format("{},{},{:.9g},", run.number, ++run.evaluation, seconds);
  const double value = by_time_ ? trial.timing.median : trial.objective.value();
  if (trial.state == TrialState::kOk && !std::isnan(value)) text_ += fmt::format("{:.17g}", value);
  text_ += fmt::format(",{},{}\n", run.strategy, run.seed);
}

void TraceFile::close() {
  if (!file_) return;
  file_->write(text_);
  file_->commit();
  file_.reset();
}

}  // namespace tuner
