#pragma once
// Names in a source: those that it gives a meaning itself, whatever options the compiler gets,
// those that a compiler reports as not declared, and __constant__ variables that it leaves to
// others to set.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/declarations.h"
#include "tuner/source/tokens.h"

namespace tuner {

struct MacroDefinition {
  std::string_view name;
  std::string_view parameters;  // without the parentheses
  std::string_view text;        // what it stands for, as the source spells it
  const Token* directive = nullptr;
  bool takes_arguments = false;
  // Whether an #if around it uses its name, or one of the given names: then the compiler's options
  // decide whether it holds.
  bool is_guarded = false;

  std::vector<Token> tokens() const;  // of the text, without backslashes that continue a line
};

// Reads a #define; nothing for another token. The conditions around it are not known here.
std::optional<MacroDefinition> definition_in(const Token& token);

// Every #define, in the order of the source.
std::vector<MacroDefinition> macro_definitions(
    std::span<const Token> tokens, const std::set<std::string, std::less<>>& given = {});

// Finds the declaration of `name` as a variable, an enumerator or a parameter: "int BLOCK = 16",
// "<int BLOCK>"; null where there is none. Behind an #if that tests for the name, it does not
// count.
const Token* declaration_of(std::span<const Token> tokens, std::string_view name);

// Counts from 1.
int line_in(std::string_view source, const Token& token);

// The first of `names` of which the log of g++, clang or NVRTC says that it is not declared.
std::optional<std::string> undeclared_name(std::string_view log,
                                           std::span<const std::string> names);

// ---- constants that others set ------------------------------------------------------------------

struct UnsetConstant {
  std::string_view space;  // "__constant__" or "__device__"
  Token name;
  std::vector<Token> declared;  // its type and its name, without extents
  std::vector<Tokens> extents;
};

// Lists __constant__ variables without an initialiser, and __device__ variables that host code in
// `code` copies to and device code only reads (no counters), each name once. Those that a macro
// makes or an included file holds are not known. The code must outlive what is returned.
std::vector<UnsetConstant> unset_constants(Tokens code);

}  // namespace tuner
