// The way through a recording: sections, entries, and files that end early.

#include <algorithm>
#include <array>
#include <utility>

#include "tuner/store/compressed_file.h"
#include "tuner/store/recording_json.h"
#include "tuner/store/recording_text.h"
#include "tuner/store/store_recording.h"

namespace tuner {
namespace {

constexpr std::size_t kMostLevels = 64;

}  // namespace

void RecordingJson::read() {
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
  builder_.require_objective();
}

bool RecordingJson::key(string_t& name) {
  if (depth_ > kMaxDepth) return true;
  keys_at_[depth_].swap(name);
  if (depth_ != 1) return true;
  static const std::array<std::pair<std::string_view, Section>, 7> kSections{
      {{"device_name", Section::kDevice},
       {"kernel_name", Section::kKernel},
       {"tune_params_keys", Section::kKeys},
       {"tune_params", Section::kParameters},
       {"cache", Section::kCache},
       {"metadata", Section::kMetadata},
       {"results", Section::kResults}}};
  const auto found = std::ranges::find(kSections, std::string_view(keys_at_[1]),
                                       &std::pair<std::string_view, Section>::first);
  section_ = found == kSections.end() ? Section::kUnknown : found->second;
  return true;
}

bool RecordingJson::open() {
  if (++depth_ > kMostLevels) {
    throw InputError(Complaint{
        {recording_.name, 0, 0},
        "is nested deeper than a recording may be, " + std::to_string(kMostLevels) + " levels",
        ""});
  }
  if (depth_ == 2 && section_ == Section::kCache) {
    seen_results_ = true;
    if (!builder_.domains_known()) {
      if (keys_.empty() || domains_.empty()) {
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
    compilation_seen_ = false;
    builder_.begin_entry(section_ == Section::kCache ? "the entry '" + key_at(2) + "'"
                                                     : "result " + std::to_string(results_));
  }
  return true;
}

bool RecordingJson::close() {
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

void RecordingJson::define_parameters() {
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

Complaint RecordingJson::complaint_at(std::size_t offset, const std::string& message) const {
  const std::string_view before = std::string_view(text_).substr(0, std::min(offset, text_.size()));
  const auto line = std::ranges::count(before, '\n');
  const auto start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return {{recording_.name, static_cast<int>(line) + 1, static_cast<int>(column)}, message, ""};
}

void RecordingJson::complain_no_results() const {
  throw InputError(Complaint{{recording_.name, 0, 0},
                             "is no recording: it has neither 'cache' (Kernel Tuner) nor 'results' "
                             "(T4)",
                             ""});
}

bool RecordingJson::parse_error(std::size_t offset, const std::string&,
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

namespace {

std::string stem_of(const std::filesystem::path& path) {
  std::filesystem::path stem = path.filename();
  for (const char* ending : {".gz", ".json", ".T4", ".t4"}) {
    if (stem.extension() == ending) stem = stem.stem();
  }
  return stem.string();
}

}  // namespace

Recording parse_recording(std::string text, const std::string& name, const std::string& objective) {
  repair_recording_text(text);
  Recording recording;
  recording.name = name;
  if (!objective.empty()) recording.objective = objective;
  RecordingJson(recording, text, objective.empty()).read();
  if (recording.entries.empty()) {
    throw InputError(Complaint{{name, 0, 0}, "holds no results", ""});
  }
  return recording;
}

Recording read_recording(const std::filesystem::path& path, const std::string& objective) {
  // "results#matmul/nvidia-h200/M1024": one context of a results directory.
  const std::string text = path.string();
  const auto mark = text.rfind('#');
  const bool whole = mark == std::string::npos || std::filesystem::exists(path);
  const std::filesystem::path file = whole ? text : text.substr(0, mark);
  if (is_store(file)) return store_recording(file, whole ? "" : text.substr(mark + 1), objective);
  FileText content = read_maybe_compressed(path);
  Recording recording = parse_recording(std::move(content.text), path.string(), objective);
  recording.name = stem_of(path);
  if (!content.damage.empty()) {
    recording.notes.push_back("the compressed file is damaged: " + content.damage);
  }
  return recording;
}

}  // namespace tuner
