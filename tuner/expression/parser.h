#pragma once
// Text to syntax tree.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/expression/expression_tree.h"
#include "tuner/expression/lexer.h"

namespace tuner::detail {

struct ParsedExpression {
  std::unique_ptr<ExpressionNode> root;
  std::vector<std::string> names;         // free names in order of first use
  std::vector<std::size_t> name_offsets;  // of the first use
};

// Trees deeper than `max_depth` are an error: everything that walks a tree recurses.
Expected<ParsedExpression, SyntaxError> parse_expression(std::string_view text, int max_depth);

}  // namespace tuner::detail
