#pragma once
// Patterns that names must match.

#include <memory>
#include <string>

namespace tuner {

// A regular expression that a name as a whole must fit. Compiled here alone: a source that uses
// std::regex takes five seconds longer to compile.
class NameForm {
 public:
  explicit NameForm(const char* expression);
  ~NameForm();
  NameForm(const NameForm&) = delete;
  NameForm& operator=(const NameForm&) = delete;

  // Long texts never do: std::regex goes one call deeper for each of their characters.
  bool fits(const std::string& name) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace tuner
