#pragma once
// The size of a problem: named extents; and all sizes that a study is tuned for, where it does not
// list them.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/expression/expression.h"

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

inline std::vector<std::string> dimension_names(const ProblemSize& size) {
  std::vector<std::string> names;
  for (const auto& [name, extent] : size.dims) names.push_back(name);
  return names;
}

// ---- all sizes ----------------------------------------------------------------------------------

// A dimension and its extents, both ends included.
struct ExtentRange {
  std::string name;
  std::int64_t low = 1;
  std::int64_t high = 1;
};

// Sizes of one kind are those for which the rule holds.
struct SizeKind {
  Expression rule;  // over the dimensions; empty = every size
  double weight = 1;
};

struct SizeDomain {
  std::vector<ExtentRange> extents;  // in the order of the study file
  std::vector<SizeKind> kinds;       // one at least
};

}  // namespace tuner
