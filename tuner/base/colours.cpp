// Decides whether there are colours, and wraps text in them.

#include "tuner/base/colours.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace tuner {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool wanted_by_itself(std::FILE* out) {
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view forced = variable("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return ::isatty(::fileno(out)) != 0 && variable("TERM") != "dumb";
}

}  // namespace

Colours::Colours(std::string_view choice, std::FILE* out)
    : on_(choice == "always" || (choice == "auto" && wanted_by_itself(out))) {}

std::string Colours::in(int code, std::string_view text) const {
  if (!on_ || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string Colours::note(std::string_view text) const {
  constexpr std::string_view kWarning = "warning:";
  const std::size_t at = std::min(text.find_first_not_of(' '), text.size());
  if (!text.substr(at).starts_with(kWarning)) return std::string(text);
  return std::string(text.substr(0, at)) + doubtful(kWarning) +
         std::string(text.substr(at + kWarning.size()));
}

}  // namespace tuner
