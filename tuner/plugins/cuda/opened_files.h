#pragma once
// Which files a shared library opens. NVRTC does not say what it has included; its calls of fopen
// and open go through a table of the library's own, in which these functions are put instead.

#include <optional>
#include <string>
#include <vector>

namespace tuner::cuda {

// While one is alive, what the watched libraries open for reading is noted, whatever the thread.
// One at a time.
class OpenedFiles {
 public:
  OpenedFiles();
  ~OpenedFiles();
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;

  // Each once, without what has no name any more (temporary files) and the system's own (/proc).
  std::vector<std::string> files() const;
};

// Has the library that `function` is part of tell what it opens, until the process ends. False when
// that cannot be had for all ways in which it opens files.
bool watch_library_of(const void* function);

}  // namespace tuner::cuda
