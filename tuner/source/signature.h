#pragma once
// The parameters of a kernel, read from its source and the headers beside it. Nothing is compiled:
// where a name has several meanings, by the branches of an #if, say, a parameter has several types.

#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/parameters.h"

namespace tuner {

struct ParameterType {
  enum class Kind { kNumbers, kBytes, kHandle, kStruct, kUnknown };
  Kind kind = Kind::kUnknown;
  std::string c_type;     // without pointers; typedefs and macros are seen through
  ElementType element{};  // of numbers
  int pointers = 0;
  std::size_t bytes = 0;  // that a struct has at least
};

struct SignatureParameter {
  std::string name;                  // empty: it has none
  std::string text;                  // as the source spells it: "const float* x"
  std::vector<ParameterType> types;  // one of these it has
};

struct Signature {
  std::string file;
  int line = 0;
  std::vector<SignatureParameter> parameters;
};

struct SourceText {
  std::string name, text;
};

// Meanings of names that are defined outside of the source, such as macros of -D.
using DefinedNames = std::map<std::string, std::string, std::less<>>;

class SignatureReader {
 public:
  // First the source, then what it includes.
  explicit SignatureReader(std::vector<SourceText> files);
  SignatureReader(const SignatureReader&) = delete;
  SignatureReader& operator=(const SignatureReader&) = delete;

  // Each declaration that `entry` ("n::k<float, 4>") may mean. None where the files do not show all
  // of them, or not how many parameters they have.
  std::vector<Signature> of(std::string_view entry, const DefinedNames& defined) const;

  // Whether the files look at numbers of one type as another's: by bits or through such a pointer.
  bool reinterprets_as(const std::string& element) const;

  // Finds the place where a texture reference is declared, "k.cu:3"; empty: nowhere.
  std::string texture_reference() const;

 private:
  struct File {
    SourceText source;
    std::vector<Token> tokens, code;
    std::vector<Declaration> declarations;
  };
  void read_macros(const File& file);
  void read_types(const File& file);
  void read_typedef(Tokens declared);
  void read_struct(Tokens tokens, std::size_t keyword);
  bool is_kernel(const Declaration& one) const;
  bool is_hidden(std::string_view name) const;
  std::optional<Signature> signature_of(const File& file, const Declaration& kernel,
                                        const std::vector<std::string>& given,
                                        const DefinedNames& defined) const;
  std::optional<Meanings> meanings_for(const Declaration& kernel,
                                       const std::vector<std::string>& given,
                                       const DefinedNames& defined) const;
  ParameterType type_of(Tokens parameter) const;

  std::list<File> files_;
  Meanings macros_, types_;
  std::set<std::string, std::less<>> callable_;              // macros with parameters
  std::set<std::string, std::less<>> unguarded_;             // macros that -D does not change
  std::map<std::string, std::size_t, std::less<>> structs_;  // bytes that they have at least
};

}  // namespace tuner
