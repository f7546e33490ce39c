// Reads ranked CSV files by the names of their columns.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/results/ranked_csv.h"
#include "tuner/results/ranked_files.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Columns that are neither parameters nor metrics.
constexpr std::string_view kFixed =
    " rank state time_ms ci_low_ms ci_high_ms min_ms samples search_ms final_ms final_ci_low_ms "
    "final_ci_high_ms basis speedup front deterministic mode cache inputs clock_mhz watts "
    "device_uuid "
    "device_scale tie registers static_shared_bytes dynamic_shared_bytes spill_bytes occupancy "
    "compile_ms cache_hit max_error message verified form ";

bool is_fixed(const std::string& name) {
  return name.find(' ') == name.npos && kFixed.find(" " + name + " ") != kFixed.npos;
}

template <typename Number>
bool reads(const std::string& text, Number& out) {
  const char* const end = text.data() + text.size();
  return !text.empty() && std::from_chars(text.data(), end, out).ptr == end;
}

Value value_of(const std::string& text) {
  std::int64_t whole = 0;
  double number = 0;
  if (text == "true" || text == "false") return text == "true";
  if (reads(text, whole)) return whole;
  if (reads(text, number)) return number;
  return text;
}

class LooseText {
 public:
  LooseText(const fs::path& file, std::string content)
      : file_(file), table_(file.string(), std::move(content)), rows_(table_.rows()) {
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      if (rows_[r].size() == rows_[0].size()) continue;
      table_.reject_at(r, rows_[r].size() - 1,
                       "the row does not have as many fields as the first line");
    }
  }

  LooseRanking read() const {
    LooseRanking out;
    out.file = file_;
    out.told_apart = table_.has("final_ms") || table_.has("basis");
    const auto [parameters, metrics] = named_columns();
    std::size_t tuned = parameters.size();
    const std::size_t dimensions = dimensions_among(parameters);
    tuned -= dimensions;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string& name = rows_[0][parameters[i]];
      if (i < tuned) {
        out.parameters.push_back(name);
      } else {
        std::int64_t extent = 0;
        reads(rows_[1][parameters[i]], extent);
        out.ranked.size.dims.emplace_back(name, extent);
      }
    }
    if (table_.has("verified")) out.ranked.unverified = "";
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      Trial trial = trial_at(r, metrics);
      for (std::size_t i = 0; i < tuned; ++i) {
        trial.configuration.push_back(value_of(rows_[r][parameters[i]]));
      }
      trial.index = r - 1;
      take_rank(r, out.ranked);
      out.ranked.trials.push_back(std::move(trial));
    }
    drop_false_ties(out.ranked);
    return out;
  }

 private:
  // Columns of parameters and dimensions, and those of metrics.
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> named_columns() const {
    std::pair<std::vector<std::size_t>, std::vector<std::size_t>> out;
    bool timed = false;
    for (std::size_t i = 0; i < rows_[0].size(); ++i) {
      const std::string& name = rows_[0][i];
      if (name == "time_ms" || name == "search_ms") timed = true;
      if (!is_fixed(name)) (timed ? out.second : out.first).push_back(i);
    }
    return out;
  }

  // The last ones, whose one value for all rows makes up the file's name; where it has another
  // name, all whole numbers at the end that do not vary.
  std::size_t dimensions_among(const std::vector<std::size_t>& columns) const {
    if (rows_.size() < 2) return 0;
    const std::string wanted = file_.stem().string();
    std::string label;
    std::size_t steady = 0;
    for (std::size_t n = 1; n <= columns.size(); ++n) {
      const std::size_t column = columns[columns.size() - n];
      const std::string& value = rows_[1][column];
      std::int64_t whole = 0;
      const bool one =
          reads(value, whole) && std::all_of(rows_.begin() + 1, rows_.end(),
                                             [&](const auto& row) { return row[column] == value; });
      if (!one) break;
      steady = n;
      label = rows_[0][column] + value + (label.empty() ? "" : "_") + label;
      if (label == wanted) return n;
    }
    return wanted == "default" ? 0 : steady;
  }

  const std::string* field(std::size_t r, const std::string& column) const {
    return table_.known(r, column);
  }

  double number(std::size_t r, const std::string& column, double missing) const {
    return field(r, column) == nullptr ? missing : table_.number(r, column);
  }

  Trial trial_at(std::size_t r, const std::vector<std::size_t>& metrics) const {
    Trial trial;
    const std::string* const state = field(r, "state");
    const auto named = state != nullptr ? trial_state_named(*state) : std::nullopt;
    if (!named) table_.reject_at(r, "state", "is no state of a configuration");
    trial.state = *named;
    if (const std::string* const text = field(r, "message")) trial.message = *text;
    read_times(r, trial);
    for (const std::size_t column : metrics) {
      const std::string& name = rows_[0][column];
      Metrics& values = trial.final ? trial.final->metrics : trial.metrics;
      if (field(r, name) != nullptr) values.emplace_back(name, number(r, name, 0));
    }
    trial.resources.registers = static_cast<int>(number(r, "registers", -1));
    trial.resources.static_shared_bytes =
        static_cast<std::int64_t>(number(r, "static_shared_bytes", -1));
    trial.geometry.dynamic_shared_bytes =
        static_cast<std::uint64_t>(number(r, "dynamic_shared_bytes", 0));
    trial.resources.spill_bytes = static_cast<std::int64_t>(number(r, "spill_bytes", -1));
    trial.occupancy = number(r, "occupancy", -1);
    trial.compile_ms = number(r, "compile_ms", 0);
    trial.max_error = number(r, "max_error", -1);
    const std::string* const hit = field(r, "cache_hit");
    trial.cache_hit = hit != nullptr && *hit == "true";
    return trial;
  }

  void read_times(std::size_t r, Trial& trial) const {
    if (!is_valid(trial)) return;
    trial.outdated = field(r, "rank") == nullptr;
    const std::string* const basis = field(r, "basis");
    if (basis != nullptr && *basis == "final") {
      read_final(r, trial.final.emplace());
      trial.timing.median = number(r, "search_ms", 0);
      if (trial.timing.median == 0) {
        trial.objective = SearchFigure(std::nan(""));  // not kept
        return;
      }
    } else {
      trial.timing.median = number(r, "time_ms", 0);
    }
    trial.timing.ci_low = number(r, "ci_low_ms", trial.timing.median);
    trial.timing.ci_high = number(r, "ci_high_ms", trial.timing.median);
    trial.timing.min = number(r, "min_ms", trial.timing.median);
    trial.timing.counted = static_cast<std::uint64_t>(std::max(number(r, "samples", 0), 0.0));
    trial.objective = SearchFigure(trial.timing.median / 1000);
  }

  void read_final(std::size_t r, FinalResult& final) const {
    const double median = number(r, "final_ms", 0);
    final.samples = {median};
    final.median_ms = FinalFigure(median);
    final.ci_low_ms = FinalFigure(number(r, "final_ci_low_ms", median));
    final.ci_high_ms = FinalFigure(number(r, "final_ci_high_ms", median));
    final.objective = FinalFigure(median / 1000);
  }

  void take_rank(std::size_t r, RankedResults& ranked) const {
    if (field(r, "rank") == nullptr) return;
    ++ranked.ranked;
    const auto is = [&](const std::string& column, const char* text) {
      const std::string* const found = field(r, column);
      return found != nullptr && *found == text;
    };
    ranked.tied.push_back(is("tie", "true"));
    if (table_.has("front")) ranked.front.push_back(is("front", "true"));
    if (is("verified", "false")) ranked.unverified = "nothing verified them then";
  }

  const fs::path& file_;
  const CsvTable table_;
  const std::vector<std::vector<std::string>>& rows_;
};

bool is_ranking(const std::string& content) {
  const std::string_view line(content.data(), std::min(content.find('\n'), content.size()));
  return line.starts_with("rank,state,") && line.find("time_ms") != line.npos;
}

}  // namespace

std::vector<LooseRanking> read_loose_rankings(const fs::path& from) {
  std::vector<LooseRanking> all;
  for (CsvFile& file : csv_files(from)) {
    if (!is_ranking(file.text)) continue;
    LooseRanking one = LooseText(file.path, std::move(file.text)).read();
    const fs::path folders = fs::absolute(file.path).parent_path();
    one.kernel = (file.device ? folders.parent_path() : folders).filename().string();
    one.ranked.device.name = "device not recorded";
    if (file.device) one.ranked.device = std::move(*file.device);
    all.push_back(std::move(one));
  }
  if (all.empty()) {
    throw InputError(Complaint{{from.string(), 0, 0},
                               "there are no results here: neither a database (tuner.sqlite) nor "
                               "ranked CSV files as 'tuner run' writes them",
                               ""});
  }
  return all;
}

}  // namespace tuner
