// What the fields of Kernel Tuner caches and T4 results mean.

#include <array>
#include <string_view>
#include <utility>

#include "tuner/store/recording_json.h"

namespace tuner {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Kernel Tuner's class names and T4's words alike.
TrialState failure_named(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, TrialState>, 7> kWords{
      {{"ompil", TrialState::kCompile},
       {"nvalidConfig", TrialState::kConstraints},
       {"onstraint", TrialState::kConstraints},
       {"imeout", TrialState::kTimeout},
       {"imedOut", TrialState::kTimeout},
       {"orrect", TrialState::kCorrectness},
       {"alidation", TrialState::kCorrectness}}};
  for (const auto& [word, state] : kWords) {
    if (contains(text, word)) return state;
  }
  return TrialState::kRuntime;
}

// Published files also write "miliseconds".
double milliseconds_in(std::string_view unit) {
  if (unit == "seconds") return 1e3;
  if (unit == "microseconds") return 1e-3;
  if (unit == "nanoseconds") return 1e-6;
  return 1;
}

// Not a number: NaN, which no consumer takes for a measurement.
double number_in(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

bool RecordingJson::scalar(Value value) {
  switch (section_) {
    case Section::kDevice:
      if (depth_ == 1 && std::get_if<std::string>(&value) != nullptr) {
        recording_.device = std::get<std::string>(value);
      }
      break;
    case Section::kKernel:
      if (depth_ == 1 && std::get_if<std::string>(&value) != nullptr) {
        recording_.kernel = std::get<std::string>(value);
      }
      break;
    case Section::kKeys:
      if (depth_ == 2 && std::get_if<std::string>(&value) != nullptr && !builder_.domains_known()) {
        keys_.push_back(std::get<std::string>(value));
      }
      break;
    case Section::kParameters:
      if (depth_ == 3 && !builder_.domains_known()) {
        if (domains_.empty() || domains_.back().name != key_at(2)) {
          domains_.push_back({key_at(2), {}, {}});
        }
        domains_.back().values.push_back(std::move(value));
      }
      break;
    case Section::kCache:
      if (in_entry_) cache_field(std::move(value));
      break;
    case Section::kMetadata:
      if (depth_ == 2) metadata(value);
      break;
    case Section::kResults:
      if (in_entry_) result_field(std::move(value));
      break;
    case Section::kUnknown:
      break;
  }
  return true;
}

void RecordingJson::measured(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    builder_.failed(failure_named(*text));
  } else {
    builder_.objective(number_in(value));
  }
}

void RecordingJson::cache_field(Value value) {
  const std::string& name = key_at(3);
  if (depth_ == 4) {
    if (name == "times") builder_.sample(number_in(value));
    return;
  }
  if (depth_ != 3) return;
  if (name == recording_.objective) {
    measured(value);
  } else if (name == "__error__" || name == "time") {
    // "time" tells of a failure whatever the objective is.
    if (const auto* text = std::get_if<std::string>(&value)) {
      builder_.failed(failure_named(*text));
    } else if (name == "time") {
      builder_.quantity(name);
      if (RecordingBuilder::is_failure(number_in(value), true))
        builder_.failed(TrialState::kRuntime);
    }
  } else if (name == "compile_time" || name == "benchmark_time") {
    builder_.cost_milliseconds(number_in(value));
  } else if (!builder_.parameter(name, value) && std::get_if<std::string>(&value) == nullptr) {
    builder_.quantity(name);
  }
}

void RecordingJson::result_field(Value value) {
  const auto* text = std::get_if<std::string>(&value);
  const std::string& field = key_at(3);
  if (depth_ == 3 && field == "invalidity" && text != nullptr && *text != "correct") {
    builder_.failed(failure_named(*text == "correctness" ? "incorrect" : *text));
  } else if (depth_ == 4 && field == "configuration") {
    builder_.parameter(key_at(4), value);
  } else if (field == "times" && text == nullptr) {
    const double milliseconds = number_in(value) * to_milliseconds_;
    if (depth_ == 4 && is_cost(key_at(4))) {
      builder_.cost_milliseconds(milliseconds);
    } else if (depth_ == 5 && key_at(4) == "runtimes") {
      builder_.sample(milliseconds);
    }
  } else if (depth_ == 5 && field == "measurements") {
    measurement(std::move(value));
  }
}

// Schema 1.1 renamed "compilation"; a file may have both.
bool RecordingJson::is_cost(const std::string& name) {
  if (name == "benchmark") return true;
  if (compilation_seen_ || (name != "compilation" && name != "compilation_time")) return false;
  compilation_seen_ = true;
  return true;
}

void RecordingJson::metadata(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return;
  if (key_at(2) == "device") recording_.device = *text;
  if (key_at(2) == "kernel") recording_.kernel = *text;
  if (by_itself_ && key_at(2) == "objective") recording_.objective = *text;
  if (by_itself_ && key_at(2) == "objective_direction") recording_.maximize = *text == "maximize";
  if (key_at(2) == "timeunit") to_milliseconds_ = milliseconds_in(*text);
}

void RecordingJson::measurement(Value value) {
  if (key_at(5) == "name" && std::get_if<std::string>(&value) != nullptr) {
    measurement_name_ = std::get<std::string>(value);
    builder_.quantity(measurement_name_);
  } else if (key_at(5) == "value") {
    measurement_value_ = std::move(value);
  }
}

}  // namespace tuner
