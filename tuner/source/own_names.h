#pragma once
// Names that a source gives a meaning itself, whatever the compiler is told of them.

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/tokens.h"

namespace tuner {

struct MacroDefinition {
  std::string_view name;
  const Token* directive = nullptr;
  // An #if around it asks for its name, or for one of the given names: what the compiler is told
  // decides whether it holds.
  bool is_guarded = false;
};

// Every #define, in the order of the source.
std::vector<MacroDefinition> macro_definitions(
    std::span<const Token> tokens, const std::set<std::string, std::less<>>& given = {});

// Where `name` is declared as a variable, an enumerator or a parameter: "int BLOCK = 16", "<int
// BLOCK>"; null where it is not. Behind an #if that asks for it, it does not count.
const Token* declaration_of(std::span<const Token> tokens, std::string_view name);

// Counts from 1.
int line_in(std::string_view source, const Token& token);

}  // namespace tuner
