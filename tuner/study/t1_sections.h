#pragma once
// The parts of a T1 file, translated into nodes of a study. Each function reports what is wrong
// with its part, at its place in the T1 file.

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/study/sections.h"
#include "tuner/study/yaml_text.h"

namespace tuner {

// Facts of earlier parts that later ones need.
struct T1Parts {
  Names& names;                          // of the parameters and extents so far
  const std::filesystem::path& folder;   // which paths of the study are relative to
  std::vector<Parameter> parameters{};   // whose values were read
  Configuration defaults{};              // one value for each; the first where none is usable
  std::vector<Expression> conditions{};  // those that could be read
  std::array<std::string, 3> problem{};  // expressions for ProblemSize[0..2]; empty = not given
  std::array<std::string, 3> block{};    // expressions; empty = not given
  std::vector<YamlRef> options{};        // of the compiler
  std::string shared_bytes{};            // an expression; empty = none
  bool is_opencl = false;
  std::vector<std::pair<std::string, DataType>> outputs{};
  std::vector<std::string> extents{};     // parameters whose extreme values are sizes of buffers
  std::optional<std::string> obstacle{};  // why the kernel cannot be run
};

// Names a file as the study does: relative to its folder, or whole where that is empty.
std::string t1_path(const T1Parts& t1, const std::filesystem::path& path);

// The value of a key, or null where the key is absent or null.
const YamlNode* t1_find(const YamlNode& map, const char* key);
// Returns the value of a key; its absence is an error.
const YamlNode* t1_require(const YamlNode& map, const char* key, const char* what);
// A warning for each key that is not in `known`: it may matter to its author.
void t1_warn_of_unknown(const YamlNode& map, const std::vector<std::string>& known,
                        const std::string& what);
// One only for a key that is nearly one of `known`: elsewhere authors add keys of their own.
void t1_warn_of_misspelt(const YamlNode& map, const std::vector<std::string>& known,
                         const std::string& what);

// Each adds its sections to `study`, in this order.
void t1_add_space(T1Parts& t1, const YamlNode& space, MapNode& study);
void t1_add_problem_size(T1Parts& t1, const YamlNode& kernel, MapNode& study);
void t1_add_arguments(T1Parts& t1, const YamlNode& kernel, MapNode& study);
void t1_add_launch(T1Parts& t1, const YamlNode& kernel, MapNode& study);
// Adds 'reference' and 'verify': each variant must agree with the default configuration, since T1
// files hold no right answers.
void t1_add_reference(T1Parts& t1, const YamlNode& kernel, const YamlRef& entry, MapNode& study);

}  // namespace tuner
