#pragma once
// The files of somebody's project that belong to a CUDA source: its own headers, also those that
// only the project's build would find, and the host code around it.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/source/signature.h"

namespace tuner {

struct ProjectFiles {
  std::vector<SourceText> headers;  // that it includes, and those that they include
  std::vector<SourceText> hosts;  // beside it, and in the folder above: any may launch its kernels
  std::vector<SourceText> scripts;  // beside it, in Python, that call tune_kernel()
  std::string includer;             // the first of these that includes it; empty: none does
  // Folders in which headers had to be looked for, since they are not beside what includes them.
  std::vector<std::filesystem::path> include_dirs;
};

// Headers are looked for beside the including file, in the folders above the source, in what these
// call include, common, inc, src, and in what their build files (make, CMake,
// compile_commands.json) name. What the system has is left to the compilers.
ProjectFiles project_files(const std::filesystem::path& source, const std::string& text);

}  // namespace tuner
