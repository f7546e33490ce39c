#pragma once
// A folder of its own for each test.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tuner {

class Scratch : public testing::Test {
 protected:
  Scratch() : root(std::filesystem::path(testing::TempDir()) / name()) {
    std::filesystem::remove_all(root);
    std::filesystem::create_directories(root);
  }
  ~Scratch() override {
    std::error_code ignored;
    std::filesystem::permissions(root, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(root, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
    return (root / file).string();
  }
  std::filesystem::path root;

 private:
  static std::string name() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string("tuner_") + test->name() + "_" + std::to_string(::getpid());
  }
};

}  // namespace tuner
