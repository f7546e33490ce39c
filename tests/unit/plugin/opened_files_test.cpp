// What a compiler plugin says that it has opened.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "test_plugins.h"
#include "tuner/base/hash.h"

namespace tuner {
namespace {

TEST(OpenedFiles, CrossWithTheirContents) {
  namespace fs = std::filesystem;
  const Catalogue catalogue = load_test_plugins({"good"});
  const auto compiler = catalogue.make_compiler("toy");
  const std::string number = std::to_string(::getpid());
  const std::string good = (fs::canonical(testing::TempDir()) / ("toy_" + number)).string();
  const std::string bad = (fs::canonical(testing::TempDir()) / ("toy_error_" + number)).string();
  std::ofstream(good) << "text";
  std::ofstream(bad) << "other";
  // What was written just now may be another text than the one that was read.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CompileRequest request;
  request.source = "opens " + good + " " + good;
  EXPECT_EQ(compiler->compile(request)->opened,
            (std::vector<FileState>{{good, file_digest_of("text")}}));
  request.source = "opens " + bad;  // the word makes it fail
  EXPECT_EQ(compiler->compile(request).error().opened,
            (std::vector<FileState>{{bad, file_digest_of("other")}}));
  std::ofstream(bad) << "written while it is compiled";
  EXPECT_FALSE(compiler->compile(request).error().opened);
  fs::remove(bad);
  EXPECT_FALSE(compiler->compile(request).error().opened);
  request.source = "silent";
  EXPECT_FALSE(compiler->compile(request)->opened);
  fs::remove(good);
}

}  // namespace
}  // namespace tuner
