#pragma once
// A source with its includes written out, so that it can stand in a namespace of another file.

#include <string>
#include <vector>

namespace tuner {

struct FlatSource {
  std::string text;
  // Whole #include lines of headers that are not the user's, in order, to go before the namespace.
  // Those that stand behind an #if are asked for first (__has_include).
  std::vector<std::string> headers;
  std::vector<std::string> macros;  // what the text defines: to be undefined behind it
};

// Includes are looked up as SourceBundle does. A file with "#pragma once" takes effect once. Names
// with C linkage get C++ linkage, because only those belong to their namespace. Throws InputError
// for an #include named by a macro and for a file that includes itself without end.
FlatSource flat_source(const std::string& source, const std::string& source_name,
                       const std::vector<std::string>& include_dirs);

}  // namespace tuner
