#pragma once
// What a CUDA source says about itself: its kernels, its macros, its constants.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/drafting/expansion.h"
#include "tuner/source/declarations.h"
#include "tuner/source/parameters.h"

namespace tuner {

struct FoundArgument : KernelParameter {
  std::string type{};  // as a study says it: "float32"; empty: no such type
  int lanes = 1;       // of a vector type such as float4
};

struct FoundKernel {
  std::string name;
  int line = 0;
  std::vector<TemplateParameter> templates;
  std::vector<FoundArgument> arguments;
  Tokens head, parameters, body;
};

struct FoundMacro {
  std::string name;
  std::int64_t value = 0;
  bool is_guarded = false;  // behind an #ifndef of its name: -D changes it
  int line = 0;
};

struct FoundConstant {
  std::string name;
  std::string type;  // empty: no such type
  std::vector<Tokens> extents;
};

struct FoundSource {
  explicit FoundSource(const std::string& source);  // which must outlive this
  FoundSource(const FoundSource&) = delete;
  FoundSource& operator=(const FoundSource&) = delete;

  std::vector<Token> tokens, code;
  std::vector<Declaration> declarations;
  std::vector<FoundKernel> kernels;
  std::vector<FoundMacro> macros;               // of which the value is a whole number
  std::vector<FoundConstant> constants;         // __constant__, without an initialiser
  std::map<std::string, std::int64_t> numbers;  // macros and constexpr variables
  // Macros and constants that are made of others: "THREADS" for "(BLOCK_X * BLOCK_Y)".
  std::map<std::string, std::vector<Token>> computed;
  std::map<std::string, std::string> aliases;  // "real" for "float"
  std::map<std::string, ElementType> structs;  // whose fields are all of one type
  Callables callables;

  const FoundMacro* macro(const std::string& name) const;
  int line_of(const Token& token) const;

 private:
  void read_macros();
  void read_macro(const std::string& name, std::string_view text, bool is_guarded, int line);
  void read_struct(const Declaration& one);
  FoundArgument argument(Tokens parameter) const;
  void read_declaration(const Declaration& one);

  std::vector<std::size_t> line_begins_;
  std::map<std::string, std::size_t> macro_indices_;  // of the first of each name
};

// One parameter of a function, with types named by `aliases` seen through.
FoundArgument argument_of(Tokens parameter, const std::map<std::string, std::string>& aliases);

std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace tuner
