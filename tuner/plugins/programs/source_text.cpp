// Lines of C that stand in front of a user's source.

#include "tuner/plugins/programs/source_text.h"

#include <algorithm>

namespace tuner::programs {

std::string line_directive(const std::string& name) {
  std::string out = "\n#line 1 \"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + "\"\n";
}

std::string definition(const std::string& name, std::string replacement) {
  std::replace(replacement.begin(), replacement.end(), '\n', ' ');
  return "#define " + name + " " + replacement + "\n";
}

}  // namespace tuner::programs
