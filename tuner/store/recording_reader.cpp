// Kernel Tuner caches and T4 results, read as a stream of JSON events: the files are large and only
// a few of their fields matter.

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/store/compressed_file.h"
#include "tuner/store/recording.h"
#include "tuner/store/recording_builder.h"

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

// Not a number: NaN, which no consumer takes for a measurement.
double number_in(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::numeric_limits<double>::quiet_NaN();
}

class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  Reader(Recording& recording, const std::string& text) : recording_(recording), text_(text) {}

  // One pass over the text. A cache that stands before the lists of parameters is left out in the
  // first pass and read by a second one.
  void read() {
    nlohmann::json::sax_parse(text_, this);
    if (cache_came_first_) {
      if (keys_.empty()) {
        throw InputError(Complaint{{recording_.name, 0, 0}, "'tune_params_keys' is missing", ""});
      }
      cache_came_first_ = false;
      define_parameters();
      depth_ = 0;
      nlohmann::json::sax_parse(text_, this);
    }
    if (!seen_results_) complain_no_results();
    builder_.finish();
  }

  bool null() override { return true; }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return scalar(static_cast<double>(value));
    }
    return scalar(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override;
  bool parse_error(std::size_t offset, const std::string&,
                   const nlohmann::json::exception& reason) override;

 private:
  enum class Section { kUnknown, kDevice, kKernel, kKeys, kParameters, kCache, kResults };
  static constexpr std::size_t kMaxDepth = 5;

  const std::string& key_at(std::size_t depth) const { return keys_at_[depth]; }
  bool open();
  bool close();
  bool scalar(Value value);
  void cache_field(Value value);
  void result_field(Value value);
  void measurement(Value value);
  void define_parameters();
  void measured(const Value& value);
  bool at_entry() const {
    return depth_ == 3 && (section_ == Section::kCache || section_ == Section::kResults);
  }
  void complain_no_results() const;
  Complaint complaint_at(std::size_t offset, const std::string& message) const;

  Recording& recording_;
  const std::string& text_;
  RecordingBuilder builder_{recording_};
  Section section_ = Section::kUnknown;
  std::size_t depth_ = 0;  // open objects and arrays
  std::array<std::string, kMaxDepth + 1> keys_at_;
  std::vector<std::string> keys_;  // tune_params_keys
  std::vector<Parameter> domains_;
  bool cache_came_first_ = false;
  bool seen_results_ = false;
  bool in_entry_ = false;
  std::size_t results_ = 0;
  std::string measurement_name_;
  Value measurement_value_;
};

bool Reader::key(string_t& name) {
  if (depth_ > kMaxDepth) return true;
  keys_at_[depth_].swap(name);
  if (depth_ != 1) return true;
  static const std::array<std::pair<std::string_view, Section>, 6> kSections{
      {{"device_name", Section::kDevice},
       {"kernel_name", Section::kKernel},
       {"tune_params_keys", Section::kKeys},
       {"tune_params", Section::kParameters},
       {"cache", Section::kCache},
       {"results", Section::kResults}}};
  const auto found = std::ranges::find(kSections, std::string_view(keys_at_[1]),
                                       &std::pair<std::string_view, Section>::first);
  section_ = found == kSections.end() ? Section::kUnknown : found->second;
  return true;
}

bool Reader::open() {
  ++depth_;
  if (depth_ == 2 && section_ == Section::kCache) {
    seen_results_ = true;
    if (!builder_.domains_known()) {
      if (keys_.empty()) {
        cache_came_first_ = true;
      } else {
        define_parameters();
      }
    }
  }
  if (depth_ == 2 && section_ == Section::kResults) seen_results_ = true;
  if (at_entry() && !cache_came_first_) {
    ++results_;
    in_entry_ = true;
    builder_.begin_entry(section_ == Section::kCache ? "the entry '" + key_at(2) + "'"
                                                     : "result " + std::to_string(results_));
  }
  return true;
}

bool Reader::close() {
  if (in_entry_ && at_entry()) {
    in_entry_ = false;
    builder_.end_entry();
  }
  if (in_entry_ && section_ == Section::kResults && depth_ == 5 && key_at(3) == "measurements" &&
      measurement_name_ == recording_.objective) {
    measured(measurement_value_);
    measurement_name_.clear();
  }
  --depth_;
  return true;
}

bool Reader::scalar(Value value) {
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
    case Section::kResults:
      if (in_entry_) result_field(std::move(value));
      break;
    case Section::kUnknown:
      break;
  }
  return true;
}

void Reader::define_parameters() {
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
  builder_.set_parameters(std::move(ordered));
}

void Reader::measured(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    builder_.failed(failure_named(*text));
  } else {
    builder_.objective(number_in(value));
  }
}

void Reader::cache_field(Value value) {
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
    if (const auto* text = std::get_if<std::string>(&value)) builder_.failed(failure_named(*text));
  } else if (name == "compile_time" || name == "benchmark_time") {
    builder_.cost_milliseconds(number_in(value));
  } else {
    builder_.parameter(name, value);
  }
}

void Reader::result_field(Value value) {
  const auto* text = std::get_if<std::string>(&value);
  const std::string& field = key_at(3);
  if (depth_ == 3 && field == "invalidity" && text != nullptr && *text != "correct") {
    builder_.failed(failure_named(*text == "correctness" ? "incorrect" : *text));
  } else if (depth_ == 4 && field == "configuration") {
    builder_.parameter(key_at(4), value);
  } else if (field == "times" && text == nullptr) {
    if (depth_ == 4 && (key_at(4) == "compilation" || key_at(4) == "benchmark")) {
      builder_.cost_milliseconds(number_in(value));
    } else if (depth_ == 5 && key_at(4) == "runtimes") {
      builder_.sample(number_in(value));
    }
  } else if (depth_ == 5 && field == "measurements") {
    measurement(std::move(value));
  }
}

void Reader::measurement(Value value) {
  if (key_at(5) == "name" && std::get_if<std::string>(&value) != nullptr) {
    measurement_name_ = std::get<std::string>(value);
  } else if (key_at(5) == "value") {
    measurement_value_ = std::move(value);
  }
}

Complaint Reader::complaint_at(std::size_t offset, const std::string& message) const {
  const std::string_view before = std::string_view(text_).substr(0, std::min(offset, text_.size()));
  const auto line = std::ranges::count(before, '\n');
  const auto start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return {{recording_.name, static_cast<int>(line) + 1, static_cast<int>(column)}, message, ""};
}

void Reader::complain_no_results() const {
  throw InputError(Complaint{{recording_.name, 0, 0},
                             "is no recording: it has neither 'cache' (Kernel Tuner) nor 'results' "
                             "(T4)",
                             ""});
}

bool Reader::parse_error(std::size_t offset, const std::string&,
                         const nlohmann::json::exception& reason) {
  const bool ends_early = offset > text_.size() && depth_ > 0;
  if (!ends_early) {
    std::string why = reason.what();
    const auto colon = why.find(": ");
    if (colon != std::string::npos) why = why.substr(colon + 2);
    throw InputError(complaint_at(offset, "is not JSON here: " + why));
  }
  const std::string torn = in_entry_ ? "; its last entry is torn and left out" : "";
  if (in_entry_) builder_.drop_entry();
  in_entry_ = false;
  if (recording_.entries.empty() && !cache_came_first_) {
    throw InputError(complaint_at(offset, "ends before the first complete result"));
  }
  recording_.notes.push_back("the file ends early, as one that is still being written does" + torn);
  return false;
}

// Python writes NaN and Infinity, which JSON does not know. An empty string of the same length
// takes their place: as a measurement it counts as "failed", anywhere else it is not looked at.
void replace_python_constants(std::string& text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == 'N' || c == 'I') {
      const std::string_view word = c == 'N' ? "NaN" : "Infinity";
      if (text.compare(i, word.size(), word) != 0) continue;
      const std::size_t from = c == 'I' && i > 0 && text[i - 1] == '-' ? i - 1 : i;
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(from),
                text.begin() + static_cast<std::ptrdiff_t>(i + word.size()), ' ');
      text[from] = text[from + 1] = '"';
      i += word.size() - 1;
    }
  }
}

// White space, and the first digits of a number that was cut off and would read as another number.
void trim_torn_end(std::string& text) {
  while (!text.empty()) {
    const auto last = static_cast<unsigned char>(text.back());
    const bool of_number = std::isalnum(last) != 0 || last == '.' || last == '-' || last == '+';
    if (std::isspace(last) == 0 && !of_number) break;
    text.pop_back();
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
  trim_torn_end(text);
  replace_python_constants(text);
  Recording recording;
  recording.name = name;
  recording.objective = objective;
  Reader(recording, text).read();
  if (recording.entries.empty()) {
    throw InputError(Complaint{{name, 0, 0}, "holds no results", ""});
  }
  return recording;
}

Recording read_recording(const std::filesystem::path& path, const std::string& objective) {
  FileText file = read_maybe_compressed(path);
  Recording recording = parse_recording(std::move(file.text), path.string(), objective);
  recording.name = stem_of(path);
  if (!file.damage.empty()) {
    recording.notes.push_back("the compressed file is damaged: " + file.damage);
  }
  return recording;
}

}  // namespace tuner
