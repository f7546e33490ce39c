#pragma once
// A folder of its own for each test.

#include <gtest/gtest.h>

#include <fstream>

#include "tests/fakes/scratch_folder.h"

namespace tuner {

class Scratch : public testing::Test {
 protected:
  std::string write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
    return (root / file).string();
  }

  const ScratchFolder folder;
  const std::filesystem::path root = folder.path();
};

}  // namespace tuner
