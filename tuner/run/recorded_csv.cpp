// Reads ranked CSV files back as results.

#include "tuner/run/recorded_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/exporters/table_text.h"
#include "tuner/study/unverified.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void reject(const fs::path& file, const std::string& reason) {
  throw InputError(Complaint{{file.string(), 0, 0}, reason, ""});
}

// Goes through a CSV text after RFC 4180: `field(text, where)` for each field, `row()` after each
// row; where = position of its first character.
template <typename Field, typename Row>
void walk(const std::string& text, const Field& field, const Row& row) {
  std::string now;
  bool quoted = false;
  bool any = false;  // of this row
  int line = 1;
  std::size_t line_start = 0;
  Position start{"", 1, 1};
  const auto end_field = [&](std::size_t next) {
    field(std::exchange(now, {}), start);
    start = {"", line, static_cast<int>(next - line_start) + 1};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_start = i + 1;
    }
    if (quoted) {
      if (c != '"') {
        now += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        now += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      end_field(i + 1);
      any = c == ',';
      if (c == '\n') row();
    } else if (c != '\r') {
      now += c;
    }
  }
  if (now.empty() && !any) return;
  end_field(text.size());
  row();
}

// One file, its columns by name.
class RankedFile {
 public:
  RankedFile(fs::path file, const Study& study)
      : file_(std::move(file)), study_(study), content_(read_file(file_)) {
    rows_ = csv_fields(content_);
    if (rows_.empty()) reject(file_, "is empty");
    for (std::size_t i = 0; i < rows_[0].size(); ++i) columns_.emplace(rows_[0][i], i);
  }

  RankedResults read(const DeviceFacts& device, std::vector<std::string>& notes) const {
    RankedResults results;
    results.device = device;
    results.compiler = "not recorded";
    results.date = "from " + file_.filename().string();
    results.unverified = unverified_text(study_);
    std::size_t unknown = 0;
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      Trial trial;
      if (!read_configuration(r, trial.configuration)) {
        ++unknown;
        continue;
      }
      results.size = size_of(r);
      read_trial(r, trial);
      const bool ranked = !text(r, "rank").empty();
      if (ranked) {
        ++results.ranked;
        results.tied.push_back(text(r, "tie") == "true");
        const bool told = columns_.contains("verified") && text(r, "verified") == "false";
        if (told && results.unverified->empty()) results.unverified = "nothing verified them then";
      }
      results.trials.push_back(std::move(trial));
    }
    if (unknown > 0) {
      notes.push_back(
          fmt::format("{}: {} rows left out, their values are not the study's (any more)",
                      file_.string(), unknown));
    }
    return results;
  }

 private:
  const std::string& text(std::size_t r, const std::string& column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end()) {
      reject(file_, fmt::format("has no column '{}': it is not a ranking of {}", column,
                                study_.kernel.name));
    }
    if (found->second >= rows_[r].size()) {
      reject_at(r, rows_[r].size() - 1, "the row ends before column '" + column + "'");
    }
    return rows_[r][found->second];
  }

  // Looked for only now: the places of all fields would take more memory than the fields.
  [[noreturn]] void reject_at(std::size_t r, std::size_t at, const std::string& reason) const {
    std::size_t row = 0;
    std::size_t column = 0;
    Position found;
    walk(
        content_,
        [&](const std::string&, const Position& where) {
          if (row == r && column++ == at) found = where;
        },
        [&] { ++row; });
    found.file = file_.string();
    throw InputError({Complaint{found, reason, ""}}, content_);
  }

  [[noreturn]] void reject_at(std::size_t r, const std::string& column,
                              const std::string& reason) const {
    reject_at(r, columns_.at(column), reason);
  }

  double number(std::size_t r, const std::string& column) const {
    const std::string& field = text(r, column);
    char* end = nullptr;
    const double value = std::strtod(field.c_str(), &end);
    if (field.empty() || *end != '\0' || !std::isfinite(value)) {
      reject_at(r, column, "'" + field + "' is no number");
    }
    return value;
  }

  // Milliseconds. An import whose results are another quantity may have no times: they are 0.
  double time(std::size_t r, const std::string& column) const {
    const double value = number(r, column);
    const bool unknown = value == 0 && study_.objective.name != "time";
    if (!unknown && !is_time(value)) {
      reject_at(r, column, "'" + text(r, column) + "' is no time");
    }
    return value;
  }

  std::int64_t whole(std::size_t r, const std::string& column, std::int64_t highest) const {
    const double value = number(r, column);
    if (value != std::floor(value) || value < 0 || value > static_cast<double>(highest)) {
      reject_at(r, column,
                fmt::format("'{}' is not a whole number from 0 to {}", text(r, column), highest));
    }
    return static_cast<std::int64_t>(value);
  }

  bool read_configuration(std::size_t r, Configuration& out) const {
    for (const Parameter& parameter : study_.parameters) {
      const std::string& field = text(r, parameter.name);
      const auto value = std::ranges::find_if(
          parameter.values, [&](const Value& one) { return to_text(one) == field; });
      if (value == parameter.values.end()) return false;
      out.push_back(*value);
    }
    return true;
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
    if (!state) reject_at(r, "state", "unknown state '" + text(r, "state") + "'");
    trial.state = *state;
    trial.message = text(r, "message");
    if (*state != TrialState::kOk && *state != TrialState::kDropped) return;
    trial.timing.median = time(r, "time_ms");
    trial.timing.ci_low = time(r, "ci_low_ms");
    trial.timing.ci_high = time(r, "ci_high_ms");
    trial.timing.min = time(r, "min_ms");
    // A file tells how many samples there were, not what they were.
    trial.timing.counted = static_cast<std::uint64_t>(whole(r, "samples", kMostSamples));
    trial.outdated = text(r, "rank").empty();
    for (const NamedExpression& metric : study_.metrics) {
      if (columns_.contains(metric.name) && !text(r, metric.name).empty()) {
        trial.metrics.emplace_back(metric.name, number(r, metric.name));
      }
    }
    trial.objective = study_.objective.name == "time" ? trial.timing.median / 1000
                                                      : number(r, study_.objective.name);
  }

  // What a double holds exactly.
  static constexpr std::int64_t kLargestExtent = std::int64_t{1} << 53;

  fs::path file_;
  const Study& study_;
  std::string content_;
  std::vector<std::vector<std::string>> rows_;
  std::map<std::string, std::size_t> columns_;
};

std::vector<fs::path> csv_files(const fs::path& from) {
  if (!fs::exists(from)) reject(from, "there is no such file or folder");
  if (!fs::is_directory(from)) return {from};
  std::vector<fs::path> files;
  for (const auto& one : fs::recursive_directory_iterator(from)) {
    if (one.is_regular_file() && one.path().extension() == ".csv") files.push_back(one.path());
  }
  std::ranges::sort(files);
  if (files.empty()) reject(from, "there are no .csv files in this folder");
  return files;
}

DeviceFacts device_beside(const fs::path& file) {
  const fs::path description = file.parent_path() / kDeviceFile;
  if (!fs::exists(description)) {
    reject(description,
           "is missing: it says which device the CSV files beside it are of, and "
           "'tuner run' writes it");
  }
  return device_from_json(read_file(description), description.string());
}

}  // namespace

std::vector<std::vector<std::string>> csv_fields(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  walk(
      text, [&](std::string field, const Position&) { row.push_back(std::move(field)); },
      [&] { rows.push_back(std::exchange(row, {})); });
  return rows;
}

void write_device_file(const fs::path& folder, const DeviceFacts& device) {
  const fs::path file = folder / kDeviceFile;
  const std::string text = device_json(device);
  if (!fs::exists(file) || read_file(file) != text) write_file_atomically(file, text);
}

std::vector<RankedResults> recorded_csv(const fs::path& from, const Study& study,
                                        const ResultFilter& filter,
                                        std::vector<std::string>& notes) {
  std::vector<RankedResults> all;
  for (const fs::path& file : csv_files(from)) {
    const RankedFile ranked(file, study);
    RankedResults results = ranked.read(device_beside(file), notes);
    if (fits(results.device, results.size, filter)) all.push_back(std::move(results));
  }
  return all;
}

}  // namespace tuner
