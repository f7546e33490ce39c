#pragma once
// Text to tokens, and tokens to a syntax tree.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/expression/expression_tree.h"
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

// Restrictions that were pasted from Python: "lambda p: p['X'] is not True" as "X != True", and
// math.sqrt as sqrt. What means something else here is an error.
Expected<std::vector<Token>, SyntaxError> without_python(std::vector<Token> tokens);

struct ParsedExpression {
  std::unique_ptr<ExpressionNode> root;
  std::vector<std::string> names;         // free names in order of first use
  std::vector<std::size_t> name_offsets;  // of the first use
};

// Trees deeper than `max_depth` are an error: everything that walks a tree recurses.
Expected<ParsedExpression, SyntaxError> parse_expression(std::string_view text, int max_depth);

}  // namespace tuner::detail
