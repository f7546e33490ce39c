#pragma once
// Files together with the folders and symbolic links that lead to them, so that they can be laid
// out on another machine and be found there under every name that they have here.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/file_digest.h"

namespace tuner {

struct FileTree {
  struct File {
    std::string path;  // without links
    std::string digest;
    std::uint64_t size = 0;
    // Wanted as a copy even where the same lies under this name already, since what reads it tells
    // where it has found it.
    bool by_copy = false;
  };
  std::string folder;                                      // in which relative names begin
  std::vector<std::string> folders;                        // each after the one that it lies in
  std::vector<std::pair<std::string, std::string>> links;  // and what stands in them
  std::vector<File> files;

  // Adds what the name leads through and, where it is a file that can be read, that.
  void add(const std::filesystem::path& name, bool by_copy, FileDigests& digests);

 private:
  void add_file(const std::string& path, bool by_copy, FileDigests& digests);
};

}  // namespace tuner
