#pragma once
// Finding and opening plugin files. A file that does not fit is a recorded reason, not a failure.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/plugin/abi.h"

namespace tuner {

// A file or directory that was passed over, and why.
struct LoadProblem {
  std::filesystem::path path;
  std::string reason;
};

struct PluginSearch {
  std::vector<std::filesystem::path> directories;  // absolute, in order of precedence
  std::vector<LoadProblem> ignored;
};

// Lists the folders where plugins may be: `asked` (--plugin-dir, relative to the current directory)
// first, then the absolute entries of `environment` ($TUNER_PLUGIN_PATH, colon-separated), then
// <program_directory>/../lib/tuner/plugins. Never the current directory by itself, and of the first
// two none that is neither this user's nor root's, or that others may write to.
PluginSearch plugin_search(const std::filesystem::path& program_directory,
                           const std::string& environment,
                           const std::vector<std::filesystem::path>& asked);

// The file that this code is in: the program, or the library that a program has loaded.
std::filesystem::path module_file();

// Plugin files of one directory, sorted by name.
std::vector<std::filesystem::path> plugin_files(const std::filesystem::path& directory);

// Opens one file and checks the handshake. What fits is never unloaded: its code and tables stay
// valid until the process ends.
Expected<const tuner_plugin*, std::string> load_plugin(const std::filesystem::path& file);

// A table that a module of this program's own exports under this name. The module stays in memory.
Expected<const void*, std::string> load_table(const std::filesystem::path& file,
                                              const char* symbol);

}  // namespace tuner
