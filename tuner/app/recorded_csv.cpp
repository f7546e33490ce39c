#include "tuner/app/recorded_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/exporters/table_text.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void reject(const fs::path& file, const std::string& reason, int line = 0) {
  throw InputError(Complaint{{file.string(), line, 0}, reason, ""});
}

// One file, its columns by name.
class RankedFile {
 public:
  RankedFile(fs::path file, const Study& study) : file_(std::move(file)), study_(study) {
    rows_ = csv_fields(read_file(file_));
    if (rows_.empty()) reject(file_, "is empty");
    for (std::size_t i = 0; i < rows_[0].size(); ++i) columns_.emplace(rows_[0][i], i);
  }

  RankedResults read(const DeviceFacts& device, std::vector<std::string>& notes) const {
    RankedResults results;
    results.device = device;
    results.compiler = "not recorded";
    results.date = "from " + file_.filename().string();
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
      reject(file_, "the row ends before column '" + column + "'", static_cast<int>(r) + 1);
    }
    return rows_[r][found->second];
  }

  double number(std::size_t r, const std::string& column) const {
    const std::string& field = text(r, column);
    char* end = nullptr;
    const double value = std::strtod(field.c_str(), &end);
    if (field.empty() || *end != '\0') {
      reject(file_, "'" + field + "' is no number", static_cast<int>(r) + 1);
    }
    return value;
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
      size.dims.emplace_back(name, static_cast<std::int64_t>(number(r, name)));
    }
    return size;
  }

  void read_trial(std::size_t r, Trial& trial) const {
    const auto state = trial_state_named(text(r, "state"));
    if (!state) reject(file_, "unknown state '" + text(r, "state") + "'", static_cast<int>(r) + 1);
    trial.state = *state;
    trial.message = text(r, "message");
    if (*state != TrialState::kOk && *state != TrialState::kDropped) return;
    trial.timing.median = number(r, "time_ms");
    trial.timing.ci_low = number(r, "ci_low_ms");
    trial.timing.ci_high = number(r, "ci_high_ms");
    trial.timing.min = number(r, "min_ms");
    // A file tells how many samples there were, not what they were.
    trial.timing.samples.assign(static_cast<std::size_t>(number(r, "samples")),
                                trial.timing.median);
    for (const NamedExpression& metric : study_.metrics) {
      if (columns_.contains(metric.name) && !text(r, metric.name).empty()) {
        trial.metrics.emplace_back(metric.name, number(r, metric.name));
      }
    }
    trial.objective = study_.objective.name == "time" ? trial.timing.median / 1000
                                                      : number(r, study_.objective.name);
  }

  fs::path file_;
  const Study& study_;
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
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      row.push_back(std::move(field));
      field.clear();
      if (c == '\n') rows.push_back(std::exchange(row, {}));
    } else if (c != '\r') {
      field += c;
    }
  }
  if (!field.empty() || !row.empty()) {
    row.push_back(std::move(field));
    rows.push_back(std::move(row));
  }
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
