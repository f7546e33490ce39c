#pragma once
// What `tuner compare` shows.

#include <string>

#include "tuner/run/comparison.h"

namespace tuner {

// `a` and `b` are what the user calls the two sides.
std::string comparison_text(const Compared& compared, const std::string& a, const std::string& b);
// The form is in docs/contract.md.
std::string comparison_json(const Compared& compared, const std::string& a, const std::string& b);

}  // namespace tuner
