#pragma once
// Values, lists and names of files as a study file has them.

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/expression/expression.h"

namespace tuner {

inline std::string value_text(const std::string& text) { return quoted(text); }
inline std::string value_text(const Expression& expression) { return quoted(expression.text()); }
inline std::string value_text(const Value& value) {
  return std::holds_alternative<std::string>(value) ? quoted(std::get<std::string>(value))
                                                    : to_text(value);
}

template <typename T>
std::string list_of(const std::vector<T>& all) {
  std::string out;
  for (const T& one : all) out += (out.empty() ? "" : ", ") + value_text(one);
  return "[" + out + "]";
}

// Relative to `folder` where that can be; in quotes where YAML wants them.
inline std::string path_text(const std::filesystem::path& path,
                             const std::filesystem::path& folder) {
  const std::filesystem::path relative =
      path.lexically_relative(std::filesystem::absolute(folder).lexically_normal());
  return quoted((relative.empty() ? path : relative).generic_string());
}

}  // namespace tuner
