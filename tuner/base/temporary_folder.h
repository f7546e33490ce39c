#pragma once
// A new folder of this user's alone, gone with all that is in it when this ends.

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "tuner/base/error.h"

namespace tuner {

class TemporaryFolder {
 public:
  // `name` is what its name begins with. Throws FatalError.
  explicit TemporaryFolder(const std::string& name, const std::filesystem::path& parent =
                                                        std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / (name + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw FatalError("cannot make " + pattern + ": " + std::strerror(errno));
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tuner
