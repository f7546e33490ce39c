#pragma once
// What several parts of a study that is written as YAML share.

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/model/study.h"

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

// The sections of a kernel's arguments and constants.
std::string arguments_yaml(const Study& study, const std::filesystem::path& folder);

}  // namespace tuner
