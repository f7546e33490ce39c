// Writes and reads CSV, and writes the ranked one.

#include "tuner/results/ranked_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

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
  std::string line;
  for (const Parameter& parameter : parameters) {
    line += (line.empty() ? "" : ",") + csv_field(parameter.name);
  }
  return line;
}

std::string csv_row(const Configuration& configuration) {
  std::string line;
  for (std::size_t i = 0; i < configuration.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_field(to_text(configuration[i]));
  }
  return line;
}

std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  walk(
      text, [&](std::string field, const Position&) { row.push_back(std::move(field)); },
      [&] { rows.push_back(std::exchange(row, {})); });
  return rows;
}

Position csv_position(const std::string& text, std::size_t row, std::size_t column) {
  std::size_t now = 0;
  std::size_t at = 0;
  Position found;
  walk(
      text,
      [&](const std::string&, const Position& where) {
        if (now == row && at++ == column) found = where;
      },
      [&] { ++now; });
  return found;
}

namespace {

// Compilers' logs are kept whole in the database; a table needs the beginning.
constexpr std::size_t kMessageBytes = 1000;

std::string number(double value) { return fmt::format("{:.7g}", value); }
std::string known(double value) { return std::isnan(value) || value == -1 ? "" : number(value); }
std::string known(std::int64_t value) { return value == -1 ? "" : std::to_string(value); }

std::string beginning_of(const std::string& message) {
  if (message.size() <= kMessageBytes) return message;
  std::size_t end = kMessageBytes;
  // Not in the middle of a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  return message.substr(0, end) + " ...";
}

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

class Line {
 public:
  void add(std::string_view field) {
    if (!text_.empty() || fields_ > 0) text_ += ',';
    text_ += csv_field(field);
    ++fields_;
  }
  std::string end() { return std::move(text_) + "\n"; }

 private:
  std::string text_;
  int fields_ = 0;
};

// Columns that some rankings have.
struct Columns {
  std::vector<std::string> metrics;
  bool deterministic = false;  // somebody asked for the same bits in every launch
  bool timed = false;          // not in the usual way
  bool fresh = false;          // on other inputs in each sample
  bool clock = false;          // somebody knows it
  bool watts = false;
  bool device = false;  // several devices of the model have measured
  bool scaled = false;  // some of what they measured
  bool limit = false;   // of the device, for what has to be done
};

std::string header(const RankedResults& results, std::span<const std::string> parameters,
                   const Columns& columns) {
  Line line;
  for (const char* name : {"rank", "state"}) line.add(name);
  for (const std::string& name : parameters) line.add(name);
  for (const auto& [name, extent] : results.size.dims) line.add(name);
  for (const char* name : {"time_ms", "ci_low_ms", "ci_high_ms", "min_ms", "samples", "basis",
                           "search_ms", "final_ms", "final_ci_low_ms", "final_ci_high_ms"}) {
    line.add(name);
  }
  for (const std::string& name : columns.metrics) line.add(name);
  if (results.baseline) line.add("speedup");
  if (!results.front.empty()) line.add("front");
  if (columns.deterministic) line.add("deterministic");
  if (columns.timed) {
    line.add("mode");
    line.add("cache");
  }
  if (columns.fresh) line.add("inputs");
  if (columns.clock) line.add("clock_mhz");
  if (columns.watts) line.add("watts");
  if (columns.device) line.add("device_uuid");
  if (columns.scaled) line.add("device_scale");
  for (const char* name :
       {"tie", "registers", "static_shared_bytes", "dynamic_shared_bytes", "spill_bytes",
        "occupancy", "compile_ms", "cache_hit", "max_error", "message", "verified"}) {
    line.add(name);
  }
  if (!results.form.empty()) line.add("form");
  if (columns.limit) {
    for (const char* name : {"limit_ms", "limit", "share_of_limit"}) line.add(name);
  }
  return line.end();
}

// Of a study whose objective is no time a row of others may have none: 0.
void add_times(const Trial& trial, bool basis_known, bool may_have_none, Line& line) {
  const bool timed = trial.state == TrialState::kOk || trial.state == TrialState::kDropped;
  const auto add = [&](bool known, double ms) { line.add(known ? number(ms) : ""); };
  const Shown figures = shown(trial);
  const Timing& search = trial.timing;
  const bool searched = timed && (is_time(search.median) || (may_have_none && !trial.final));
  const bool interval = searched && (search.ci_low > 0 || may_have_none);
  add(timed, figures.median_ms);
  add(interval, search.ci_low);
  add(interval, search.ci_high);
  add(interval, search.min);
  line.add(interval ? std::to_string(sample_count(search)) : "");
  line.add(!timed || !basis_known ? "" : figures.by_final ? "final" : "search");
  add(searched && basis_known, search.median);
  add(timed && figures.by_final, figures.median_ms);
  add(timed && figures.by_final, figures.ci_low_ms);
  add(timed && figures.by_final, figures.ci_high_ms);
}

std::string row(const RankedResults& results, std::size_t at, std::size_t parameters,
                const Columns& columns) {
  const Trial& trial = results.trials[at];
  const bool ranked = at < results.ranked;
  Line line;
  line.add(ranked ? std::to_string(at + 1) : "");
  line.add(name_of(trial.state));
  for (std::size_t p = 0; p < parameters; ++p) {
    line.add(p < trial.configuration.size() ? to_text(trial.configuration[p]) : "");
  }
  for (const auto& [name, extent] : results.size.dims) line.add(std::to_string(extent));
  add_times(trial, results.basis_known, !is_time(trial.timing.median), line);
  const Metrics values = shown(trial).metrics;
  for (const std::string& name : columns.metrics) line.add(metric_of(values, name));
  if (results.baseline) {
    const auto& speedups = results.baseline->speedups;
    line.add(at < speedups.size() ? number(speedups[at].ratio) : "");
  }
  const auto flag = [&](bool value) { return !ranked ? "" : value ? "true" : "false"; };
  if (!results.front.empty()) line.add(flag(ranked && results.front[at]));
  if (columns.deterministic) {
    const std::optional<bool>& kept = trial.deterministic;
    line.add(!kept ? "" : *kept ? "true" : "false");
  }
  if (columns.timed && results.timed) {
    line.add(name_of(results.timed->mode));
    line.add(name_of(results.timed->cache));
  }
  if (columns.fresh && results.timed) line.add(name_of(results.timed->inputs));
  const auto measured = [&](double value) {
    line.add(value > 0 ? fmt::format("{:.0f}", value) : "");
  };
  if (columns.clock) measured(trial.conditions.clock_mhz);
  if (columns.watts) measured(trial.conditions.watts);
  if (columns.device) line.add(trial.device_uuid);
  if (columns.scaled) line.add(trial.device_scale > 0 ? number(trial.device_scale) : "");
  const bool tied = at < results.tied.size() && results.tied[at];
  line.add(flag(tied));
  line.add(known(trial.resources.registers));
  line.add(known(trial.resources.static_shared_bytes));
  line.add(std::to_string(trial.geometry.dynamic_shared_bytes));
  line.add(known(trial.resources.spill_bytes));
  line.add(known(trial.occupancy));
  line.add(number(trial.compile_ms));
  line.add(trial.cache_hit ? "true" : "false");
  line.add(known(trial.max_error));
  line.add(beginning_of(trial.message));
  line.add(ranked && results.unverified ? (results.unverified->empty() ? "true" : "false") : "");
  if (!results.form.empty()) line.add(results.form);
  if (columns.limit) {
    const auto share = share_of_limit(trial);
    line.add(share ? number(trial.limit->ms) : "");
    line.add(share ? trial.limit->of : "");
    line.add(share ? number(*share) : "");
  }
  return line.end();
}

}  // namespace

std::string ranked_csv(const RankedResults& results, std::span<const std::string> parameters) {
  const auto asked = [](const Trial& trial) { return trial.deterministic.has_value(); };
  const auto has_clock = [](const Trial& trial) { return trial.conditions.clock_mhz > 0; };
  const auto has_watts = [](const Trial& trial) { return trial.conditions.watts > 0; };
  const auto is_scaled = [](const Trial& trial) { return trial.device_scale > 0; };
  const auto has_limit = [](const Trial& trial) { return share_of_limit(trial).has_value(); };
  std::set<std::string_view> devices;
  for (const Trial& trial : results.trials) {
    if (!trial.device_uuid.empty()) devices.insert(trial.device_uuid);
  }
  const Columns columns{metric_names(results),
                        std::ranges::any_of(results.trials, asked),
                        results.timed && *results.timed != TimedHow{},
                        results.timed && results.timed->inputs == TimedInputs::kFresh,
                        std::ranges::any_of(results.trials, has_clock),
                        std::ranges::any_of(results.trials, has_watts),
                        devices.size() > 1,
                        std::ranges::any_of(results.trials, is_scaled),
                        std::ranges::any_of(results.trials, has_limit)};
  std::string text = header(results, parameters, columns);
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    text += row(results, i, parameters.size(), columns);
  }
  return text;
}

}  // namespace tuner
