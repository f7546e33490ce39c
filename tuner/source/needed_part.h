#pragma once
// A CUDA source without the declarations that its kernels do not need.

#include <set>
#include <string>

namespace tuner {

// Blanks stand for the declarations at namespace scope that nothing names which `roots` reach: a
// declaration is reached by its name, a macro by its name, and both reach all words in them. No
// line or column moves. What has no name of its own stays where all is reached that it names.
// Functions of the same name are reached together, and so is what another branch of an #if needs.
// A file of which nothing is reached (#line directives say where it is) loses its #include lines,
// too: what they name need not be there.
std::string needed_part(const std::string& source, const std::set<std::string, std::less<>>& roots);

}  // namespace tuner
