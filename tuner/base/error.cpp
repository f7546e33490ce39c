#include "tuner/base/error.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>

namespace tuner {
namespace {

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
  for (const Complaint& c : complaints) {
    if (!all.empty()) all += '\n';
    all += render(c, text);
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
  std::string out = complaint.where.file.empty() ? "" : complaint.where.file + ":";
  if (complaint.where.line > 0) {
    out += std::to_string(complaint.where.line) + ":" +
           std::to_string(std::max(1, complaint.where.column)) + ":";
  }
  out += (out.empty() ? "" : " ") + complaint.message;
  if (!complaint.suggestion.empty()) out += " (" + complaint.suggestion + ")";
  if (complaint.where.line > 0 && !file_text.empty()) {
    std::string line = line_of(file_text, complaint.where.line);
    std::replace(line.begin(), line.end(), '\t', ' ');
    if (!line.empty()) {
      const auto column = static_cast<std::size_t>(std::max(1, complaint.where.column));
      out += "\n    " + line + "\n    " + std::string(std::min(column - 1, line.size()), ' ') + "^";
    }
  }
  return out;
}

InputError::InputError(Complaint complaint)
    : std::runtime_error(render(complaint)), complaints_{std::move(complaint)} {}

InputError::InputError(std::vector<Complaint> complaints, const std::string& file_text)
    : std::runtime_error(join(complaints, file_text)), complaints_(std::move(complaints)) {}

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

}  // namespace tuner
