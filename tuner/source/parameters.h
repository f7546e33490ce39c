#pragma once
// Parameters of functions and of templates, as a source declares them, the numbers that its types
// are made of, how large these are, and in how many ways a declaration can be read.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/declarations.h"

namespace tuner {

// A study's name for a C type, and of how many numbers of it a vector type or a plain struct is
// made.
struct ElementType {
  std::string name;
  int lanes = 1;
};

// Reads a type of C; nothing for types that are neither numbers nor vectors of them.
std::optional<ElementType> element_type(const std::string& c_type);

struct KernelParameter {
  std::string name;    // empty: it has none
  std::string c_type;  // "const float*" without the pointer: "float"
  int pointers = 0;    // an array is one, too
  bool is_const = false;
  bool is_plain = true;  // no reference, no pointer to a function, no pack of parameters
  bool is_pointer() const { return pointers > 0; }
};

KernelParameter parameter_of(Tokens declared);

struct TemplateParameter {
  std::string name;
  std::string kind;      // "typename", "int", "bool", ...
  Tokens default_value;  // empty: none
  bool is_type() const { return kind == "typename" || kind == "class"; }
};

// Lists the parameters of "template <...>" at the beginning of a declaration.
std::vector<TemplateParameter> template_parameters(Tokens head);

// The words with a blank between them.
std::string joined(Tokens tokens);

std::size_t bytes_of(const ElementType& type);

// Returns the least size of a struct with these members, bytes: those whose size is not known count
// nothing.
std::size_t struct_bytes(Tokens body, bool is_union);

// ---- readings -----------------------------------------------------------------------------------

// Meanings of each word; there is more than one where that depends on how it is compiled.
using Meanings = std::map<std::string, std::vector<std::vector<Token>>, std::less<>>;

// The parameters of a function in every reading; what they are called stays. Nothing where there
// are too many.
std::optional<std::vector<std::vector<Token>>> readings_of(Tokens parameters,
                                                           const Meanings& meanings);

}  // namespace tuner
