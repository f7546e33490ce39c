#pragma once
// How host code beside a kernel launches it: kernel<<<grid, block, bytes>>>(arguments).

#include <optional>
#include <string>
#include <vector>

#include "tuner/drafting/found_source.h"

namespace tuner {

struct LaunchHint {
  int line = 0;
  std::vector<Tokens> template_arguments;
  std::vector<Tokens> grid, block;  // one for each axis that is spelled
  Tokens shared;                    // empty: none
  std::vector<Tokens> arguments;
  Tokens function;  // the body in which it stands
};

// The first launch of `kernel`; none when nothing launches it.
std::optional<LaunchHint> launch_of(const FoundSource& source, const FoundKernel& kernel);

// What a variable of the function is set to where it is first set; empty: nowhere.
Tokens initialiser_of(Tokens function, const std::string& variable);

}  // namespace tuner
