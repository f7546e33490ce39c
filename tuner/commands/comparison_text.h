#pragma once
// What `tuner compare` shows.

#include <string>

#include "tuner/commands/comparison.h"

namespace tuner {

// `a` and `b` are what the user calls the two sides.
std::string comparison_text(const Compared& compared, const std::string& a, const std::string& b);
// The pairs of which B is worse by more than this share even at the good end of the interval, one a
// line behind a first one; empty: there are none.
std::string over_limit_text(const Compared& compared, double limit);
// The form is in docs/contract.md.
std::string comparison_json(const Compared& compared, const std::string& a, const std::string& b);

}  // namespace tuner
