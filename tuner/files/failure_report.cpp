// Groups failures by their first line of error, and prints the groups.

#include "tuner/files/failure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/files/ranked_table.h"

namespace tuner {
namespace {

constexpr std::size_t kMostGroups = 5;
constexpr std::size_t kMostLines = 12;          // of a message
constexpr std::size_t kMostBytes = 200;         // of a line
constexpr std::string_view kRemark = "note: ";  // what the run puts in front of a log

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

// "/a/b/saxpy.cu(3): error: no such name" becomes "saxpy.cu:3: no such name".
std::string without_folders(const std::string& line) {
  constexpr std::string_view kError = "error: ";
  const std::size_t at = line.find(kError);
  if (at == std::string::npos) return line;
  std::string place = line.substr(0, at);
  for (const std::string_view kind : {"fatal ", "catastrophic "}) {
    if (place.ends_with(kind)) place.erase(place.size() - kind.size());
  }
  place.erase(0, place.find_last_of('/') == std::string::npos ? 0 : place.find_last_of('/') + 1);
  const std::size_t open = place.find('(');
  if (open != std::string::npos && open + 1 < place.size() && is_digit(place[open + 1])) {
    place[open] = ':';
    place.erase(std::remove(place.begin(), place.end(), ')'), place.end());
  }
  return place + line.substr(at + kError.size());
}

// Finds `word` where compilers put it: "k.cu(3): error: ", "error #20-D: ", "ptxas error   : ".
bool says(const std::string& line, std::string_view word) {
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    if (at > 0 && is_word_part(line[at - 1])) continue;
    const std::size_t behind = line.find_first_not_of(" #-D0123456789", at + word.size());
    if (behind != line.npos && line.compare(behind, 2, ": ") == 0) return true;
  }
  return false;
}

bool says_error(const std::string& line) {
  return says(line, "error") || says(line, "fatal") || says(line, "Error");
}

// A warning, a remark, or source that is quoted below one.
bool says_less(const std::string& line) {
  return is_blank(line) || line[0] == ' ' || line[0] == '\t' || says(line, "warning") ||
         says(line, "note") || says(line, "info") || says(line, "Remark");
}

// Finds the line with the cause: of a compiler's log the first error, whatever warnings stand in
// front of it.
std::ptrdiff_t cause_at(bool is_log, const std::vector<std::string>& lines) {
  auto found = lines.end();
  if (is_log) {
    found = std::ranges::find_if(lines, says_error);
    if (found == lines.end()) found = std::ranges::find_if_not(lines, says_less);
  }
  if (found == lines.end()) found = std::ranges::find_if_not(lines, is_blank);
  return found - lines.begin();
}

// Returns a failure's cause in one line: of a compiler's log, the line with the error, without
// folders.
std::string cause_of(const std::string& message, bool is_log) {
  const std::vector<std::string> lines = lines_of(message);
  const auto at = static_cast<std::size_t>(cause_at(is_log, lines));
  if (at == lines.size()) return "no reason is known";
  return shortened(is_log ? without_folders(lines[at]) : lines[at], kMostBytes);
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

// The values of text parameters, those of other failures too: a value of "-" is found in what is
// said of all of them. The longest first, since one may hold another.
std::vector<std::string> text_values(const RankedResults& results) {
  std::set<std::string> all;
  for (const Trial& trial : results.trials) {
    if (is_valid(trial)) continue;
    for (const Value& value : trial.configuration) {
      const auto* text = std::get_if<std::string>(&value);
      if (text != nullptr && !text->empty()) all.insert(*text);
    }
  }
  std::vector<std::string> values(all.begin(), all.end());
  std::ranges::stable_sort(values, std::ranges::greater{}, &std::string::size);
  return values;
}

// Makes failures of one cause equal: parameter values and numbers become "#".
std::string fingerprint(const std::vector<std::string>& values, std::string cause) {
  for (const std::string& value : values) cause = replaced(std::move(cause), value, "#");
  return folded(cause);
}

// Returns the message from the line with the cause on; the run's remark stays in front.
std::string beginning_of(const Trial& trial) {
  std::vector<std::string> lines = lines_of(trial.message);
  const std::ptrdiff_t cause = cause_at(trial.state == TrialState::kCompile, lines);
  const std::ptrdiff_t first = trial.message.starts_with(kRemark) ? 1 : 0;
  if (cause > first) lines.erase(lines.begin() + first, lines.begin() + cause);
  std::string out;
  for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    out += "    " + for_terminal(shortened(lines[i], kMostBytes)) + "\n";
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

// Returns the run's remark in front of a compiler's log: a macro lacks its prefix.
std::string remark(const RankedResults& results, const std::vector<FailureGroup>& groups) {
  for (const FailureGroup& group : groups) {
    if (group.state != TrialState::kCompile) continue;
    const std::string& log = results.trials[group.example].message;
    if (log.starts_with(kRemark)) return for_terminal(log.substr(0, log.find('\n'))) + "\n";
  }
  return "";
}

}  // namespace

std::string error_in(const std::string& log) { return cause_of(log, true); }

std::vector<FailureGroup> failure_groups(const RankedResults& results) {
  std::vector<FailureGroup> groups;
  std::map<std::pair<TrialState, std::string>, std::size_t> places;
  const std::vector<std::string> values = text_values(results);
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    const Trial& trial = results.trials[i];
    if (is_valid(trial)) continue;
    std::string cause = cause_of(trial.message, trial.state == TrialState::kCompile);
    const auto [at, fresh] =
        places.emplace(std::pair(trial.state, fingerprint(values, cause)), groups.size());
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
                       named_values(parameters, first.configuration));
    out += beginning_of(first);
  } else {
    out += "failures by cause:\n";
    for (std::size_t i = 0; i < groups.size() && i < kMostGroups; ++i)
      out += line_of(groups[i], colours);
    if (groups.size() > kMostGroups) {
      out += fmt::format("     and {} more causes\n", groups.size() - kMostGroups);
    }
    out += remark(results, groups);
  }
  out += about_wrong_answers(results, parameters);
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
    out += "    such as " + named_values(parameters, trial.configuration) + "\n";
    if (lines_of(trial.message).size() > 1) out += beginning_of(trial);
  }
  return out + about_wrong_answers(results, parameters);
}

}  // namespace tuner
