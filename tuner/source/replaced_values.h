#pragma once
// Values that a source gives to names itself, "#define X 256" or "const int X = 256;", and other
// ones in their place.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/tokens.h"

namespace tuner {

struct GivenValue {
  std::string_view name, text;  // of the source
  const Token* at = nullptr;    // the name, or its #define
};

// Lists macros without parameters, variables that are const or constexpr and have one plain value
// ("= 4", "{4}"), and enumerators with one. The tokens are all of a text, and must outlive it.
std::vector<GivenValue> given_values(const std::vector<Token>& tokens);

// The source with other texts for the values of these names. Lines stay where they are.
std::string with_values(const std::string& source,
                        const std::map<std::string, std::string, std::less<>>& values);

}  // namespace tuner
