#pragma once
// Lines of C that stand in front of a user's source.

#include <string>

namespace tuner::programs {

// On a line of its own. Errors in what follows name `name`, from line 1 on.
std::string line_directive(const std::string& name);

// One line, whatever the replacement holds. `name` may have parameters.
std::string definition(const std::string& name, std::string replacement);

}  // namespace tuner::programs
