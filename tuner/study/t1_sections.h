#pragma once
// The parts of a T1 file. Each function reports what is wrong with its part and stores what is
// right.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tuner/study/sections.h"

namespace tuner {

struct T1Reader : Reader {
  Configuration
      defaults{};  // one value for each parameter; the first where a file has no usable one
  std::array<std::string, 3> problem{};   // expressions for ProblemSize[0..2]; empty = not given
  std::array<std::string, 3> divisors{};  // of these, where they make the grid; else empty
  std::optional<std::string> obstacle{};  // why the file cannot be run
  std::vector<std::string> extents{};     // parameters whose extreme values are sizes of buffers
};

// The value of a key, or null where the key is absent or null.
const YamlNode* t1_find(const YamlNode& map, const char* key);
// Returns the value of a key; its absence is an error.
const YamlNode* t1_require(const YamlNode& map, const char* key, const char* what);
// A warning for each key that is not in `known`: it may matter to its author.
void t1_warn_of_unknown(const YamlNode& map, const std::vector<std::string>& known,
                        const std::string& what);

void t1_read_parameters(T1Reader& t1, const YamlNode& space);
void t1_read_conditions(T1Reader& t1, const YamlNode& space);
void t1_read_problem_size(T1Reader& t1, const YamlNode& kernel);
void t1_read_launch(T1Reader& t1, const YamlNode& kernel);
void t1_read_arguments(T1Reader& t1, const YamlNode& kernel);
// Each variant must agree with the default configuration: T1 files hold no right answers.
void t1_add_reference(T1Reader& t1, const YamlNode& kernel);

}  // namespace tuner
