// Reads Kernel Tuner caches and T4 results, one after the other: the files are large.

#include "tuner/files/recording_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/archives.h"
#include "tuner/base/error.h"
#include "tuner/files/json_events.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

// ---- the words of the formats

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
    if (text.find(word) != std::string_view::npos) return state;
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

// Nothing: an object or array.
std::optional<Value> value_in(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>();
  const bool is_large = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
  if (json.is_number_integer() && !is_large) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return std::nullopt;
}

const std::string* text_in(const Json& json) { return json.get_ptr<const std::string*>(); }

// Not a number: NaN, which no consumer takes for a measurement.
double number_in(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

// ---- the reader

class RecordingReader : public JsonListener {
 public:
  // `by_itself`: whether the file may say what its objective is.
  RecordingReader(Recording& recording, const std::string& text, bool by_itself)
      : recording_(recording), text_(text), by_itself_(by_itself) {}

  // One pass over the text. A cache that stands before the lists of parameters is left out in the
  // first pass and read by a second one.
  void read();

  bool is_list(const std::string& member) override;
  void item(const std::string& name, const Json& value) override;
  void member(const std::string& name, const Json& value) override;

 private:
  void walk();
  void cache_entry(const Json& entry);
  void result(const Json& entry);
  void times(const Json& times);
  void metadata(const std::string& name, const Json& value);
  void size(const Json& value);
  void define_parameters();
  void measured(const Json& value);

  Recording& recording_;
  const std::string& text_;
  bool by_itself_;
  RecordingBuilder builder_{recording_};
  std::vector<std::string> keys_;  // tune_params_keys
  std::vector<Parameter> domains_;
  bool is_cache_ = false;  // what is read; else it is results
  bool cache_came_first_ = false;
  bool seen_results_ = false;
  std::size_t results_ = 0;
  double to_milliseconds_ = 1;  // T4's unit of time
};

// ---- the way through the file: sections, entries, an early end

void RecordingReader::read() {
  walk();
  if (cache_came_first_) {
    if (keys_.empty()) {
      reject(recording_.name, "'tune_params_keys' is missing");
    }
    cache_came_first_ = false;
    define_parameters();
    walk();
  }
  if (!seen_results_) {
    reject(recording_.name,
           "is not a recording: it has neither 'cache' (Kernel Tuner) nor "
           "'results' (T4)");
  }
  builder_.finish();
  builder_.require_objective();
}

void RecordingReader::walk() {
  const auto end = read_json_events(text_, recording_.name, *this);
  if (!end) return;
  const bool is_torn = end->in_item && !cache_came_first_;
  if (recording_.entries.empty() && !cache_came_first_) {
    throw InputError(Complaint{end->where, "ends before the first complete result", ""});
  }
  recording_.notes.push_back(
      "the file ends early, as one that is still being written does" +
      std::string(is_torn ? "; its last entry is incomplete and left out" : ""));
}

bool RecordingReader::is_list(const std::string& member) {
  is_cache_ = member == "cache";
  if (!is_cache_ && member != "results") return false;
  seen_results_ = true;
  if (!is_cache_ || builder_.domains_known()) return true;
  cache_came_first_ = keys_.empty() || domains_.empty();
  if (!cache_came_first_) define_parameters();
  return true;
}

void RecordingReader::item(const std::string& name, const Json& value) {
  if (cache_came_first_ || !value.is_structured()) return;
  ++results_;
  builder_.begin_entry(is_cache_ ? "the entry '" + name + "'"
                                 : "result " + std::to_string(results_));
  is_cache_ ? cache_entry(value) : result(value);
  builder_.end_entry();
}

void RecordingReader::define_parameters() {
  std::vector<Parameter> ordered;
  for (const std::string& name : keys_) {
    const auto found = std::ranges::find(domains_, name, &Parameter::name);
    if (found == domains_.end()) {
      reject(recording_.name,
             "'tune_params' lists no values for '" + name + "', which 'tune_params_keys' names");
    }
    ordered.push_back(*found);
  }
  builder_.set_parameters(ordered);
}

// ---- what the fields mean

void RecordingReader::member(const std::string& name, const Json& value) {
  const std::string* text = text_in(value);
  if (name == "device_name" && text != nullptr) recording_.device = *text;
  if (name == "kernel_name" && text != nullptr) recording_.kernel = *text;
  if (name == "problem_size") size(value);
  if (name == "metadata" && value.is_object()) {
    for (const auto& [field, said] : value.items()) metadata(field, said);
  }
  if (builder_.domains_known() || !value.is_structured()) return;
  if (name == "tune_params_keys") {
    for (const Json& key : value) {
      if (text_in(key) != nullptr) keys_.push_back(*text_in(key));
    }
  }
  if (name != "tune_params") return;
  for (const auto& [parameter, values] : value.items()) {
    if (!values.is_structured()) continue;
    Parameter domain{parameter, {}, {}};
    for (const Json& one : values) {
      if (auto known = value_in(one)) domain.values.push_back(std::move(*known));
    }
    if (!domain.values.empty()) domains_.push_back(std::move(domain));
  }
}

// One extent, or a list or map of them.
void RecordingReader::size(const Json& value) {
  constexpr std::size_t kMost = 64;
  recording_.problem_size.clear();
  const auto add = [&](const std::string& name, const Json& extent) {
    auto known = value_in(extent);
    if (!known || recording_.problem_size.size() == kMost) return;
    recording_.problem_size.emplace_back(name, std::move(*known));
  };
  if (!value.is_structured()) add("", value);
  if (!value.is_structured()) return;
  for (const auto& [name, extent] : value.items()) add(value.is_object() ? name : "", extent);
}

void RecordingReader::measured(const Json& value) {
  if (const std::string* text = text_in(value)) {
    builder_.failed(failure_named(*text));
  } else {
    builder_.objective(number_in(value));
  }
}

void RecordingReader::cache_entry(const Json& entry) {
  for (const auto& [name, value] : entry.items()) {
    if (value.is_structured()) {
      if (name != "times") continue;
      for (const Json& one : value) {
        if (!one.is_structured()) builder_.sample(number_in(one));
      }
      continue;
    }
    const std::string* text = text_in(value);
    if (name == recording_.objective) {
      measured(value);
    } else if (name == "__error__" || name == "time") {
      // "time" shows a failure whatever the objective is.
      if (text != nullptr) {
        builder_.failed(failure_named(*text));
      } else if (name == "time") {
        builder_.quantity(name);
        if (RecordingBuilder::is_failure(number_in(value), true))
          builder_.failed(TrialState::kRuntime);
      }
    } else if (name == "compile_time") {
      builder_.compile_milliseconds(number_in(value));
    } else if (name == "benchmark_time") {
      builder_.benchmark_milliseconds(number_in(value));
    } else if (name == "verification_time") {
      builder_.verification_milliseconds(number_in(value));
    } else if (!builder_.parameter(name, *value_in(value)) && text == nullptr) {
      builder_.quantity(name);
    }
  }
}

void RecordingReader::result(const Json& entry) {
  for (const auto& [field, value] : entry.items()) {
    const std::string* text = text_in(value);
    if (field == "invalidity" && text != nullptr && *text != "correct") {
      builder_.failed(failure_named(*text == "correctness" ? "incorrect" : *text));
    }
    if (!value.is_structured()) continue;
    if (field == "times") times(value);
    if (field == "configuration") {
      for (const auto& [name, chosen] : value.items()) {
        if (!chosen.is_structured()) builder_.parameter(name, *value_in(chosen));
      }
    }
    if (field != "measurements") continue;
    for (const Json& measurement : value) {
      const auto name = measurement.find("name");
      const auto figure = measurement.find("value");
      if (name == measurement.end() || text_in(*name) == nullptr) continue;
      builder_.quantity(*text_in(*name));
      if (*text_in(*name) == recording_.objective && figure != measurement.end()) measured(*figure);
    }
  }
}

void RecordingReader::times(const Json& times) {
  bool compilation_seen = false;
  for (const auto& [name, value] : times.items()) {
    const double milliseconds = number_in(value) * to_milliseconds_;
    if (name == "runtimes" && value.is_structured()) {
      for (const Json& one : value) {
        if (one.is_number()) builder_.sample(one.get<double>() * to_milliseconds_);
      }
    } else if (!value.is_number()) {
      continue;
    } else if (name == "benchmark") {
      builder_.benchmark_milliseconds(milliseconds);
    } else if (name == "validation") {
      builder_.verification_milliseconds(milliseconds);
    } else if (!compilation_seen && (name == "compilation" || name == "compilation_time")) {
      compilation_seen = true;  // schema 1.1 renamed "compilation"; a file may have both
      builder_.compile_milliseconds(milliseconds);
    }
  }
}

void RecordingReader::metadata(const std::string& name, const Json& value) {
  if (name == "problem_size") size(value);
  const std::string* text = text_in(value);
  if (text == nullptr) return;
  if (name == "device") recording_.device = *text;
  if (name == "kernel") recording_.kernel = *text;
  if (by_itself_ && name == "objective") recording_.objective = *text;
  if (by_itself_ && name == "objective_direction") recording_.maximize = *text == "maximize";
  if (name == "timeunit") to_milliseconds_ = milliseconds_in(*text);
}

std::string stem_of(const std::filesystem::path& path) {
  std::filesystem::path stem = path.filename();
  for (const char* ending : {".gz", ".json", ".T4", ".t4"}) {
    if (stem.extension() == ending) stem = stem.stem();
  }
  return stem.string();
}

}  // namespace

Recording parse_recording(std::string text, const std::string& name, const std::string& objective) {
  repair_json(text);
  Recording recording;
  recording.name = name;
  if (!objective.empty()) recording.objective = objective;
  RecordingReader(recording, text, objective.empty()).read();
  if (recording.entries.empty()) {
    reject(name, "holds no results");
  }
  return recording;
}

Recording read_recording(const std::filesystem::path& path, const std::string& objective) {
  FileText content = read_maybe_compressed(path);
  Recording recording = parse_recording(std::move(content.text), path.string(), objective);
  recording.name = stem_of(path);
  if (!content.damage.empty()) {
    recording.notes.push_back("the compressed file is damaged: " + content.damage);
  }
  return recording;
}

}  // namespace tuner
