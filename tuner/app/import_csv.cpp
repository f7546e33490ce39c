// Ranked CSV files of this program as trials.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "tuner/app/identity.h"
#include "tuner/app/import_files.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

struct CsvRow {
  int line = 0;
  std::vector<std::string> fields;
};

// RFC 4180: quoted fields may hold commas, line ends and doubled quotes.
std::vector<CsvRow> rows_of(const std::string& text, const std::string& file) {
  std::vector<CsvRow> rows;
  CsvRow row{1, {}};
  std::string field;
  bool quoted = false;
  int line = 1;
  const auto end_row = [&] {
    row.fields.push_back(std::move(field));
    field.clear();
    if (row.fields.size() > 1 || !row.fields.front().empty()) rows.push_back(std::move(row));
    row = {line, {}};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
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
    } else if (c == ',') {
      row.fields.push_back(std::move(field));
      field.clear();
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r') {
      field += c;
    }
  }
  if (quoted) throw InputError(Complaint{{file, row.line, 0}, "the file ends inside a field", ""});
  if (!field.empty() || !row.fields.empty()) end_row();
  return rows;
}

class CsvReader {
 public:
  CsvReader(const std::string& file, const Study& study) : file_(file), study_(study) {}

  TrialBatch read(const std::string& text) {
    const std::vector<CsvRow> rows = rows_of(text, file_);
    if (rows.empty()) fail(1, "the file is empty");
    for (std::size_t i = 0; i < rows.front().fields.size(); ++i) {
      columns_[rows.front().fields[i]] = i;
    }
    for (const char* name : {"rank", "state", "time_ms", "message"}) require(name);
    for (const Parameter& parameter : study_.parameters) require(parameter.name);
    TrialBatch batch;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      row_ = &rows[i];
      if (row_->fields.size() != rows.front().fields.size()) {
        fail(row_->line, fmt::format("{} fields, but {} columns", row_->fields.size(),
                                     rows.front().fields.size()));
      }
      const ProblemSize size = size_of_row();
      if (i > 1 && !(size == batch.key.size)) fail(row_->line, "another problem size");
      batch.key.size = size;
      batch.trials.push_back(trial());
    }
    if (batch.trials.empty()) fail(1, "there are no results in it");
    return batch;
  }

 private:
  [[noreturn]] void fail(int line, const std::string& message) const {
    throw InputError(Complaint{{file_, line, 0}, message, ""});
  }

  void require(const std::string& name) const {
    if (columns_.contains(name)) return;
    fail(1, "there is no column '" + name + "': this is no ranked CSV of this study");
  }

  std::string field(const std::string& name) const {
    const auto found = columns_.find(name);
    return found == columns_.end() ? std::string() : row_->fields[found->second];
  }

  double number(const std::string& name, double missing) const {
    const std::string text = field(name);
    if (text.empty()) return missing;
    double value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      fail(row_->line, fmt::format("'{}' in column '{}' is no number", text, name));
    }
    return value;
  }

  std::int64_t whole(const std::string& name) const {
    return static_cast<std::int64_t>(number(name, -1));
  }

  ProblemSize size_of_row() const {
    ProblemSize size;
    for (const auto& [name, extent] : study_.sizes.front().dims) {
      require(name);
      const double value = number(name, 0);
      if (!(value >= 1 && value < 0x1p62)) fail(row_->line, "'" + name + "' is no extent");
      size.dims.emplace_back(name, static_cast<std::int64_t>(value));
    }
    return size;
  }

  Value value_of(const Parameter& parameter) const {
    const std::string text = field(parameter.name);
    for (const Value& value : parameter.values) {
      if (to_text(value) == text) return value;
    }
    fail(row_->line,
         fmt::format("'{}' is '{}', which the study does not know", parameter.name, text));
  }

  Trial trial() const {
    Trial out;
    for (const Parameter& parameter : study_.parameters) {
      out.configuration.push_back(value_of(parameter));
    }
    const auto state = trial_state_named(field("state"));
    if (!state) fail(row_->line, "unknown state '" + field("state") + "'");
    out.state = *state;
    out.message = field("message");
    out.compile_ms = number("compile_ms", 0);
    out.max_error = number("max_error", -1);
    out.occupancy = number("occupancy", -1);
    out.resources.registers = whole("registers");
    out.resources.static_shared_bytes = whole("static_shared_bytes");
    out.resources.spill_bytes = whole("spill_bytes");
    out.geometry.dynamic_shared_bytes =
        static_cast<std::uint64_t>(std::max(0.0, number("dynamic_shared_bytes", 0)));
    if (out.state == TrialState::kOk || out.state == TrialState::kDropped) read_times(out);
    return out;
  }

  void read_times(Trial& out) const {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    out.timing.median = number("time_ms", missing);
    if (!(out.timing.median > 0)) fail(row_->line, "a valid configuration without a time");
    out.timing.ci_low = number("ci_low_ms", out.timing.median);
    out.timing.ci_high = number("ci_high_ms", out.timing.median);
    out.timing.min = number("min_ms", out.timing.median);
    out.objective = out.timing.median / 1000;
    for (const NamedExpression& metric : study_.metrics) {
      const double value = number(metric.name, missing);
      if (value == value) out.metrics.emplace_back(metric.name, value);
      if (metric.name == study_.objective.name) out.objective = value;
    }
  }

  std::string file_;
  const Study& study_;
  std::map<std::string, std::size_t> columns_;
  const CsvRow* row_ = nullptr;
};

}  // namespace

TrialBatch batch_of_csv(const std::filesystem::path& path, const ImportOptions& options,
                        const Study& study) {
  TrialBatch batch = CsvReader(path.string(), study).read(read_file(path));
  batch.key.kernel = options.kernel.empty() ? study.kernel.name : options.kernel;
  batch.key.parameters = names_of(study.parameters);
  batch.key.device.backend = "imported";
  // The folder has the device's name in the form of a file name.
  batch.key.device.name = options.device.empty()
                              ? std::filesystem::absolute(path).parent_path().filename().string()
                              : options.device;
  batch.key.identity = {{"imported", path.filename().string()}};
  return batch;
}

}  // namespace tuner
