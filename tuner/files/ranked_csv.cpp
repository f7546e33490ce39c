// Writes and reads CSV, and writes the ranked one.

#include "tuner/files/ranked_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/model/trial_figures.h"

namespace tuner {

namespace {

// Goes through a CSV text: `field(text, where)` for each field, `row()` after each
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

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_header(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& one : parameters) names.push_back(csv_field(one.name));
  return fmt::format("{}", fmt::join(names, ","));
}

std::string csv_row(const Configuration& configuration) {
  std::vector<std::string> values;
  for (const Value& one : configuration) values.push_back(csv_field(to_text(one)));
  return fmt::format("{}", fmt::join(values, ","));
}

CsvTable::CsvTable(std::string file, std::string content)
    : file_(std::move(file)), content_(std::move(content)) {
  std::vector<std::string> row;
  walk(
      content_, [&](std::string field, const Position&) { row.push_back(std::move(field)); },
      [&] { rows_.push_back(std::exchange(row, {})); });
  if (rows_.empty()) reject(file_, "is empty");
  for (std::size_t i = 0; i < rows_[0].size(); ++i) columns_.emplace(rows_[0][i], i);
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
  const std::size_t at = columns_.find(column)->second;
  if (at < rows_[row].size()) return rows_[row][at];
  reject_at(row, rows_[row].size() - 1, fmt::format("the row ends before column '{}'", column));
}

const std::string* CsvTable::known(std::size_t row, std::string_view column) const {
  const std::string* const found = has(column) ? &text(row, column) : nullptr;
  return found == nullptr || found->empty() ? nullptr : found;
}

double CsvTable::number(std::size_t row, std::string_view column) const {
  const std::string& field = text(row, column);
  char* end = nullptr;
  const double value = std::strtod(field.c_str(), &end);
  if (!field.empty() && *end == '\0' && std::isfinite(value)) return value;
  reject_at(row, column, "'" + field + "' is no number");
}

// Found anew for the one that is at fault: the positions of all fields would take more memory than
// the fields.
void CsvTable::reject_at(std::size_t row, std::size_t column, const std::string& reason) const {
  std::size_t now = 0, at = 0;
  Position found;
  walk(
      content_,
      [&](const std::string&, const Position& where) {
        if (now == row && at++ == column) found = where;
      },
      [&] { ++now; });
  found.file = file_;
  throw InputError({Complaint{found, reason, ""}}, content_);
}

void CsvTable::reject_at(std::size_t row, std::string_view column,
                         const std::string& reason) const {
  reject_at(row, columns_.find(column)->second, reason);
}

namespace {

// Compilers' logs are kept whole in the database; a table needs the beginning.
constexpr std::size_t kMessageBytes = 1000;

std::string number(double value) { return fmt::format("{:.7g}", value); }

// Studies give every valid trial the same metrics; a merge of two runs may not.
std::vector<std::string> metric_names(const RankedResults& results) {
  std::vector<std::string> names;
  for (const Trial& trial : results.trials) {
    for (const auto& [name, value] : shown(trial).metrics) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string metric_of(const Metrics& metrics, const std::string& name) {
  for (const auto& [metric, value] : metrics) {
    if (metric == name) return number(value);
  }
  return "";
}

// The names of all columns, or what stands in them.
class Line {
 public:
  explicit Line(bool is_header) : is_header_(is_header) {}

  void add(std::string_view name, std::string_view field) {
    if (fields_++ > 0) text_ += ',';
    text_ += csv_field(is_header_ ? name : field);
  }
  std::string end() { return std::move(text_) + "\n"; }

 private:
  bool is_header_;
  std::string text_;
  int fields_ = 0;
};

// Columns that some rankings have.
struct Columns {
  std::vector<std::string> metrics;
  bool timed = false;   // not in the usual way
  bool fresh = false;   // on other inputs in each sample
  bool device = false;  // several devices of the model have measured
  bool limit = false;   // of the device, for what has to be done
};

// Adds the columns of times. If the objective is no time, rows recorded by others may have none: 0.
void add_times(const Trial& trial, Line& line) {
  const bool timed = is_valid(trial);
  const auto add = [&](const char* name, bool known, double ms) {
    line.add(name, known ? number(ms) : "");
  };
  const Shown figures = shown(trial);
  const Timing& search = trial.timing;
  const bool may_have_none = !is_time(search.median);
  const bool searched = timed && (!may_have_none || !trial.final);
  const bool interval = searched && (search.ci_low > 0 || may_have_none);
  const bool finished = timed && figures.by_final;
  add("time_ms", timed, figures.median_ms);
  add("ci_low_ms", interval, search.ci_low);
  add("ci_high_ms", interval, search.ci_high);
  add("min_ms", interval, search.min);
  line.add("samples", interval ? std::to_string(sample_count(search)) : "");
  line.add("basis", !timed ? "" : finished ? "final" : "search");
  add("search_ms", searched, search.median);
  add("final_ms", finished, figures.median_ms);
  add("final_ci_low_ms", finished, figures.ci_low_ms);
  add("final_ci_high_ms", finished, figures.ci_high_ms);
}

void add_figures(std::span<const Trial> all, const Trial& trial, TrialFigure::Column column,
                 Line& line) {
  for (const TrialFigure& one : trial_figures()) {
    const bool is_rare = one.json == TrialFigure::Json::kIfKnown;
    if (one.column != column || (is_rare && !is_known(one, all))) continue;
    line.add(one.name, figure_text(one, trial));
  }
}

// Writes the row of the trial at a place; the place behind the last trial gives the header.
std::string row(const RankedResults& results, std::size_t at,
                std::span<const std::string> parameters, const Columns& columns) {
  const bool is_header = at == results.trials.size();
  static const Trial kNone;
  const Trial& trial = is_header ? kNone : results.trials[at];
  const bool ranked = at < results.ranked;
  Line line(is_header);
  line.add("rank", ranked ? std::to_string(at + 1) : "");
  line.add("state", name_of(trial.state));
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    line.add(parameters[p], p < trial.configuration.size() ? to_text(trial.configuration[p]) : "");
  }
  for (const auto& [name, extent] : results.size.dims) line.add(name, std::to_string(extent));
  add_times(trial, line);
  const Metrics values = shown(trial).metrics;
  for (const std::string& name : columns.metrics) line.add(name, metric_of(values, name));
  if (results.baseline) {
    const auto& speedups = results.baseline->speedups;
    line.add("speedup", at < speedups.size() ? number(speedups[at].ratio) : "");
  }
  const auto flag = [&](bool value) { return !ranked ? "" : value ? "true" : "false"; };
  if (!results.front.empty()) line.add("front", flag(ranked && results.front[at]));
  using Column = TrialFigure::Column;
  const auto figures = [&](Column column) { add_figures(results.trials, trial, column, line); };
  figures(Column::kBeforeTiming);
  if (columns.timed && results.timed) {
    line.add("mode", name_of(results.timed->mode));
    line.add("cache", name_of(results.timed->cache));
  }
  if (columns.fresh && results.timed) line.add("inputs", name_of(results.timed->inputs));
  figures(Column::kBeforeDevice);
  if (columns.device) line.add("device_uuid", trial.device_uuid);
  figures(Column::kBeforeTie);
  const bool tied = at < results.tied.size() && results.tied[at];
  line.add("tie", flag(tied));
  figures(Column::kBehindTie);
  line.add("message", shortened(trial.message, kMessageBytes));
  line.add("verified",
           ranked && results.unverified ? (results.unverified->empty() ? "true" : "false") : "");
  if (!results.form.empty()) line.add("form", results.form);
  if (columns.limit) {
    const auto share = share_of_limit(trial);
    line.add("limit_ms", share ? number(trial.limit->ms) : "");
    line.add("limit", share ? trial.limit->of : "");
    line.add("share_of_limit", share ? number(*share) : "");
  }
  figures(Column::kLast);
  return line.end();
}

}  // namespace

std::string ranked_csv(const RankedResults& results, std::span<const std::string> parameters) {
  const auto has_limit = [](const Trial& trial) { return share_of_limit(trial).has_value(); };
  std::set<std::string_view> devices;
  for (const Trial& trial : results.trials) {
    if (!trial.device_uuid.empty()) devices.insert(trial.device_uuid);
  }
  const Columns columns{metric_names(results), results.timed && *results.timed != TimedHow{},
                        results.timed && results.timed->inputs == TimedInputs::kFresh,
                        devices.size() > 1, std::ranges::any_of(results.trials, has_limit)};
  std::string text = row(results, results.trials.size(), parameters, columns);
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    text += row(results, i, parameters, columns);
  }
  return text;
}

}  // namespace tuner
