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

// A loop of device code whose unrolling a parameter may set: an innermost one without a pragma, or
// one with "#pragma unroll 4". A "#pragma unroll" without a number stays: it often keeps an array
// in registers.
struct UnrollableLoop {
  std::string_view function;  // in which it stands, without its namespaces
  std::string_view factor;    // "4"; empty: there is no pragma
  std::size_t begin = 0;      // of the function in the source
  std::size_t at = 0;         // of the factor, else of the loop
};

// The parameter of this name sets it, unless the source has a value of that name.
inline constexpr std::string_view kUnroll = "unroll";

// Lists them in the order of the source. The tokens must outlive what is returned.
std::vector<UnrollableLoop> unrollable_loops(const std::vector<Token>& tokens);

// The source with other texts for the values of these names, and with that of kUnroll as the factor
// of its loops, where 0 leaves them as they are. Lines stay where they are.
std::string with_values(const std::string& source,
                        const std::map<std::string, std::string, std::less<>>& values);

}  // namespace tuner
