// Renders complaints with their line, a caret and a suggestion.

#include "tuner/base/error.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>
#include <utility>

#include "tuner/base/terminal_text.h"

namespace tuner {
namespace {

// Limits that honest files do not reach: a hostile one gets a short answer too.
constexpr std::size_t kMostComplaints = 100;
constexpr std::size_t kLongestMessage = 20000;
constexpr std::size_t kLongestLine = 300;
constexpr std::size_t kLongestName = 100;

// The part of a line around the column, and the column in it; both count from 0.
std::pair<std::string, std::size_t> part_around(const std::string& line, std::size_t column) {
  if (line.size() <= kLongestLine) return {line, std::min(column, line.size())};
  const std::size_t end = std::min(line.size(), column + kLongestLine / 2);
  const std::size_t begin = end > kLongestLine ? end - kLongestLine : 0;
  return {line.substr(begin, kLongestLine), std::min(column, line.size()) - begin};
}

std::string line_of(const std::string& text, int number) {
  std::istringstream in(text);
  std::string line;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(in, line)) return {};
  }
  return line;
}

std::string join(const std::vector<Complaint>& complaints, const std::string& text) {
  std::string all;
  const std::size_t shown = std::min(complaints.size(), kMostComplaints);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) all += '\n';
    all += render(complaints[i], text);
  }
  if (shown < complaints.size()) {
    all += "\n... and " + std::to_string(complaints.size() - shown) + " more";
  }
  return all;
}

// Insertions, deletions, replacements and swaps of neighbours that lead from a to b; case is
// ignored: a wrong case is the cheapest slip of all.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (same(a[i], b[j]) ? 0 : 1), last[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && same(a[i], b[j - 1]) && same(a[i - 1], b[j]);
      if (swapped) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last.back();
}

}  // namespace

std::string render(const Complaint& complaint, const std::string& file_text) {
  const std::string file = for_terminal(complaint.where.file);
  std::string out = file.empty() ? "" : file + ":";
  if (complaint.where.line > 0) {
    out += std::to_string(complaint.where.line) + ":" +
           std::to_string(std::max(1, complaint.where.column)) + ":";
  }
  const std::string& message = complaint.message;
  out += out.empty() ? "" : " ";
  out += lines_for_terminal(message.substr(0, kLongestMessage));
  if (message.size() > kLongestMessage) out += " ...";
  if (!complaint.suggestion.empty()) out += " (" + lines_for_terminal(complaint.suggestion) + ")";
  if (complaint.where.line > 0 && !file_text.empty()) {
    const std::string line = line_of(file_text, complaint.where.line);
    if (!line.empty()) {
      const auto column = static_cast<std::size_t>(std::max(1, complaint.where.column)) - 1;
      const auto [part, at] = part_around(line, column);
      out += "\n    " + for_terminal(part) + "\n    " + std::string(at, ' ') + "^";
    }
  }
  return out;
}

InputError::InputError(Complaint complaint)
    : std::runtime_error(render(complaint)), complaints_{std::move(complaint)} {}

InputError::InputError(std::vector<Complaint> complaints, const std::string& file_text)
    : std::runtime_error(join(complaints, file_text)), complaints_(std::move(complaints)) {}

void reject(const std::string& file, const std::string& message, const std::string& suggestion) {
  throw InputError(Complaint{{file, 0, 0}, message, suggestion});
}

namespace {

// The only name with a word that is near: "anealing" for simulated_annealing.
std::string nearest_by_word(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kShortest = 5;  // letters; shorter words are near too many
  std::string best;
  for (const std::string& candidate : known) {
    if (name.size() < kShortest || candidate.find('_') == candidate.npos) continue;
    std::istringstream words(candidate);
    for (std::string word; std::getline(words, word, '_');) {
      if (word.size() < kShortest || edit_distance(name, word) > 1) continue;
      if (!best.empty() && best != candidate) return {};
      best = candidate;
    }
  }
  return best;
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  std::string best;
  if (name.size() > kLongestName)
    return best;  // no slip; and the distance of long names takes long
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > 2 * kLongestName) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? nearest_by_word(name, known) : best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

}  // namespace tuner
