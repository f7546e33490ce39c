#pragma once
// Words of a source replaced by what they stand for: macros, typedefs, template parameters.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/source/declarations.h"

namespace tuner {

// What a word may stand for; there is more than one where that depends on how it is compiled.
using Meanings = std::map<std::string, std::vector<std::vector<Token>>, std::less<>>;

// The parameters of a function in every reading; what they are called stays. Nothing where there
// are too many.
std::optional<std::vector<std::vector<Token>>> readings_of(Tokens parameters,
                                                           const Meanings& meanings);

}  // namespace tuner
