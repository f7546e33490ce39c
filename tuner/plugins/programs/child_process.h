#pragma once
// A compiler that is a program: run as a child, and the temporary folder that it works in.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::programs {

// A directory of its own for temporary files, removed with everything in it by the destructor or,
// when this process is killed, by another one that waits for that.
// Throws std::filesystem::filesystem_error when there is no room for one.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
  pid_t janitor_ = -1;
  int lock_ = -1;  // held for as long as the process lives: says that the directory is in use
};

// A file in each ScratchDirectory, and what is in the one of a directory called `name`.
inline constexpr const char* kScratchMarker = ".tuner-cpu-scratch";
std::string scratch_marker_text(std::string_view name);

// Removes what a power cut, or whoever killed the janitors too, has left: directories of this user
// with the name and the marker of a ScratchDirectory, and no others, whoever the user is.
void remove_abandoned_scratch();

struct Child {
  std::vector<std::string> arguments;    // the first is the program's path
  std::vector<std::string> environment;  // "NAME=value"
  std::string log;                       // the file that its output and messages go to
  std::string folder{};                  // where it works; empty: where this process does
};

// This process's environment for a program below it: without what compilers read beside their
// options, in the language C, with `temporary` for its temporary files.
std::vector<std::string> child_environment(const std::filesystem::path& temporary);

// Runs a program without a shell and waits. When the calling thread's process dies meanwhile, the
// program and everything that it started are killed. Returns the exit status; 128 + n when signal n
// ended it.
int run_child(const Child& child);

// A compiler: `log` lies in `scratch`, which it also uses for its own temporary files.
int run_child(const std::vector<std::string>& arguments, const ScratchDirectory& scratch,
              const std::string& log);

// The path of a program that is named by a path or looked for in PATH; empty: it cannot be
// executed.
std::string find_program(const std::string& name);

// Throws an sdk::Error where a compiler's log says that it had no room or no memory: that must not
// be recorded as the source's fault.
void excuse(const std::string& log);

}  // namespace tuner::programs
