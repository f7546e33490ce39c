#pragma once
// Texts between compilers and this program: the make rule that lists the files that a compiler has
// read, and lines of C that stand in front of a user's source.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tuner::programs {

// Splits a text into the words between its blanks.
std::vector<std::string> words_of(const std::string& text);

// Lists the files of a make rule that a compiler wrote (-MD -MF).
std::vector<std::string> dependencies_in(const std::string& rule);

// Whether a file lies somewhere in a folder; both exist.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

// ---- lines in front of a source -----------------------------------------------------------------

// On a line of its own. Errors in what follows name `name`, from line 1 on.
std::string line_directive(const std::string& name, std::size_t line = 1);

// One line, whatever the replacement holds. `name` may have parameters.
std::string definition(const std::string& name, std::string replacement);

}  // namespace tuner::programs
