#pragma once
// Names of kernels as their images have them.

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// The name as c++filt shows it; a name that is not mangled stays.
std::string demangled(const std::string& name);

// The parts of a demangled name, or of an entry: "void n::axpy<float, 128>(float*, int)".
struct NameParts {
  std::string name;                // "axpy"
  std::vector<std::string> given;  // template arguments
  std::vector<std::string> parameters;
  bool has_parameters = false;
};
NameParts parts_of(std::string_view text);

// The study's name of the numbers that a parameter points to, "float32" of "float const*"; empty:
// it is no pointer to numbers.
std::string pointee_of(std::string parameter);

// Writes a template argument in one way: "128" for "128u" and "(int)128", "1" for "true".
std::string plain_argument(std::string text);

}  // namespace tuner
