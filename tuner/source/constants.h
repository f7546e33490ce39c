#pragma once
// The __constant__ variables that a source declares and leaves to somebody else to set.

#include <string_view>
#include <vector>

#include "tuner/source/declarations.h"

namespace tuner {

struct UnsetConstant {
  Token name;
  std::vector<Token> declared;  // its type and its name, without extents
  std::vector<Tokens> extents;
};

// Those without an initialiser, each name once. Of what a macro makes or an included file holds
// nothing is known. The code must outlive what is returned.
std::vector<UnsetConstant> unset_constants(Tokens code);

}  // namespace tuner
