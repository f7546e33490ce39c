#pragma once
// All sizes that a study is tuned for, where it does not list them: ranges of the dimensions, and
// the kinds of sizes among them that matter.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/expression/expression.h"

namespace tuner {

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
