// Matches names against a pattern.

#include "tuner/study/form.h"

#include <regex>

namespace tuner {

struct NameForm::Compiled {
  std::regex regex;
};

NameForm::NameForm(const char* expression)
    : compiled_(std::make_unique<Compiled>(Compiled{std::regex(expression)})) {}

NameForm::~NameForm() = default;

bool NameForm::fits(const std::string& name) const {
  constexpr std::size_t kLongest = 500;
  return name.size() <= kLongest && std::regex_match(name, compiled_->regex);
}

}  // namespace tuner
