#pragma once
// Tokens of the expression language.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/expression/value.h"

namespace tuner::detail {

struct Token {
  enum class Kind { kLiteral, kName, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  // of names, keywords and symbols
  Value value;       // of literals
  std::size_t offset = 0;
};

struct SyntaxError {
  std::string message;
  std::size_t offset = 0;
  std::string suggestion;
};

// Ends with a kEnd token. Keywords (and, or, not, if, else, in) are symbols.
Expected<std::vector<Token>, SyntaxError> tokenize(std::string_view text);

}  // namespace tuner::detail
