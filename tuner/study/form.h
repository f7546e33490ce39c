#pragma once

#include <regex>
#include <string>

namespace tuner {

// Whether a name has this form. Long texts have none: std::regex goes one call deeper for each of
// their characters.
inline bool has_form(const std::string& name, const std::regex& form) {
  constexpr std::size_t kLongest = 500;
  return name.size() <= kLongest && std::regex_match(name, form);
}

}  // namespace tuner
