// Reads a ranked CSV back.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/files/ranked_csv.h"
#include "tuner/model/trial_figures.h"
#include "tuner/resolve/membership.h"
#include "tuner/resolve/names_at.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

class RankedText {
 public:
  RankedText(const CsvTable& table, const Study& study, const DeviceFacts& device)
      : table_(table), study_(study), device_(device), members_(study) {
    for (const Parameter& parameter : study.parameters) {
      auto& values = values_.emplace_back();
      for (const Value& one : parameter.values) values.emplace(to_text(one), one);
    }
  }

  RankedResults read(std::vector<std::string>& notes) {
    RankedResults results;
    if (has_own("verified")) results.unverified = "";
    check_timing();
    if (has_own("mode")) results.timed = asked_for();
    for (std::size_t r = 1; r < table_.rows().size(); ++r) {
      Trial trial;
      const bool has_values = read_configuration(r, trial.configuration);
      results.size = size_of(r);
      if (!has_values || !is_in_study(trial.configuration, results.size)) {
        ++results.outside;
        continue;
      }
      trial.index = r - 1;
      read_trial(r, trial);
      if (!text(r, "rank").empty()) take_rank(r, results);
      results.trials.push_back(std::move(trial));
    }
    if (study_.baseline) results.baseline = baseline_among(results.trials);
    if (results.outside > 0) {
      notes.push_back(fmt::format(
          "{}: {} rows left out, the study does not have their configurations (any more)",
          table_.file(), results.outside));
    }
    return results;
  }

 private:
  TimedHow asked_for() const {
    const MeasureSpec& measure = study_.measure;
    return {measure.mode, measure.cache, measure.inputs};
  }

  // Whether the file has this column, and it is not a parameter's.
  bool has_own(std::string_view column) const {
    return table_.has(column) && std::ranges::find(study_.parameters, column, &Parameter::name) ==
                                     study_.parameters.end();
  }

  // Files without these columns were made in the usual way, or nobody knows how.
  void check_timing() const {
    const TimedHow asked = asked_for();
    const bool told = has_own("mode");
    const bool tells_inputs = has_own("inputs");
    for (std::size_t r = 1; r < table_.rows().size(); ++r) {
      const std::string mode = told ? text(r, "mode") : "stream";
      const std::string cache = told ? text(r, "cache") : "";
      const std::string inputs = tells_inputs ? text(r, "inputs") : "same";
      const bool same_cache =
          told ? cache == name_of(asked.cache) : asked.cache != CacheState::kRotate;
      const bool same_inputs = inputs == name_of(asked.inputs);
      if (mode == name_of(asked.mode) && same_cache && same_inputs) continue;
      const std::string told_cache = told ? " and 'cache: " + cache + "'" : "";
      const auto with_inputs = [&](std::string_view one) {
        return same_inputs ? "" : fmt::format(" and 'inputs: {}'", one);
      };
      table_.reject_at(
          r, 0,
          fmt::format("measured with 'mode: {}'{}{}, the study has 'mode: {}' and 'cache: "
                      "{}'{}: these do not compare",
                      mode, told_cache, with_inputs(inputs), name_of(asked.mode),
                      name_of(asked.cache), with_inputs(name_of(asked.inputs))));
    }
  }

  void take_rank(std::size_t r, RankedResults& results) {
    ++results.ranked;
    results.tied.push_back(text(r, "tie") == "true");
    if (has_own("front")) results.front.push_back(text(r, "front") == "true");
    if (table_.known(r, "speedup")) {
      const double ratio = number(r, "speedup");
      speedups_.push_back({ratio, ratio, ratio, false});
    }
    if (has_own("verified") && text(r, "verified") == "false") {
      results.unverified = "nothing verified them then";
    }
  }

  // A file contains how many times as good each row is, and no interval.
  BaselineResult baseline_among(const std::vector<Trial>& trials) const {
    BaselineResult baseline{study_.baseline->configuration};
    const auto found = std::ranges::find(trials, baseline.configuration, &Trial::configuration);
    if (found != trials.end()) {
      baseline.at = static_cast<std::size_t>(found - trials.begin());
    }
    baseline.speedups = speedups_;
    return baseline;
  }

  const std::string& text(std::size_t r, std::string_view column) const {
    if (table_.has(column)) return table_.text(r, column);
    reject(table_.file(), fmt::format("has no column '{}': it is not a ranking of {}", column,
                                      study_.kernel.name));
  }

  double number(std::size_t r, std::string_view column) const {
    text(r, column);  // is there
    return table_.number(r, column);
  }

  // Milliseconds. An import whose results are another quantity may have no times: they are 0.
  double time(std::size_t r, std::string_view column) const {
    const double value = number(r, column);
    const bool unknown = value == 0 && study_.objective.name != "time";
    if (!unknown && !is_time(value)) {
      table_.reject_at(r, column, "'" + text(r, column) + "' is no time");
    }
    return value;
  }

  std::int64_t whole(std::size_t r, std::string_view column, std::int64_t highest) const {
    const double value = number(r, column);
    if (value != std::floor(value) || value < 0 || value > static_cast<double>(highest)) {
      table_.reject_at(
          r, column,
          fmt::format("'{}' is not a whole number from 0 to {}", text(r, column), highest));
    }
    return static_cast<std::int64_t>(value);
  }

  // False where a value is not one of the study's.
  bool read_configuration(std::size_t r, Configuration& out) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto value = values_[i].find(text(r, study_.parameters[i].name));
      if (value == values_[i].end()) return false;
      out.push_back(value->second);
    }
    return true;
  }

  // Keeps the names of the last size: nearly all rows of a file are of one. The values are the
  // study's.
  bool is_in_study(const Configuration& configuration, const ProblemSize& size) {
    if (!names_ || names_size_ != size) names_.emplace(study_, device_, size);
    names_size_ = size;
    if (device_.backend != "imported") return names_->hold_constraints(configuration);
    return members_.has(configuration, names_->of(configuration), false);
  }

  ProblemSize size_of(std::size_t r) const {
    ProblemSize size;
    if (study_.sizes.empty()) return size;
    for (const auto& [name, extent] : study_.sizes.front().dims) {
      size.dims.emplace_back(name, whole(r, name, kLargestExtent));
    }
    return size;
  }

  void read_trial(std::size_t r, Trial& trial) const {
    const auto state = trial_state_named(text(r, "state"));
    if (!state) table_.reject_at(r, "state", "unknown state '" + text(r, "state") + "'");
    trial.state = *state;
    trial.message = text(r, "message");
    if (has_own("device_uuid")) trial.device_uuid = text(r, "device_uuid");
    read_figures(r, trial);
    if (!is_valid(trial)) return;
    trial.outdated = text(r, "rank").empty();
    if (has_own("limit_ms") && has_own("limit") && table_.known(r, "limit_ms")) {
      trial.limit = DeviceLimit{number(r, "limit_ms"), text(r, "limit")};
    }
    Metrics metrics;
    for (const NamedExpression& metric : study_.metrics) {
      if (table_.known(r, metric.name)) metrics.emplace_back(metric.name, number(r, metric.name));
    }
    const bool by_time = study_.objective.name == "time";
    const bool in_final = text(r, "basis") == "final";
    const double shown_ms = time(r, "time_ms");
    if (!in_final) read_search(r, shown_ms, trial.timing);
    if (in_final && !text(r, "search_ms").empty()) {
      read_search(r, time(r, "search_ms"), trial.timing);
    }
    if (!in_final) {
      trial.objective =
          SearchFigure(by_time ? trial.timing.median / 1000 : number(r, study_.objective.name));
      trial.metrics = std::move(metrics);
      return;
    }
    // Its metrics are the final's. Of the search's they are known where they are the time.
    const bool known = by_time && is_time(trial.timing.median);
    trial.objective = SearchFigure(known ? trial.timing.median / 1000 : std::nan(""));
    read_final(r, trial.final.emplace());
    trial.final->objective =
        FinalFigure(by_time ? time(r, "final_ms") / 1000 : number(r, study_.objective.name));
    trial.final->metrics = std::move(metrics);
  }

  void read_figures(std::size_t r, Trial& trial) const {
    for (const TrialFigure& one : trial_figures()) {
      const std::string* const told = has_own(one.name) ? table_.known(r, one.name) : nullptr;
      if (told == nullptr || read_figure(one, *told, trial)) continue;
      table_.reject_at(r, one.name, "'" + *told + "' is no number");
    }
  }

  void read_search(std::size_t r, double median, Timing& timing) const {
    timing.median = median;
    if (text(r, "ci_low_ms").empty()) return;  // of a finalist whose search nobody kept
    timing.ci_low = time(r, "ci_low_ms");
    timing.ci_high = time(r, "ci_high_ms");
    timing.min = time(r, "min_ms");
    // A file contains how many samples there were, not what they were.
    timing.counted = static_cast<std::uint64_t>(whole(r, "samples", kMostSamples));
  }

  // One sample for all rounds: what a file contains of finalists compares as their medians do.
  void read_final(std::size_t r, FinalResult& final) const {
    final.samples = {time(r, "final_ms")};
    final.median_ms = FinalFigure(final.samples.front());
    final.ci_low_ms = FinalFigure(time(r, "final_ci_low_ms"));
    final.ci_high_ms = FinalFigure(time(r, "final_ci_high_ms"));
  }

  // The largest whole number up to which a double is exact.
  static constexpr std::int64_t kLargestExtent = std::int64_t{1} << 53;

  const CsvTable& table_;
  const Study& study_;
  const DeviceFacts& device_;
  Membership members_;
  std::vector<std::map<std::string, Value>> values_;  // of each parameter, by their texts
  std::vector<Speedup> speedups_;                     // of the rows so far
  std::optional<NamesAt> names_{};                    // at the size of the row that was read last
  ProblemSize names_size_{};
};

}  // namespace

RankedResults read_ranked_csv(const CsvTable& table, const Study& study, const DeviceFacts& device,
                              std::vector<std::string>& notes) {
  return RankedText(table, study, device).read(notes);
}

}  // namespace tuner
