#pragma once
// Which __constant__ symbols a source declares and leaves to somebody else to set.

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

struct ConstantSymbol {
  std::string name;
  int line = 0;  // of its declaration, from 1
};

// Those without an initialiser, each name once. Reads words, not C++: a declaration behind an #if
// counts, one that a macro makes or that an included file holds does not.
std::vector<ConstantSymbol> unset_constants(std::string_view source);

}  // namespace tuner
