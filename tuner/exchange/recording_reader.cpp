// Reads Kernel Tuner caches and T4 results as a stream of events: the files are large, and only a
// few of their fields matter.

#include "tuner/exchange/recording_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/archives.h"
#include "tuner/base/error.h"
#include "tuner/exchange/json_events.h"

namespace tuner {
namespace {

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

// Not a number: NaN, which no consumer takes for a measurement.
double number_in(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::numeric_limits<double>::quiet_NaN();
}

// ---- the reader

constexpr const char* kSizeKey = "problem_size";

class RecordingReader : public JsonListener {
 public:
  // `by_itself`: whether the file may say what its objective is.
  RecordingReader(Recording& recording, const std::string& text, bool by_itself)
      : recording_(recording), text_(text), by_itself_(by_itself) {}

  // One pass over the text. A cache that stands before the lists of parameters is left out in the
  // first pass and read by a second one.
  void read();

  void named(const JsonPlace& at) override;
  void opened(const JsonPlace& at) override;
  void closed(const JsonPlace& at) override;
  void scalar(const JsonPlace& at, Value value) override;

 private:
  enum class Section {
    kOther,
    kDevice,
    kKernel,
    kSize,
    kKeys,
    kParameters,
    kCache,
    kMetadata,
    kResults
  };

  void walk();
  void cache_field(const JsonPlace& at, Value value);
  void result_field(const JsonPlace& at, Value value);
  void time_field(const std::string& name, double milliseconds);
  void metadata(const JsonPlace& at, const Value& value);
  void measurement(const JsonPlace& at, Value value);
  void size(const JsonPlace& at, std::size_t depth, Value value);
  void define_parameters();
  void measured(const Value& value);
  bool is_entry(const JsonPlace& at) const {
    return at.depth == 3 && (section_ == Section::kCache || section_ == Section::kResults);
  }

  Recording& recording_;
  const std::string& text_;
  bool by_itself_;
  RecordingBuilder builder_{recording_};
  Section section_ = Section::kOther;
  std::vector<std::string> keys_;  // tune_params_keys
  std::vector<Parameter> domains_;
  bool cache_came_first_ = false;
  bool seen_results_ = false;
  bool in_entry_ = false;
  std::size_t results_ = 0;
  double to_milliseconds_ = 1;  // T4's unit of time
  bool compilation_seen_ = false;
  std::string extent_name_;
  std::string measurement_name_;
  Value measurement_value_;
};

// ---- the way through the file: sections, entries, an early end

void RecordingReader::read() {
  walk();
  if (cache_came_first_) {
    if (keys_.empty()) {
      throw InputError(Complaint{{recording_.name, 0, 0}, "'tune_params_keys' is missing", ""});
    }
    cache_came_first_ = false;
    define_parameters();
    walk();
  }
  if (!seen_results_) {
    throw InputError(Complaint{{recording_.name, 0, 0},
                               "is no recording: it has neither 'cache' (Kernel Tuner) nor "
                               "'results' (T4)",
                               ""});
  }
  builder_.finish();
  builder_.require_objective();
}

void RecordingReader::walk() {
  const auto end = read_json_events(text_, recording_.name, *this);
  if (!end) return;
  const std::string torn = in_entry_ ? "; its last entry is torn and left out" : "";
  if (in_entry_) builder_.drop_entry();
  in_entry_ = false;
  if (recording_.entries.empty() && !cache_came_first_) {
    throw InputError(Complaint{*end, "ends before the first complete result", ""});
  }
  recording_.notes.push_back("the file ends early, as one that is still being written does" + torn);
}

void RecordingReader::named(const JsonPlace& at) {
  const bool in_metadata = at.depth > 1 && section_ == Section::kMetadata;
  if (in_metadata ? at.keys[2] == kSizeKey : at.keys[1] == kSizeKey) {
    // Its own name, of a file that is read twice, or that of an extent in it.
    if (at.depth == (in_metadata ? 2 : 1)) recording_.problem_size.clear();
    extent_name_ = at.depth == (in_metadata ? 3 : 2) ? at.keys[at.depth] : "";
  }
  if (at.depth != 1) return;
  static const std::array<std::pair<std::string_view, Section>, 8> kSections{
      {{"device_name", Section::kDevice},
       {"kernel_name", Section::kKernel},
       {kSizeKey, Section::kSize},
       {"tune_params_keys", Section::kKeys},
       {"tune_params", Section::kParameters},
       {"cache", Section::kCache},
       {"metadata", Section::kMetadata},
       {"results", Section::kResults}}};
  section_ = Section::kOther;
  for (const auto& [name, section] : kSections) {
    if (name == at.keys[1]) section_ = section;
  }
}

void RecordingReader::opened(const JsonPlace& at) {
  if (at.depth == 2 && section_ == Section::kCache) {
    seen_results_ = true;
    if (!builder_.domains_known()) {
      if (keys_.empty() || domains_.empty()) {
        cache_came_first_ = true;
      } else {
        define_parameters();
      }
    }
  }
  if (at.depth == 2 && section_ == Section::kResults) seen_results_ = true;
  if (is_entry(at) && !cache_came_first_) {
    ++results_;
    in_entry_ = true;
    compilation_seen_ = false;
    builder_.begin_entry(section_ == Section::kCache ? "the entry '" + at.keys[2] + "'"
                                                     : "result " + std::to_string(results_));
  }
}

void RecordingReader::closed(const JsonPlace& at) {
  if (in_entry_ && is_entry(at)) {
    in_entry_ = false;
    builder_.end_entry();
  }
  if (in_entry_ && section_ == Section::kResults && at.depth == 5 && at.keys[3] == "measurements" &&
      measurement_name_ == recording_.objective) {
    measured(measurement_value_);
    measurement_name_.clear();
  }
}

void RecordingReader::define_parameters() {
  std::vector<Parameter> ordered;
  for (const std::string& name : keys_) {
    const auto found = std::ranges::find(domains_, name, &Parameter::name);
    if (found == domains_.end()) {
      throw InputError(Complaint{
          {recording_.name, 0, 0},
          "'tune_params' lists no values for '" + name + "', which 'tune_params_keys' names",
          ""});
    }
    ordered.push_back(*found);
  }
  builder_.set_parameters(ordered);
}

// ---- what the fields mean

void RecordingReader::scalar(const JsonPlace& at, Value value) {
  const auto* text = std::get_if<std::string>(&value);
  switch (section_) {
    case Section::kDevice:
      if (at.depth == 1 && text != nullptr) recording_.device = *text;
      break;
    case Section::kKernel:
      if (at.depth == 1 && text != nullptr) recording_.kernel = *text;
      break;
    case Section::kSize:
      size(at, 1, std::move(value));
      break;
    case Section::kKeys:
      if (at.depth == 2 && text != nullptr && !builder_.domains_known()) keys_.push_back(*text);
      break;
    case Section::kParameters:
      if (at.depth == 3 && !builder_.domains_known()) {
        if (domains_.empty() || domains_.back().name != at.keys[2]) {
          domains_.push_back({at.keys[2], {}, {}});
        }
        domains_.back().values.push_back(std::move(value));
      }
      break;
    case Section::kCache:
      if (in_entry_) cache_field(at, std::move(value));
      break;
    case Section::kMetadata:
      if (at.keys[2] == kSizeKey) {
        size(at, 2, std::move(value));
      } else if (at.depth == 2) {
        metadata(at, value);
      }
      break;
    case Section::kResults:
      if (in_entry_) result_field(at, std::move(value));
      break;
    case Section::kOther:
      break;
  }
}

// One extent, or a list or map of them; `depth` is that of one.
void RecordingReader::size(const JsonPlace& at, std::size_t depth, Value value) {
  constexpr std::size_t kMost = 64;
  if (at.depth > depth + 1 || recording_.problem_size.size() == kMost) return;
  recording_.problem_size.emplace_back(std::exchange(extent_name_, {}), std::move(value));
}

void RecordingReader::measured(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    builder_.failed(failure_named(*text));
  } else {
    builder_.objective(number_in(value));
  }
}

void RecordingReader::cache_field(const JsonPlace& at, Value value) {
  const std::string& name = at.keys[3];
  if (at.depth == 4) {
    if (name == "times") builder_.sample(number_in(value));
    return;
  }
  if (at.depth != 3) return;
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
  } else if (name == "compile_time") {
    builder_.compile_milliseconds(number_in(value));
  } else if (name == "benchmark_time") {
    builder_.benchmark_milliseconds(number_in(value));
  } else if (name == "verification_time") {
    builder_.verification_milliseconds(number_in(value));
  } else if (!builder_.parameter(name, value) && std::get_if<std::string>(&value) == nullptr) {
    builder_.quantity(name);
  }
}

void RecordingReader::result_field(const JsonPlace& at, Value value) {
  const auto* text = std::get_if<std::string>(&value);
  const std::string& field = at.keys[3];
  if (at.depth == 3 && field == "invalidity" && text != nullptr && *text != "correct") {
    builder_.failed(failure_named(*text == "correctness" ? "incorrect" : *text));
  } else if (at.depth == 4 && field == "configuration") {
    builder_.parameter(at.keys[4], value);
  } else if (field == "times" && text == nullptr) {
    const double milliseconds = number_in(value) * to_milliseconds_;
    if (at.depth == 4) {
      time_field(at.keys[4], milliseconds);
    } else if (at.depth == 5 && at.keys[4] == "runtimes") {
      builder_.sample(milliseconds);
    }
  } else if (at.depth == 5 && field == "measurements") {
    measurement(at, std::move(value));
  }
}

// Schema 1.1 renamed "compilation"; a file may have both.
void RecordingReader::time_field(const std::string& name, double milliseconds) {
  if (name == "benchmark") {
    builder_.benchmark_milliseconds(milliseconds);
  } else if (name == "validation") {
    builder_.verification_milliseconds(milliseconds);
  } else if (!compilation_seen_ && (name == "compilation" || name == "compilation_time")) {
    compilation_seen_ = true;
    builder_.compile_milliseconds(milliseconds);
  }
}

void RecordingReader::metadata(const JsonPlace& at, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return;
  if (at.keys[2] == "device") recording_.device = *text;
  if (at.keys[2] == "kernel") recording_.kernel = *text;
  if (by_itself_ && at.keys[2] == "objective") recording_.objective = *text;
  if (by_itself_ && at.keys[2] == "objective_direction") recording_.maximize = *text == "maximize";
  if (at.keys[2] == "timeunit") to_milliseconds_ = milliseconds_in(*text);
}

void RecordingReader::measurement(const JsonPlace& at, Value value) {
  if (at.keys[5] == "name" && std::get_if<std::string>(&value) != nullptr) {
    measurement_name_ = std::get<std::string>(value);
    builder_.quantity(measurement_name_);
  } else if (at.keys[5] == "value") {
    measurement_value_ = std::move(value);
  }
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
    throw InputError(Complaint{{name, 0, 0}, "holds no results", ""});
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
