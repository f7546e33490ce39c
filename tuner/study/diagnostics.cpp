// Collects the complaints about one file.

#include "tuner/study/diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tuner/base/text.h"

namespace tuner {
namespace {

std::vector<Complaint> in_file_order(std::vector<Complaint> all) {
  std::stable_sort(all.begin(), all.end(), [](const Complaint& a, const Complaint& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  const auto same = [](const Complaint& a, const Complaint& b) {
    return a.where == b.where && a.message == b.message;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

}  // namespace

Diagnostics::Diagnostics(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::size_t Diagnostics::offset_of(int line, int column) const {
  const auto index = static_cast<std::size_t>(std::max(1, line)) - 1;
  if (index >= line_starts_.size()) return text_.size();
  return std::min(text_.size(),
                  line_starts_[index] + static_cast<std::size_t>(std::max(1, column)) - 1);
}

Position Diagnostics::position_of(std::size_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = next - line_starts_.begin();
  return at(static_cast<int>(line), static_cast<int>(offset - *std::prev(next)) + 1);
}

void Diagnostics::error(Position where, std::string message, std::string suggestion) {
  errors_.push_back({std::move(where), std::move(message), std::move(suggestion)});
}

void Diagnostics::warning(Position where, std::string message, std::string suggestion) {
  warnings_.push_back({std::move(where), std::move(message), std::move(suggestion)});
}

std::vector<Complaint> Diagnostics::errors() const { return in_file_order(errors_); }
std::vector<Complaint> Diagnostics::warnings() const { return in_file_order(warnings_); }

std::string suggestion_for(const std::string& name, const std::vector<std::string>& known) {
  std::string near = did_you_mean(name, known);
  if (!near.empty() || known.empty()) return near;
  return "known: " + listed(known, "and");
}

}  // namespace tuner
