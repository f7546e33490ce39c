// Quotes values and lists as YAML reads them back.

#include "tuner/study/yaml_text.h"

namespace tuner {

std::string value_text(const Value& value) {
  return std::holds_alternative<std::string>(value) ? quoted(std::get<std::string>(value))
                                                    : to_text(value);
}

std::string list_of(const std::vector<Value>& values) {
  std::string out;
  for (const Value& value : values) out += (out.empty() ? "" : ", ") + value_text(value);
  return "[" + out + "]";
}

std::string list_of(const std::vector<Expression>& expressions) {
  std::string out;
  for (const Expression& e : expressions) out += (out.empty() ? "" : ", ") + quoted(e.text());
  return "[" + out + "]";
}

std::string axes(const std::array<Expression, 3>& extents) {
  std::size_t count = 3;
  while (count > 1 && extents[count - 1].empty()) --count;
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ", ") + quoted(extents[i].empty() ? "1" : extents[i].text());
  }
  return "[" + out + "]";
}

std::string names_text(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + quoted(name);
  return "[" + out + "]";
}

}  // namespace tuner
