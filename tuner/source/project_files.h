#pragma once
// The files of somebody's project that belong to a CUDA source: its own headers, also those that
// only the project's build would find, and the host code around it.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/signature.h"

namespace tuner {

// Settings of the user's.
struct ProjectHints {
  std::filesystem::path root;                       // of the project; empty: not said
  std::vector<std::filesystem::path> include_dirs;  // beside those that are found
  std::vector<std::filesystem::path> hosts;         // host code, wherever it lies
};

struct ProjectFiles {
  std::vector<SourceText> headers;  // that it includes, and those that they include
  // Beside it and in the folder above, which may launch its kernels; where none does, those of the
  // project that do.
  std::vector<SourceText> hosts;
  // Beside it, for another tuner: in Python, that call tune_kernel(), and programs of KTT's.
  std::vector<SourceText> scripts;
  std::string includer;  // the first of these that includes it; empty: none does
  // Folders in which headers had to be looked for, since they are not beside what includes them.
  std::vector<std::filesystem::path> include_dirs;
  std::map<std::string, std::string> definitions;  // macros of its build
  std::string standard;                            // "c++20" of its build; empty: not said
};

// Headers are looked for beside the including file, in the folders above the source, in what these
// call include, common, inc, src, and in what their build files (make, CMake,
// compile_commands.json) name. What the system has is left to the compilers. With a root, the files
// of all its folders are host code.
ProjectFiles project_files(const std::filesystem::path& source, const std::string& text,
                           const ProjectHints& hints = {});

// Whether a program adds kernels to a tuner of KTT's.
bool is_ktt_program(std::string_view text);

}  // namespace tuner
