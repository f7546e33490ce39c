#pragma once
// A command line as words, as a shell that does nothing else reads it.

#include <string>
#include <vector>

#include "tuner/study/sections.h"

namespace tuner {

// Blanks separate; quotes and backslashes hold together, as in POSIX. What only a shell does is a
// complaint at its place. `what` names the key: "'build'".
std::vector<std::string> read_words(Reader& reader, const YamlNode& node, const std::string& what);

}  // namespace tuner
