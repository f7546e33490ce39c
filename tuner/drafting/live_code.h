#pragma once
// The part of a program that is compiled.

#include <cstddef>
#include <string>

#include "tuner/source/declarations.h"

namespace tuner {

// Blanks the branches of "if constexpr (kSmall)", and of an "if" over constants of the program,
// that are not taken: what stands there is not what the program does. Lines stay where they are.
std::string live_code(std::string text);

// Index behind the statement at `at`, with the "else" of an "if".
std::size_t behind_statement(Tokens code, std::size_t at);

}  // namespace tuner
