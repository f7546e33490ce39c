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

// Levenshtein distance, case ignored: a wrong case is the cheapest slip of all.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i])) ==
                        std::tolower(static_cast<unsigned char>(b[j]));
      const std::size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
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

InputError::InputError(std::vector<Complaint> complaints, std::string file_text)
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
