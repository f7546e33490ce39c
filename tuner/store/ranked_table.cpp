#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tuner/store/ranked_csv.h"

namespace tuner {
namespace {

struct Column {
  std::string title;
  bool text = false;  // aligned to the left
  std::vector<std::string> cells;
};

std::size_t width_of(const std::string& utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(
      utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string aligned(const std::vector<Column>& columns, std::size_t rows) {
  std::vector<std::string> lines(rows + 1);
  for (const Column& column : columns) {
    std::size_t width = width_of(column.title);
    for (const std::string& cell : column.cells) width = std::max(width, width_of(cell));
    for (std::size_t i = 0; i <= rows; ++i) {
      const std::string& cell = i == 0 ? column.title : column.cells[i - 1];
      const std::string gap(width - width_of(cell), ' ');
      lines[i] += (lines[i].empty() ? "" : "  ") + (column.text ? cell + gap : gap + cell);
    }
  }
  std::string out;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string half_width(const Timing& timing) {
  const double half = (timing.ci_high - timing.ci_low) / 2 / timing.median;
  return std::isfinite(half) ? fmt::format("±{:.1f}%", 100 * half) : "";
}

bool varies(const RankedResults& results, std::size_t parameter, std::size_t rows) {
  for (std::size_t i = 1; i < rows; ++i) {
    if (results.trials[i].configuration[parameter] != results.trials[0].configuration[parameter]) {
      return true;
    }
  }
  return false;
}

std::string counts(const RankedResults& results) {
  std::array<std::size_t, 8> by_state{};
  for (const Trial& trial : results.trials) ++by_state[static_cast<std::size_t>(trial.state)];
  std::string text;
  for (std::size_t s = 0; s < by_state.size(); ++s) {
    if (by_state[s] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", by_state[s],
                        name_of(static_cast<TrialState>(s)));
  }
  return fmt::format("{} trials{}{}\n", results.trials.size(), text.empty() ? "" : ": ", text);
}

}  // namespace

std::string ranked_table(const RankedResults& results, std::span<const std::string> parameters,
                         std::size_t top) {
  const std::size_t rows = std::min(top, results.ranked);
  std::vector<Column> columns{
      {"rank", false, {}}, {"", true, {}}, {"time ms", false, {}}, {"", false, {}}};
  for (std::size_t i = 0; i < rows; ++i) {
    const Timing& timing = results.trials[i].timing;
    columns[0].cells.push_back(std::to_string(i + 1));
    columns[1].cells.emplace_back(i < results.tied.size() && results.tied[i] ? "=" : "");
    columns[2].cells.push_back(fmt::format("{:.4g}", timing.median));
    columns[3].cells.push_back(half_width(timing));
  }
  if (rows > 0) {
    for (const auto& [name, unused] : results.trials[0].metrics) {
      Column column{name, false, {}};
      for (std::size_t i = 0; i < rows; ++i) {
        const auto& metrics = results.trials[i].metrics;
        const auto found = std::ranges::find(metrics, name, [](const auto& m) { return m.first; });
        column.cells.push_back(found == metrics.end() ? "" : fmt::format("{:.5g}", found->second));
      }
      columns.push_back(std::move(column));
    }
  }
  std::string common;
  for (std::size_t p = 0; p < parameters.size() && rows > 0; ++p) {
    const Configuration& best = results.trials[0].configuration;
    if (rows > 1 && !varies(results, p, rows)) {
      common += fmt::format("{}{}={}", common.empty() ? "" : " ", parameters[p], to_text(best[p]));
      continue;
    }
    Column column{parameters[p], std::holds_alternative<std::string>(best[p]), {}};
    for (std::size_t i = 0; i < rows; ++i) {
      column.cells.push_back(to_text(results.trials[i].configuration[p]));
    }
    columns.push_back(std::move(column));
  }
  std::string out = rows > 0 ? aligned(columns, rows) : std::string("nothing valid was found\n");
  if (!common.empty()) out += "all of these: " + common + "\n";
  return out + counts(results);
}

}  // namespace tuner
