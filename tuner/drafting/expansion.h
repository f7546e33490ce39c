#pragma once
// Puts macros with parameters, and functions that only return something, in the place of their
// calls.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/declarations.h"

namespace tuner {

struct CallableText {
  std::vector<std::string_view> parameters;
  std::vector<Token> text;
  bool is_macro = false;  // whose text need not be an expression
};

using Callables = std::map<std::string, CallableText, std::less<>>;

// The macros with parameters of a source.
Callables macros_with_parameters(const std::vector<Token>& tokens);

// Adds a function whose body is one "return ...;".
void add_function(const Declaration& function, Callables& callables);

// Those of which the text says where a thread stands, such as a framework's macro for a loop.
Callables index_macros(const Callables& all);

// Calls inside of what is put there are followed, to a moderate depth.
std::vector<Token> expanded(Tokens tokens, const Callables& callables, int depth = 0);

}  // namespace tuner
