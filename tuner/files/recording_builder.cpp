// Gathers a recording entry by entry and checks it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "tuner/base/error.h"
#include "tuner/files/recording_reader.h"

namespace tuner {
namespace {

constexpr std::uint32_t kUnset = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
// Kernel Tuner writes 1e20 for "failed", older versions other times from 1e10 on.
constexpr double kFailedTime = 1e20;
constexpr double kFailedTimeFrom = 1e10;
// Ten times what the largest public spaces have, and some samples of each: what a few bytes of a
// hostile file stand for must not fill the memory.
constexpr std::size_t kMostEntries = std::size_t{1} << 22;
constexpr std::size_t kMostSamplesInAll = std::size_t{1} << 25;

std::optional<std::int64_t> whole_number(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<double>(&value)) {
    if (*d == std::floor(*d) && std::fabs(*d) < 9e15) return static_cast<std::int64_t>(*d);
  }
  return std::nullopt;
}

std::string shown(const Value& value) {
  if (const auto* s = std::get_if<std::string>(&value)) return "'" + *s + "'";
  if (const auto whole = whole_number(value)) return std::to_string(*whole);
  return std::to_string(std::get<double>(value));
}

bool is_text(const Value& value) { return std::holds_alternative<std::string>(value); }

double number_of(const Value& value) {
  if (const auto whole = whole_number(value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

}  // namespace

void RecordingBuilder::set_parameters(const std::vector<Parameter>& parameters) {
  recording_->parameters.clear();
  domains_.clear();
  for (const Parameter& parameter : parameters) {
    recording_->parameters.push_back({parameter.name, {}, {}});
    domains_.emplace_back();
    for (const Value& value : parameter.values) add_value(domains_.size() - 1, value);
  }
  positions_.assign(domains_.size(), kUnset);
  domains_known_ = true;
}

void RecordingBuilder::begin_entry(std::string label) {
  label_ = std::move(label);
  wrong_.clear();
  if (recording_->entries.size() == kMostEntries) {
    reject("is one too many: a recording may have " + std::to_string(kMostEntries));
  }
  entry_ = {};
  entry_.first_sample = recording_->samples.size();
  std::fill(positions_.begin(), positions_.end(), kUnset);
}

bool RecordingBuilder::parameter(std::string_view name, const Value& value) {
  const std::size_t p = parameter_named(name);
  if (p == kNone) return false;
  positions_[p] = position_of(p, value);
  return true;
}

std::size_t RecordingBuilder::parameter_named(std::string_view name) {
  auto& known = recording_->parameters;
  const auto at = std::ranges::find(known, name, &Parameter::name);
  if (at != known.end()) return static_cast<std::size_t>(at - known.begin());
  if (domains_known_) return kNone;
  if (!recording_->entries.empty()) {
    reject("has a parameter '" + std::string(name) + "' that earlier results do not have");
  }
  known.push_back({std::string(name), {}, {}});
  domains_.emplace_back();
  positions_.push_back(kUnset);
  return known.size() - 1;
}

std::uint32_t RecordingBuilder::position_of(std::size_t parameter, const Value& value) {
  const Domain& domain = domains_[parameter];
  if (const auto whole = whole_number(value)) {
    const auto found = domain.integers.find(*whole);
    if (found != domain.integers.end()) return found->second;
  } else {
    for (const std::uint32_t position : domain.others) {
      if (recording_->parameters[parameter].values[position] == value) return position;
    }
  }
  if (domains_known_) {
    reject("has " + recording_->parameters[parameter].name + " = " + shown(value) +
           ", which is not among the values that 'tune_params' lists");
  }
  return add_value(parameter, value);
}

std::uint32_t RecordingBuilder::add_value(std::size_t parameter, const Value& value) {
  auto& values = recording_->parameters[parameter].values;
  const auto position = static_cast<std::uint32_t>(values.size());
  if (const auto whole = whole_number(value)) {
    if (!domains_[parameter].integers.emplace(*whole, position).second) return position;
  } else {
    domains_[parameter].others.push_back(position);
  }
  values.push_back(value);
  return position;
}

bool RecordingBuilder::is_failure(double value, bool timed) {
  return !std::isfinite(value) || value == kFailedTime || (timed && value >= kFailedTimeFrom);
}

void RecordingBuilder::objective(double value) {
  if (entry_.state != TrialState::kOk) return;
  const bool timed = recording_->objective == "time";
  if (!is_failure(value, timed)) {
    if (timed && !is_time(value)) {
      wrong_ = fmt::format("has the time {}, which is not a time", value);
    }
    entry_.objective = value;
  } else {
    entry_.state = TrialState::kRuntime;
  }
}

void RecordingBuilder::quantity(const std::string& name) {
  constexpr std::size_t kShown = 30;
  if (quantities_.size() == kShown || std::ranges::count(quantities_, name) > 0) return;
  quantities_.push_back(name);
}

namespace {

void add_milliseconds(double value, double& seconds) {
  if (!(value >= 0) || value >= kFailedTimeFrom) return;  // not recorded
  seconds = (std::isnan(seconds) ? 0 : seconds) + value / 1000;
}

}  // namespace

void RecordingBuilder::compile_milliseconds(double value) {
  add_milliseconds(value, entry_.cost_seconds);
  add_milliseconds(value, entry_.compile_seconds);
}

void RecordingBuilder::benchmark_milliseconds(double value) {
  add_milliseconds(value, entry_.cost_seconds);
  add_milliseconds(value, entry_.device_seconds);
}

// The community's score, which the cost serves, does not count it.
void RecordingBuilder::verification_milliseconds(double value) {
  add_milliseconds(value, entry_.device_seconds);
}

void RecordingBuilder::sample(double milliseconds) {
  if (recording_->samples.size() == kMostSamplesInAll) {
    reject("has more samples than a recording may have, " + std::to_string(kMostSamplesInAll));
  }
  if (!is_time(milliseconds)) {
    wrong_ = fmt::format("has a sample of {} ms, which is no time", milliseconds);
  }
  recording_->samples.push_back(milliseconds);
  ++entry_.sample_count;
}

void RecordingBuilder::end_entry() {
  for (std::size_t p = 0; p < positions_.size(); ++p) {
    if (positions_[p] == kUnset) {
      reject("has no value for the parameter '" + recording_->parameters[p].name + "'");
    }
  }
  if (entry_.state == TrialState::kOk && !wrong_.empty()) reject(wrong_);
  // Neither a value nor a reason: nothing came out of it.
  if (entry_.state == TrialState::kOk && std::isnan(entry_.objective)) {
    ++lacking_;
    entry_.state = TrialState::kRuntime;
  }
  any_objective_ = any_objective_ || entry_.state == TrialState::kOk;
  if (entry_.state != TrialState::kOk) {
    entry_.objective = std::numeric_limits<double>::quiet_NaN();
  }
  recording_->entries.push_back(entry_);
  recording_->positions.insert(recording_->positions.end(), positions_.begin(), positions_.end());
}

void RecordingBuilder::require_objective() const {
  if (!any_objective_ && lacking_ > 0) {
    std::string there;
    for (const std::string& name : quantities_) there += (there.empty() ? "" : ", ") + name;
    throw InputError(
        Complaint{{recording_->name, 0, 0},
                  fmt::format("no result has '{}'; results have: {}", recording_->objective,
                              there.empty() ? "nothing else" : there),
                  did_you_mean(recording_->objective, quantities_)});
  }
}

void RecordingBuilder::finish() {
  if (!domains_known_) sort_domains();
  drop_duplicates();
}

void RecordingBuilder::sort_domains() {
  const std::size_t width = recording_->parameters.size();
  for (std::size_t p = 0; p < width; ++p) {
    auto& values = recording_->parameters[p].values;
    if (std::ranges::any_of(values, is_text)) continue;  // text keeps the order of appearance
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t v) { return number_of(values[v]); });
    std::vector<Value> sorted;
    std::vector<std::uint32_t> moved(values.size());
    for (const std::uint32_t old : order) {
      moved[old] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(values[old]);
    }
    values = std::move(sorted);
    for (std::size_t at = p; at < recording_->positions.size(); at += width) {
      recording_->positions[at] = moved[recording_->positions[at]];
    }
  }
}

void RecordingBuilder::drop_duplicates() {
  const RecordingIndex index(*recording_);
  const std::size_t count = recording_->entries.size();
  std::vector<std::size_t> latest(count, kNone);  // by the entry that the index answers with
  std::size_t doubled = 0;
  for (std::size_t e = 0; e < count; ++e) {
    std::size_t& slot = latest[*index.find(recording_->positions_of(e))];
    if (slot != kNone) ++doubled;
    slot = e;
  }
  if (doubled == 0) return;
  std::vector<RecordedTrial> entries;
  std::vector<std::uint32_t> positions;
  for (const std::size_t e : latest) {
    if (e == kNone) continue;
    entries.push_back(recording_->entries[e]);
    const auto at = recording_->positions_of(e);
    positions.insert(positions.end(), at.begin(), at.end());
  }
  recording_->entries = std::move(entries);
  recording_->positions = std::move(positions);
  recording_->notes.push_back(std::to_string(doubled) +
                              " entries repeat a configuration; the last one of each counts");
}

void RecordingBuilder::reject(const std::string& what) const {
  throw InputError(Complaint{{recording_->name, 0, 0}, label_ + " " + what, ""});
}

}  // namespace tuner
