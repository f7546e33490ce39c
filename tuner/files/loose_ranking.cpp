// Reads ranked CSV files without their study: what it said of names and values the columns tell.

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/files/ranked_csv.h"
#include "tuner/files/ranked_files.h"
#include "tuner/model/trial_figures.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Columns behind the parameters that are neither figures nor metrics.
constexpr std::array<std::string_view, 23> kFixed{"time_ms",
                                                  "ci_low_ms",
                                                  "ci_high_ms",
                                                  "min_ms",
                                                  "samples",
                                                  "search_ms",
                                                  "final_ms",
                                                  "final_ci_low_ms",
                                                  "final_ci_high_ms",
                                                  "basis",
                                                  "speedup",
                                                  "front",
                                                  "mode",
                                                  "cache",
                                                  "inputs",
                                                  "device_uuid",
                                                  "tie",
                                                  "message",
                                                  "verified",
                                                  "form",
                                                  "limit_ms",
                                                  "limit",
                                                  "share_of_limit"};

bool is_fixed(const std::string& name) {
  return std::ranges::find(kFixed, name) != kFixed.end() ||
         std::ranges::any_of(trial_figures(),
                             [&](const TrialFigure& one) { return one.name == name; });
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
  if (reads(text, number) && to_text(Value(number)) == text) return number;
  return text;
}

// The study, as far as a file contains it.
class ToldStudy {
 public:
  explicit ToldStudy(const CsvTable& table) : table_(table), rows_(table.rows()) {
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      if (rows_[r].size() == rows_[0].size()) continue;
      table_.reject_at(r, rows_[r].size() - 1,
                       "the row does not have as many fields as the first line");
    }
  }

  Study read(const std::string& kernel) const {
    Study out;
    out.kernel.name = kernel;
    const auto begin = rows_[0].begin();
    const auto time = static_cast<std::size_t>(std::ranges::find(rows_[0], "time_ms") - begin);
    std::vector<std::size_t> named;  // parameters, then dimensions: between the state and the time
    for (std::size_t i = 2; i < time; ++i) named.push_back(i);
    for (std::size_t i = time; i < rows_[0].size(); ++i) {
      if (!is_fixed(rows_[0][i])) out.metrics.push_back({rows_[0][i], {}});
    }
    const std::size_t tuned = named.size() - dimensions_among(named);
    for (std::size_t i = 0; i < tuned; ++i) out.parameters.push_back(parameter(named[i]));
    out.sizes.emplace_back();
    for (std::size_t i = tuned; i < named.size(); ++i) {
      out.sizes[0].dims.emplace_back(rows_[0][named[i]], 0);
    }
    read_measuring(out.measure);
    // Results of another quantity may have no times.
    const auto is_none = [&](const auto& row) { return row[time] == "0"; };
    const bool untimed = table_.has("time_ms") && std::ranges::any_of(rows_, is_none);
    if (untimed && !out.metrics.empty()) out.objective.name = out.metrics[0].name;
    return out;
  }

 private:
  Parameter parameter(std::size_t column) const {
    Parameter out{rows_[0][column], {}, {}};
    std::set<std::string> seen;
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      if (seen.insert(rows_[r][column]).second) out.values.push_back(value_of(rows_[r][column]));
    }
    return out;
  }

  // The last ones, whose one value for all rows makes up the file's name; where it has another
  // name, all whole numbers at the end that do not vary.
  std::size_t dimensions_among(const std::vector<std::size_t>& columns) const {
    if (rows_.size() < 2) return 0;
    const std::string wanted = fs::path(table_.file()).stem().string();
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

  // One of `all` that the column names in the first row.
  template <typename Enum, std::size_t N>
  void read_one(const char* column, const std::array<Enum, N>& all, Enum& out) const {
    const std::string* const told = rows_.size() > 1 ? table_.known(1, column) : nullptr;
    if (told == nullptr) return;
    const auto found = std::ranges::find_if(all, [&](Enum one) { return name_of(one) == *told; });
    if (found != all.end()) out = *found;
  }

  void read_measuring(MeasureSpec& out) const {
    read_one("mode", std::array{LaunchMode::kStream, LaunchMode::kGraph}, out.mode);
    read_one("cache", std::array{CacheState::kCold, CacheState::kHot, CacheState::kRotate},
             out.cache);
    read_one("inputs", std::array{TimedInputs::kSame, TimedInputs::kFresh}, out.inputs);
  }

  const CsvTable& table_;
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
    const fs::path folders = fs::absolute(file.path).parent_path();
    const CsvTable table(file.path.string(), std::move(file.text));
    LooseRanking one;
    one.kernel = (file.device ? folders.parent_path() : folders).filename().string();
    const Study told = ToldStudy(table).read(one.kernel);
    for (const Parameter& parameter : told.parameters) one.parameters.push_back(parameter.name);
    one.objective = told.objective;
    std::vector<std::string> notes;  // all rows are of this study
    one.ranked = read_ranked_csv(table, told, {}, notes);
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
