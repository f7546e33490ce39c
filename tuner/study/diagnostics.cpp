// Collects the complaints about a file and those that it extends.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <tuple>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {
Diagnostics::Diagnostics(std::string file, std::string text)
    : files_{{std::move(file), 0}}, text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

int Diagnostics::append(std::string file, const std::string& text) {
  const int before = static_cast<int>(line_starts_.size());
  files_.push_back({std::move(file), before});
  text_ += '\n';
  line_starts_.push_back(text_.size());
  for (const char c : text) {
    text_ += c;
    if (c == '\n') line_starts_.push_back(text_.size());
  }
  return before;
}

bool Diagnostics::knows(const std::string& absolute) const {
  return std::ranges::any_of(files_, [&](const File& one) {
    return std::filesystem::absolute(one.name).lexically_normal() == absolute;
  });
}

Position Diagnostics::at(int line, int column) const {
  const auto of = std::find_if(files_.rbegin(), std::prev(files_.rend()),
                               [line](const File& one) { return line > one.lines_before; });
  return {of->name, line - of->lines_before, column};
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

std::vector<Complaint> Diagnostics::in_order(std::vector<Complaint> all) const {
  const auto place = [this](const Position& where) {
    const auto file = std::ranges::find(files_, where.file, &File::name);
    return std::tuple(file - files_.begin(), where.line, where.column);
  };
  std::ranges::stable_sort(all, {}, [&](const Complaint& one) { return place(one.where); });
  const auto same = [](const Complaint& a, const Complaint& b) {
    return a.where == b.where && a.message == b.message;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

std::vector<Complaint> Diagnostics::errors() const { return in_order(errors_); }
std::vector<Complaint> Diagnostics::warnings() const { return in_order(warnings_); }

std::string suggestion_for(const std::string& name, const std::vector<std::string>& known) {
  std::string near = did_you_mean(name, known);
  if (!near.empty() || known.empty()) return near;
  return "known: " + listed(known, "and");
}

}  // namespace tuner
