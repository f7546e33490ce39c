#pragma once
// A folder for as long as a rank takes part in a job. Whoever kills a rank leaves it behind: the
// next rank on that machine removes it.

#include <filesystem>

#include "tuner/base/child_process.h"

namespace tuner {

class RankFolder {
 public:
  // In `parent`. Throws FatalError with the system's reason.
  explicit RankFolder(const std::filesystem::path& parent);
  ~RankFolder();
  RankFolder(const RankFolder&) = delete;
  RankFolder& operator=(const RankFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }  // without links

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;  // held by the rank alone, so it falls with it
};

}  // namespace tuner
