#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tuner::cpu {

// A directory of its own for temporary files, removed with everything in it by the destructor.
// Throws std::filesystem::filesystem_error when there is no room for one.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The path of a file of this name, which is also removed when this process is killed while it
  // waits in run_child().
  std::string file(const std::string& name);
  std::string write(const std::string& name, const std::string& text);
  std::string read(const std::string& name) const;
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // held for as long as the process lives: says that the directory is in use
  std::vector<std::string> files_;
};

// Removes the directories of processes that were killed between two run_child() calls.
void remove_abandoned_scratch();

// Runs a program (arguments[0] is its path) without a shell and waits; its output and messages go
// to `log` in `scratch`, which it also uses for its own temporary files. When the calling thread's
// process dies meanwhile, the program and everything that it started are killed, and the files of
// `scratch` removed. Returns the exit status; 128 + n when signal n ended it.
int run_child(const std::vector<std::string>& arguments, ScratchDirectory& scratch,
              const std::string& log);

}  // namespace tuner::cpu
