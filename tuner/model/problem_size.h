#pragma once
// The size of a problem: named extents.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tuner {

// One problem to tune for: named dimensions in the order of the study file.
struct ProblemSize {
  std::vector<std::pair<std::string, std::int64_t>> dims;

  // "M1024_N1024_K1024"; "default" when there are no dimensions. Used in file names.
  std::string label() const {
    std::string text;
    for (const auto& [name, extent] : dims) {
      if (!text.empty()) text += '_';
      text += name + std::to_string(extent);
    }
    return text.empty() ? "default" : text;
  }
  friend bool operator==(const ProblemSize&, const ProblemSize&) = default;
};

}  // namespace tuner
