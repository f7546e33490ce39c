// Groups failures by their first line of error, and prints the groups.

#include "tuner/exporters/failure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/engine/objective.h"
#include "tuner/exporters/ranked_table.h"

namespace tuner {
namespace {

constexpr std::size_t kMostGroups = 5;
constexpr std::size_t kMostLines = 12;   // of a message
constexpr std::size_t kMostBytes = 200;  // of a line

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

std::string shortened(std::string line) {
  if (line.size() <= kMostBytes) return line;
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + " ...";
}

// "/a/b/saxpy.cu(3): error: no such name" becomes "saxpy.cu:3: no such name".
std::string without_folders(const std::string& line) {
  constexpr std::string_view kError = "error: ";
  const std::size_t at = line.find(kError);
  if (at == std::string::npos) return line;
  std::string place = line.substr(0, at);
  place.erase(0, place.find_last_of('/') == std::string::npos ? 0 : place.find_last_of('/') + 1);
  const std::size_t open = place.find('(');
  if (open != std::string::npos && open + 1 < place.size() && is_digit(place[open + 1])) {
    place[open] = ':';
    place.erase(std::remove(place.begin(), place.end(), ')'), place.end());
  }
  return place + line.substr(at + kError.size());
}

// What went wrong, in one line: of a compiler's log the first that says error.
std::string cause_of(const Trial& trial) {
  const std::vector<std::string> lines = lines_of(trial.message);
  const auto says_error = [](const std::string& line) {
    return line.find("error: ") != std::string::npos;
  };
  auto found = lines.end();
  if (trial.state == TrialState::kCompile) found = std::ranges::find_if(lines, says_error);
  if (found == lines.end()) found = std::ranges::find_if_not(lines, is_blank);
  if (found == lines.end()) return "no reason is known";
  return shortened(trial.state == TrialState::kCompile ? without_folders(*found) : *found);
}

// Numbers as "#", be they digits within a name.
std::string folded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_nan = text.compare(i, 3, "nan") == 0 && (i == 0 || !is_word_part(text[i - 1])) &&
                        (i + 3 >= text.size() || !is_word_part(text[i + 3]));
    if (!is_digit(text[i]) && !is_nan) {
      out += text[i];
      continue;
    }
    if (!out.empty() && out.back() == '-') out.pop_back();
    const auto belongs = [&](std::size_t at) {
      return std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
             (text[at] == '.' && at + 1 < text.size() && is_digit(text[at + 1])) ||
             ((text[at] == '-' || text[at] == '+') && text[at - 1] == 'e');
    };
    while (i + 1 < text.size() && belongs(i + 1)) ++i;
    out += '#';
  }
  return out;
}

// What two failures of one cause have in common.
std::string fingerprint(const Trial& trial, std::string cause) {
  for (const Value& value : trial.configuration) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || text->empty()) continue;
    for (std::size_t at = cause.find(*text); at != std::string::npos; at = cause.find(*text, at)) {
      cause.replace(at, text->size(), "#");
    }
  }
  return folded(cause);
}

std::string configuration_of(const Trial& trial, std::span<const std::string> parameters) {
  std::string out;
  for (std::size_t p = 0; p < parameters.size() && p < trial.configuration.size(); ++p) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", parameters[p],
                       to_text(trial.configuration[p]));
  }
  return for_terminal(out);
}

// For the shell: BM == 64 and FORM == 'plain'.
std::string rule_of(const Trial& trial, std::span<const std::string> parameters) {
  std::string out;
  for (std::size_t p = 0; p < parameters.size() && p < trial.configuration.size(); ++p) {
    const Value& value = trial.configuration[p];
    const char* quote = std::holds_alternative<std::string>(value) ? "'" : "";
    out += fmt::format("{}{} == {}{}{}", out.empty() ? "" : " and ", parameters[p], quote,
                       to_text(value), quote);
  }
  return for_terminal(out);
}

std::string beginning_of(const std::string& message) {
  std::string out;
  const std::vector<std::string> lines = lines_of(message);
  for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    out += "    " + for_terminal(shortened(lines[i])) + "\n";
  }
  if (lines.size() > kMostLines) {
    out += fmt::format("    ... and {} more lines\n", lines.size() - kMostLines);
  }
  return out;
}

std::string line_of(const FailureGroup& group, const Colours& colours) {
  return fmt::format("{:>4} x {}: {}\n", group.count, colours.bad(shown_name(group.state)),
                     for_terminal(group.cause));
}

// What the run remarked upon in front of a compiler's log: a macro that lacks its prefix.
std::string remark(const RankedResults& results, const std::vector<FailureGroup>& groups) {
  for (const FailureGroup& group : groups) {
    if (group.state != TrialState::kCompile) continue;
    const std::string& log = results.trials[group.example].message;
    if (log.starts_with("note: ")) return for_terminal(log.substr(0, log.find('\n'))) + "\n";
  }
  return "";
}

// Where all answers are wrong, it is seldom the parameters.
std::string advice(const RankedResults& results, const std::vector<FailureGroup>& groups,
                   std::span<const std::string> parameters) {
  const bool all_wrong =
      results.ranked == 0 && std::ranges::all_of(groups, [](const FailureGroup& group) {
        return group.state == TrialState::kCorrectness;
      });
  if (!all_wrong) return "";
  const Trial& one = results.trials[groups.front().example];
  const std::string where = rule_of(one, parameters);
  return fmt::format(
      "every variant is wrong{}; one alone: --where \"{}\"\n",
      results.device.backend == "cpu" ? ": a missing barrier? --random-order shows it" : "", where);
}

}  // namespace

std::vector<FailureGroup> failure_groups(const RankedResults& results) {
  std::vector<FailureGroup> groups;
  std::map<std::pair<TrialState, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    const Trial& trial = results.trials[i];
    if (is_valid(trial)) continue;
    std::string cause = cause_of(trial);
    const auto [at, fresh] =
        places.emplace(std::pair(trial.state, fingerprint(trial, cause)), groups.size());
    if (fresh) groups.push_back({trial.state, std::move(cause), 0, i});
    ++groups[at->second].count;
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &FailureGroup::count);
  return groups;
}

std::string failure_summary(const RankedResults& results, std::span<const std::string> parameters,
                            const std::string& command, const Colours& colours) {
  const std::vector<FailureGroup> groups = failure_groups(results);
  if (groups.empty()) return "";
  std::string out;
  const Trial& first = results.trials[groups.front().example];
  if (results.ranked == 0 && groups.size() == 1 && groups.front().count > 1) {
    // With the run's remark, which stands in front.
    out += fmt::format("{}, as {}:\n",
                       colours.bad(fmt::format("all {} for one reason", groups.front().count)),
                       configuration_of(first, parameters));
    out += beginning_of(first.message);
  } else {
    out += "failures by cause:\n";
    for (std::size_t i = 0; i < groups.size() && i < kMostGroups; ++i)
      out += line_of(groups[i], colours);
    if (groups.size() > kMostGroups) {
      out += fmt::format("     and {} more causes\n", groups.size() - kMostGroups);
    }
    out += remark(results, groups);
  }
  out += advice(results, groups, parameters);
  return out + "more of them: " + for_terminal(command) + "\n";
}

std::string failure_report(const RankedResults& results, std::span<const std::string> parameters,
                           const Colours& colours) {
  const std::vector<FailureGroup> groups = failure_groups(results);
  if (groups.empty()) return "nothing failed\n";
  std::string out;
  for (const FailureGroup& group : groups) {
    const Trial& trial = results.trials[group.example];
    out += line_of(group, colours);
    out += "    such as " + configuration_of(trial, parameters) + "\n";
    if (lines_of(trial.message).size() > 1) out += beginning_of(trial.message);
  }
  return out + advice(results, groups, parameters);
}

}  // namespace tuner
