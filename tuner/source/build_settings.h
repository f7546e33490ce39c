#pragma once
// Settings that a project's build files give to the compiler of a source: folders of headers,
// macros, the language's standard. Files are read, no build is run.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tuner {

struct BuildSettings {
  std::vector<std::filesystem::path> include_dirs;  // all that exist and are not the system's
  std::map<std::string, std::string> definitions;   // "-DX" is 1
  std::string standard;                             // "c++20"; empty: not said
};

// Reads a Makefile, a CMakeLists.txt or a compile_commands.json. What stands there in an "if" is
// not taken, and what needs more than its own variables ("$(shell ...)") neither. Of a
// compile_commands.json the source's entry counts, or else the folders of all entries.
BuildSettings build_settings(const std::filesystem::path& file,
                             const std::filesystem::path& source);

// The build files of a folder, compile_commands.json first: its entries are exact.
std::vector<std::filesystem::path> build_files_of(const std::filesystem::path& folder);

// Adds what `more` says and `settings` do not.
void add_settings(BuildSettings& settings, const BuildSettings& more);

}  // namespace tuner
