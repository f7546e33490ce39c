// Prints a ranking as a table for people.

#include "tuner/files/ranked_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/model/bound.h"

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

// The header and the rows, of which the first is the best.
std::string aligned(const std::vector<Column>& columns, std::size_t rows, const Colours& colours) {
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
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].erase(lines[i].find_last_not_of(' ') + 1);
    out += (i == 1 ? colours.good(lines[i]) : lines[i]) + "\n";
  }
  return out;
}

bool is_dropped(const Trial& trial) { return trial.state == TrialState::kDropped; }

// Formats half the interval's width; empty for a single sample, whose error is unknown.
std::string half_width(const Shown& figures) {
  if (figures.samples < 2 && !(figures.ci_high_ms > figures.ci_low_ms)) return "";
  const double half = (figures.ci_high_ms - figures.ci_low_ms) / 2 / figures.median_ms;
  return std::isfinite(half) ? fmt::format("±{:.1f}%", 100 * half) : "";
}

// The best `top`, and what else is on the front.
std::vector<std::size_t> shown_of(const RankedResults& results, std::size_t top) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    if (i < top || (i < results.front.size() && results.front[i])) shown.push_back(i);
  }
  return shown;
}

std::string marks(const RankedResults& results, std::size_t at) {
  std::string text = at < results.tied.size() && results.tied[at] ? "=" : "";
  if (at < results.front.size() && results.front[at]) text += '*';
  if (is_dropped(results.trials[at])) text += 'd';
  return text;
}

std::vector<Column> time_columns(const RankedResults& results,
                                 const std::vector<std::size_t>& shown_ones) {
  std::vector<Column> columns{
      {"rank", false, {}}, {"", true, {}}, {"time ms", false, {}}, {"", false, {}}};
  for (const std::size_t at : shown_ones) {
    const Shown figures = shown(results.trials[at]);
    columns[0].cells.push_back(std::to_string(at + 1));
    columns[1].cells.push_back(marks(results, at));
    // Trials that others recorded with another objective than the time may have no time.
    columns[2].cells.push_back(is_time(figures.median_ms) ? fmt::format("{:.4g}", figures.median_ms)
                                                          : "");
    columns[3].cells.push_back(half_width(figures));
  }
  const auto by_final = [&](std::size_t at) { return results.trials[at].final.has_value(); };
  // Two columns that look alike and are not: a final's figure is no search's.
  if (std::ranges::any_of(shown_ones, by_final) && !std::ranges::all_of(shown_ones, by_final)) {
    columns.push_back({"by", true, {}});
    for (const std::size_t at : shown_ones) {
      columns.back().cells.emplace_back(by_final(at) ? "final" : "search");
    }
  }
  return columns;
}

Column metric_column(const RankedResults& results, const std::vector<std::size_t>& shown_ones,
                     const std::string& name) {
  Column column{for_terminal(name), false, {}};
  for (const std::size_t at : shown_ones) {
    const Metrics metrics = shown(results.trials[at]).metrics;
    const auto found = std::ranges::find(metrics, name, [](const auto& m) { return m.first; });
    column.cells.push_back(found == metrics.end() ? "" : fmt::format("{:.5g}", found->second));
  }
  return column;
}

std::optional<Column> limit_column(const RankedResults& results,
                                   const std::vector<std::size_t>& shown_ones) {
  Column column{"of limit", false, {}};
  bool any = false;
  for (const std::size_t at : shown_ones) {
    column.cells.push_back(for_terminal(share_text(results.trials[at])));
    any = any || !column.cells.back().empty();
  }
  return any ? std::optional(std::move(column)) : std::nullopt;
}

// The end of each table: how trials ended, what is not among them, what may be wrong with all.
std::string counts(const RankedResults& results, const Colours& colours) {
  const std::string states = states_text(states_of(results));
  std::string text = fmt::format("{}{}{}\n", count_text(results.trials.size(), "trial"),
                                 states.empty() ? "" : ": ", states);
  if (results.outside > 0) text += outside_text(results) + "\n";
  for (const std::string& warning : results.warnings) {
    text += colours.doubtful("warning:") + " " + for_terminal(warning) + "\n";
  }
  return text;
}

// Compares the best with the baseline, which the user has now.
std::string baseline_line(const RankedResults& results, std::span<const std::string> parameters) {
  if (!results.baseline) return "";
  const BaselineResult& baseline = *results.baseline;
  const std::string values = named_values(parameters, baseline.configuration);
  if (!baseline.at) return fmt::format("the baseline ({}) was not measured here\n", values);
  const Trial& trial = results.trials[*baseline.at];
  if (baseline.speedups.empty()) {
    return fmt::format(
        "the baseline ({}) is not ranked: {}\n", values,
        for_terminal(is_valid(trial) ? trial.message : std::string(shown_name(trial.state))));
  }
  if (*baseline.at == 0 && results.ranked == 1 && results.trials.size() > 1) {
    return fmt::format("the baseline ({}) is the only valid configuration\n", values);
  }
  if (*baseline.at == 0) {
    return fmt::format("the baseline ({}) is the best: nothing is faster beyond the interval\n",
                       values);
  }
  const Speedup& best = baseline.speedups.front();
  const std::string low = fmt::format("{:.4g}", best.low);
  const std::string high = fmt::format("{:.4g}", best.high);
  return fmt::format("speed-up over the baseline ({}; rank {}): {:.4g}{}{}\n", values,
                     *baseline.at + 1, best.ratio, low == high ? "" : ", " + low + " to " + high,
                     best.by_final ? ", measured in turns" : "");
}

}  // namespace

std::string_view shown_name(TrialState state) {
  return state == TrialState::kConstraints ? "over a device limit" : name_of(state);
}

StateCounts states_of(const RankedResults& results) {
  StateCounts states{};
  for (const Trial& trial : results.trials) ++states.at(static_cast<std::size_t>(trial.state));
  return states;
}

std::string states_text(const StateCounts& states) {
  std::string text;
  for (std::size_t s = 0; s < states.size(); ++s) {
    if (states[s] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", states[s],
                        shown_name(static_cast<TrialState>(s)));
  }
  return text;
}

std::string outside_text(const RankedResults& results) {
  const bool one = results.outside == 1;
  return fmt::format("{} {} outside of the study now: kept, not ranked",
                     count_text(results.outside, "stored result"), one ? "is" : "are");
}

std::string named_values(std::span<const std::string> names, const Configuration& configuration) {
  std::string out;
  for (std::size_t p = 0; p < names.size() && p < configuration.size(); ++p) {
    out += fmt::format("{}{}={}", p == 0 ? "" : " ", names[p], to_text(configuration[p]));
  }
  return for_terminal(out);
}

std::string loss_text(const std::optional<double>& loss) {
  if (!loss) return "nothing right";
  const double percent = 100 * *loss;
  if (percent >= 9.95) return fmt::format("{:.0f} %", percent);
  return fmt::format("{:.2g} %", percent < 0.005 ? 0 : percent);
}

std::vector<std::string> advice_lines(const RankedResults& results) {
  std::vector<std::string> lines;
  for (const AdviceWorth& one : results.advice) {
    const std::string by = "advice " + for_terminal(one.by) + ": ";
    if (one.loss) {
      lines.push_back(
          fmt::format("{}{} from the best, after {:.1f} s", by, loss_text(one.loss), one.after_s));
    } else {
      lines.push_back(
          fmt::format("{}none of {} is right", by, count_text(one.tried, "configuration")));
    }
  }
  return lines;
}

std::string ranked_table(const RankedResults& results, std::span<const std::string> parameters,
                         std::size_t top, const Colours& colours) {
  const std::vector<std::size_t> rows = shown_of(results, top);
  if (rows.empty()) {
    return colours.lines(colours.bad("nothing valid was found") + "\n" +
                         baseline_line(results, parameters) + counts(results, colours));
  }
  std::vector<Column> columns = time_columns(results, rows);
  const Trial& best = results.trials[rows.front()];
  for (const auto& [name, unused] : shown(best).metrics) {
    columns.push_back(metric_column(results, rows, name));
  }
  std::string common;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Value& value = best.configuration[p];
    const std::string name = for_terminal(parameters[p]);
    Column column{name, std::holds_alternative<std::string>(value), {}};
    for (const std::size_t at : rows) {
      column.cells.push_back(for_terminal(to_text(results.trials[at].configuration[p])));
    }
    const bool same = std::ranges::all_of(
        rows, [&](std::size_t at) { return results.trials[at].configuration[p] == value; });
    if (rows.size() > 1 && same) {
      common +=
          fmt::format("{}{}={}", common.empty() ? "" : " ", name, for_terminal(to_text(value)));
    } else {
      columns.push_back(std::move(column));
    }
  }
  if (auto limits = limit_column(results, rows)) columns.push_back(std::move(*limits));
  std::string out = baseline_line(results, parameters);
  for (const std::string& line : advice_lines(results)) out += line + "\n";
  if (const auto bound = bound_of(best.counters)) out += "the best is " + bound->text + "\n";
  if (results.form == "launcher") {
    out += "launcher: what is timed is a function of the host, with all that it launches\n";
  } else if (results.form == "command") {
    out += "command: a time is what a program says of itself, or from its start to its end\n";
  }
  if (results.unverified && !results.unverified->empty()) {
    out += colours.doubtful("not verified:") + " " + for_terminal(*results.unverified) +
           "; wrong answers would be ranked\n";
  }
  if (!results.same_inputs.empty()) {
    out += "a kernel that keeps its answers would not be noticed: " + results.same_inputs + "\n";
  }
  if (std::ranges::any_of(rows, [&](std::size_t at) { return is_dropped(results.trials[at]); })) {
    out += "d dropped: timed briefly, as clearly slower than the best; ranked behind all others\n";
  }
  if (!results.front.empty()) out += "* on the front: no other is as good in every objective\n";
  if (!common.empty()) out += "all of these: " + common + "\n";
  return aligned(columns, rows.size(), colours) + colours.lines(out + counts(results, colours));
}

std::size_t left_out_of_table(const RankedResults& results, std::size_t top) {
  return results.ranked - shown_of(results, top).size();
}

}  // namespace tuner
