// Looks for compilers' words in a log.

#include "tuner/source/undeclared.h"

namespace tuner {

std::optional<std::string> undeclared_name(std::string_view log,
                                           std::span<const std::string> names) {
  for (const std::string& name : names) {
    for (const std::string& words :
         {"'" + name + "' was not declared", "undeclared identifier '" + name + "'",
          "identifier \"" + name + "\" is undefined"}) {
      if (log.find(words) != std::string_view::npos) return name;
    }
  }
  return std::nullopt;
}

}  // namespace tuner
