#pragma once
// A compiler's input and output.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tuner {

// Everything that a compiler may look at: equal requests give equal artifacts.
struct CompileRequest {
  std::string source;       // text of the translation unit
  std::string source_name;  // for messages
  std::vector<std::string> include_dirs;
  std::vector<std::string> options;
  std::vector<std::pair<std::string, std::string>> defines;  // name, replacement
  std::string entry;                 // function name or name expression ("matmul<float, 64>")
  std::string arch;                  // "sm_90"
  std::vector<std::string> symbols;  // __constant__ names that will be set
  std::vector<std::string> then{};   // entries of the kernels that are launched after it
  std::vector<std::string> units{};  // paths of further sources, which are linked with it
  bool is_host_function = false;     // the entry launches by itself
};

// Resources of a compiled kernel; -1 = not known.
struct Resources {
  std::int64_t registers = -1;
  std::int64_t static_shared_bytes = -1;
  std::int64_t constant_bytes = -1;
  std::int64_t local_bytes = -1;
  std::int64_t spill_bytes = -1;
  std::int64_t max_threads = -1;  // largest block that this kernel can be launched with
};

struct NextKernel {
  std::string entry;  // lowered name
  Resources resources;
};

// A file as it was when something was compiled.
struct FileState {
  std::string path;    // absolute
  std::string digest;  // of its bytes; empty: there was no such file
  friend bool operator==(const FileState&, const FileState&) = default;
};

// Whether a path is that of code which a linker or a loader takes, by the end of its name.
inline bool is_library_file(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.ends_with(".a") || name.ends_with(".o") || name.ends_with(".so") ||
         name.find(".so.") != std::string::npos;
}

// Files that a compiler reports to have read, without the source and its own. Empty: it
// does not say.
using OpenedFiles = std::optional<std::vector<FileState>>;

struct Artifact {
  std::string image;                                         // bytes: cubin, shared object
  std::string entry;                                         // lowered (mangled) name of the kernel
  std::vector<std::pair<std::string, std::string>> symbols;  // name as asked, lowered name
  Resources resources;             // of this kernel, but spills are those of all together
  std::vector<NextKernel> then{};  // in the order of the request
  std::string log;                 // warnings
  double milliseconds = 0;         // that its compilation took
  OpenedFiles opened{};
};

struct CompileFailure {
  std::string log;         // what the compiler said
  bool retryable = false;  // the cause may lie outside the variant (no memory): it may try again
  OpenedFiles opened{};
};

}  // namespace tuner
