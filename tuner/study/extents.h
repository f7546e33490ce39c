#pragma once
// Whole numbers as people write them, and what an expression makes of them.

#include <cstdint>
#include <optional>
#include <string>

#include "tuner/base/error.h"
#include "tuner/base/expected.h"
#include "tuner/expression/expression.h"

namespace tuner {

// A value that stands for a count: an integer, a whole float or a boolean. The message otherwise
// ("7.5 is not a whole number").
Expected<std::int64_t, std::string> whole_number(const Value& value);

// A size as people write it: 4096, 2**20, 1_000_000 or 1e6, which an expression without names makes
// a whole number. Empty for anything else.
std::optional<std::int64_t> extent_from(const std::string& text);
// Which number someone may have meant who wrote 2^20, 64k or "1,000": "2**20 is 1048576". Else
// nothing.
std::string meant_by(const std::string& text);

// Returns where in the file an evaluation went wrong.
Position place_of(const Expression& expression, const EvaluationError& error);

}  // namespace tuner
