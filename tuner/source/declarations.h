#pragma once
// The declarations of a CUDA source, found by braces and parentheses: what a tool needs that wants
// to know its kernels, or which of its functions are for the host.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/tokens.h"

namespace tuner {

using Tokens = std::span<const Token>;

struct Declaration {
  enum class Kind { kFunction, kPrototype, kType, kOther };
  Kind kind = Kind::kOther;
  std::string name;   // of a function; with its namespaces: "n::f"
  Tokens head;        // up to its name; with "template <...>"
  Tokens parameters;  // without the parentheses
  Tokens body;        // without the braces; empty where there is none
  Tokens all;
};

enum class Branches { kFirst, kAll };

// The tokens that are code, no directives: of several branches of an #if the first, or all.
std::vector<Token> code_of(const std::vector<Token>& tokens, Branches which = Branches::kFirst);

// Lists the declarations at namespace scope. The code must outlive what is returned.
std::vector<Declaration> declarations_of(Tokens code);

bool mentions(Tokens tokens, std::string_view word);

// "k" of "n::k<float>", and of "static_cast<void (&)(int)>(k)", one of several of its name.
std::string_view last_name(std::string_view name);

// Whether a word has no small letter, as macros have none.
bool is_in_capitals(std::string_view word);

// Whether it is a bracket that opens or closes; "<" is none.
inline bool opens(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
inline bool closes(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

// The pieces between commas that stand in no parentheses, brackets, braces or <...>.
std::vector<Tokens> pieces_between_commas(Tokens tokens);

// Index behind the bracket that closes the one at `open`; the end where there is none.
std::size_t behind_closing(Tokens tokens, std::size_t open);

// Index behind the list of template arguments that begins with the '<' at `open`; 0: it is none.
std::size_t behind_angles(Tokens tokens, std::size_t open);

// Splits the body of a struct into its members, without functions and labels.
std::vector<Tokens> member_declarations(Tokens body);

// Returns the tokens between the bracket at `open` and the one that closes it: as a whole, or its
// pieces between commas.
Tokens inside(Tokens tokens, std::size_t open);
std::vector<Tokens> items(Tokens tokens, std::size_t open);

// Index of the first `sign` from `from` on; the end where there is none.
std::size_t index_of(Tokens tokens, std::string_view sign, std::size_t from = 0);

// Return the tokens before the first `sign`, and behind it; all and nothing where there is none.
Tokens part_before(Tokens tokens, std::string_view sign);
Tokens part_behind(Tokens tokens, std::string_view sign);

}  // namespace tuner
