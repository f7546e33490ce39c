// Which files workers of other machines need.

#include "tuner/run/sources.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tests/unit/engine/studies.h"

namespace tuner::test {
namespace {

namespace fs = std::filesystem;

class FilesOfWorkers : public testing::Test {
 protected:
  FilesOfWorkers() {
    study_.kernel.source = write("k.cu", "#include \"tile.cuh\"\n");
    write("tile.cuh", "int tile;");
  }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  // By their names.
  std::set<std::string> files(std::uint64_t seed = 1) const {
    std::set<std::string> out;
    for (const auto& file : files_of_workers(study_, read_sources(study_), seed).tree.files) {
      out.insert(fs::path(file.path).filename().string() + (file.by_copy ? " by copy" : ""));
    }
    return out;
  }
  std::string gap() const { return files_of_workers(study_, read_sources(study_), 1).gap; }
  void fill(const std::string& pattern) {
    for (ArgumentSpec& argument : study_.arguments) {
      if (argument.role == Role::kIn && !argument.is_scalar) {
        argument.fill = {FillSpec::Kind::kFile, 0, 0, folder_.path() / pattern};
      }
    }
  }

  ScratchFolder folder_{memory_folder()};
  Study study_ = scale_study();
};

TEST_F(FilesOfWorkers, AreHeadersAndDataOfEachSize) {
  fill("x_{n}.npy");
  study_.sizes = {{{{"n", 10}}}, {{{"n", 20}}}, {{{"n", 30}}}};
  for (const std::string name : {"x_10.npy", "x_20.npy", "x_40.npy"}) write(name, "x");
  EXPECT_EQ(files(), (std::set<std::string>{"tile.cuh by copy", "x_10.npy", "x_20.npy"}));
  EXPECT_EQ(gap(), "");
}

TEST_F(FilesOfWorkers, AreThoseOfAllSizesThatADomainMayChoose) {
  fill("x_{n}.npy");
  study_.sizes = {{{{"n", 1}}}};
  study_.domain = SizeDomain{{{"n", 1, 9}}, {{}}};
  std::set<std::string> all{"tile.cuh by copy"};
  for (int n = 1; n < 10; ++n) {
    const std::string name = "x_" + std::to_string(n) + ".npy";
    write(name, "x");
    all.insert(name);
  }
  EXPECT_EQ(files(), all);
}

TEST_F(FilesOfWorkers, AreNotAllThatACompilerMayWant) {
  write("k.cu", "#include HEADER\n");
  EXPECT_EQ(gap(), "k.cu names an #include through a macro");
  write("k.cu", "#include \"/opt/tile.cuh\"\n");
  EXPECT_EQ(gap(), "k.cu names /opt/tile.cuh");
  write("k.cu", "#include \"tile.cuh\"\n");
  study_.kernel.options = {"-I{BLOCK}"};
  EXPECT_EQ(gap(), "a folder of headers depends on the configuration");
}

}  // namespace
}  // namespace tuner::test
