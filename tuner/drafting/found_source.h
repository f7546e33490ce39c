#pragma once
// Facts read from a CUDA source: its kernels, its macros, its constants.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/declarations.h"
#include "tuner/source/parameters.h"
#include "tuner/source/signature.h"

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
  Tokens head, parameters, body;  // head: up to its name
  bool is_own = true;             // of the source; not of a header
};

struct FoundMacro {
  std::string name;
  std::int64_t value = 0;
  bool is_guarded = false;  // behind an #ifndef of its name: -D changes it
  std::string place;        // "line 4", "common.h:4"
};

struct FoundConstant {
  FoundArgument is;  // its name and type
  std::vector<Tokens> extents;
};

// ---- structs ------------------------------------------------------------------------------------

struct FoundMember {
  std::string name;
  std::string type;        // as a study says it: "float32", "float4", a struct's name, "pointer"
  std::string pointee;     // of a pointer: its elements' type in C
  std::int64_t count = 1;  // of an array's elements; 1: it is none
  bool is_number = false;  // neither a pointer nor a struct
  int lanes = 1;           // of a vector
};

using FoundRecord = std::vector<FoundMember>;

// Describes a struct whose members are all of one type: the type, and how many of it there are.
std::optional<ElementType> numbers_in(const FoundRecord& record);

struct Enumerator {
  std::string name;
  std::int64_t value = 0;
};

struct NamesOfTypes {
  const std::map<std::string, std::string>& aliases;
  const std::map<std::string, std::int64_t>& numbers;         // that extents may be
  const std::map<std::string, std::vector<Token>>& computed;  // of them
  const std::map<std::string, FoundRecord>& records;          // those above
};

// Reads the body of a struct, which may have no members. Returns nothing where its layout is not
// seen: unions, bits, virtual functions, members of types that are not known.
std::optional<FoundRecord> record_of(Tokens body, const NamesOfTypes& names);

// Reads the body of an enumeration up to the first value that is not known.
std::vector<Enumerator> enumerators_of(Tokens body, const NamesOfTypes& names);

// ---- macros with parameters, and functions that only return something -------------------------

struct CallableText {
  std::vector<std::string_view> parameters;
  std::vector<Token> text;
  bool is_macro = false;  // whose text need not be an expression
  bool is_type = false;   // a further name of one
};

using Callables = std::map<std::string, CallableText, std::less<>>;

// The macros with parameters of a source.
Callables macros_with_parameters(const std::vector<Token>& tokens);

// Adds a function whose body is one "return ...;".
void add_function(const Declaration& function, Callables& callables);

// Adds what "Tile<32, 8>::x" stands for: the numbers that all objects of a struct share.
void add_members(const Declaration& type, const std::string& name, Callables& callables);

// Selects macros whose text computes a thread's position, such as a framework's macro for a loop.
Callables index_macros(const Callables& all);

// Calls inside of what is put there are followed, to a moderate depth.
std::vector<Token> expanded(Tokens tokens, const Callables& callables, int depth = 0);

// ---- the source ---------------------------------------------------------------------------------

struct FoundSource {
  // `others` are the source's headers and host code; all must outlive this. A name keeps the first
  // meaning that it gets in this order; later ones are ignored.
  explicit FoundSource(const std::string& source, const std::vector<SourceText>& others = {});
  FoundSource(const FoundSource&) = delete;
  FoundSource& operator=(const FoundSource&) = delete;

  std::vector<Token> tokens, code;  // of all texts; `at` counts through them
  std::vector<Declaration> declarations;
  std::vector<FoundKernel> kernels;
  std::vector<FoundMacro> macros;               // of which the value is a whole number
  std::vector<FoundConstant> constants;         // symbols that host code sets
  std::map<std::string, std::int64_t> numbers;  // macros and constexpr variables
  // Macros and constants that are made of others: "THREADS" for "(BLOCK_X * BLOCK_Y)".
  std::map<std::string, std::vector<Token>> computed;
  std::map<std::string, std::string> aliases;  // "real" for "float"
  std::map<std::string, FoundRecord> records;  // of which every member is known
  std::set<std::string> empty_records;         // without members: a functor
  std::set<std::string> enumerations, types;   // names of them, and of all types
  std::map<std::string, Declaration> class_templates;
  Callables callables;

  const FoundMacro* macro(const std::string& name) const;
  // Whether a token belongs to the source itself, not to another file.
  bool holds(const Token& token) const { return token.at < texts_.front().end; }
  // The tokens of the source itself and of those of the others that are named.
  std::vector<Token> tokens_with(const std::vector<SourceText>& files) const;
  // Like numbers_in() of the record of this name, if there is one.
  std::optional<ElementType> numbers_of(const std::string& type) const;
  int line_of(const Token& token) const;
  std::string place_of(const Token& token) const;  // "line 4", "common.h:4"

 private:
  struct Text {
    std::string name;                // of its file; empty: the source itself
    std::size_t begin = 0, end = 0;  // of its tokens' `at`
    std::vector<std::size_t> line_begins;
  };
  const Text& text_of(const Token& token) const;
  void add_text(const std::string& name, const std::string& text);
  void read_kernel(const Declaration& one);
  Tokens body_of(const FoundKernel& kernel) const;
  void read_macros();
  void read_macro(const std::string& name, std::string_view text, bool is_guarded,
                  const std::string& place);
  void read_record(const Declaration& one);
  void read_constant(const std::string& name, Tokens text);
  static bool is_value(const Declaration& one);
  void read_enumeration(const Declaration& one, std::size_t open);
  static std::vector<std::string> names_of_struct(const Declaration& one);
  FoundArgument argument(Tokens parameter) const;
  static std::set<std::string> names_declared_by(const Declaration& one);
  void read_declaration(const Declaration& one);

  std::vector<Text> texts_;
  std::set<std::string_view> own_macros_;  // of the source itself, which headers may ask for
  std::size_t own_declarations_ = 0;       // the first ones, of the source itself
  std::set<std::string> own_names_;        // that these declare: no other file says what they are
  std::map<std::string, std::size_t> macro_indices_;  // of the first of each name
};

// One parameter of a function, with types named by `aliases` seen through.
FoundArgument argument_of(Tokens parameter, const std::map<std::string, std::string>& aliases);

std::optional<std::int64_t> whole_number(std::string_view text);

// ---- C expressions in the words of a study ------------------------------------------------------

// The meaning of a name of the source in the study; nothing when it has none there.
using Meaning = std::function<std::optional<std::string>(const std::string& name)>;

// Whether a study has a function for what C sources call by this name.
bool has_study_function(std::string_view name);

// Translates an expression of C; nothing for what a study cannot express: members, bits, calls of
// unknown functions.
std::optional<std::string> study_expression(Tokens expression, const Meaning& meaning);

// Writes "(n + b - 1) // b" and its like as ceil_div(n, b).
std::string rounded_up(const std::string& text);

// Evaluates an expression that has only numbers, as C does: true is 1. Nothing for others.
std::optional<std::int64_t> constant_value(const std::string& expression);

}  // namespace tuner
