// Which files beside the sources workers read.

#include "tuner/resolve/study_sources.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tests/unit/resolve/studies.h"
#include "tuner/resolve/study_sources.h"

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
    for (const std::string& file : files_of_workers(study_, read_sources(study_), seed)) {
      out.insert(fs::path(file).filename().string());
    }
    return out;
  }
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
  EXPECT_EQ(files(), (std::set<std::string>{"tile.cuh", "x_10.npy", "x_20.npy", "x_30.npy"}));
}

TEST_F(FilesOfWorkers, AreFurtherSourcesAndTheirHeaders) {
  study_.kernel.units = {write("more.cu", "#include \"more.cuh\"\n")};
  write("more.cuh", "int more;");
  EXPECT_EQ(files(), (std::set<std::string>{"tile.cuh", "more.cu", "more.cuh"}));
  const SourceTexts before = read_sources(study_);
  EXPECT_EQ(before.known.reach, Reach::kReported);
  write("more.cuh", "int other;");
  EXPECT_NE(read_sources(study_).digest, before.digest);
}

// nvcc takes the whole file; a trial is made anew only for what is for the device.
TEST_F(FilesOfWorkers, HostCodeIsOnlyForWhoTakesIt) {
  write("k.cu", "__global__ void k() {}\nint main() { return 1; }\n");
  const SourceTexts part = read_sources(study_);
  const SourceTexts whole = in_form(study_, part, SourceForm::kWhole);
  EXPECT_EQ(part.kernel.find("main"), std::string::npos);
  EXPECT_EQ(whole.kernel, "__global__ void k() {}\nint main() { return 1; }\n");
  EXPECT_EQ(whole.reference, whole.kernel);
  EXPECT_EQ(whole.digest, part.digest);
}

TEST_F(FilesOfWorkers, HostCodeOfHeadersIsLeftOutOfTheBareForm) {
  write("tile.cuh",
        "#include <vector>\nstruct Log { std::vector<int> all; };\n"
        "void log() { gettimeofday(); }\n__device__ int tile = 4;\n");
  write("k.cu", "#include \"tile.cuh\"\n__global__ void scale(int* a) { *a = tile; }\n");
  study_.kernel.entry = study_.kernel.name = "scale";
  const SourceTexts part = read_sources(study_);
  const SourceTexts bare = in_form(study_, part, SourceForm::kBare);
  EXPECT_EQ(bare.kernel.find("std::vector"), std::string::npos);
  EXPECT_EQ(bare.kernel.find("gettimeofday"), std::string::npos);
  EXPECT_NE(bare.kernel.find("__device__ int tile = 4;"), std::string::npos) << bare.kernel;
  EXPECT_NE(bare.kernel.find("*a = tile;"), std::string::npos);
  EXPECT_EQ(bare.digest, part.digest);
}

TEST_F(FilesOfWorkers, AHeaderWhoseValueIsReplacedIsAPartOfTheText) {
  write("tile.cuh", "#pragma once\n#define TILE 16\n#define OTHER 2\n");
  write("k.cu", "#include \"tile.cuh\"\n__global__ void scale(int* a) { *a = TILE; }\n");
  study_.kernel.entry = study_.kernel.name = "scale";
  const SourceTexts plain = read_sources(study_);
  EXPECT_NE(plain.kernel.find("#include"), std::string::npos);
  study_.kernel.replaced = {"TILE"};
  const SourceTexts texts = read_sources(study_);
  EXPECT_EQ(texts.kernel.find("#include"), std::string::npos) << texts.kernel;
  EXPECT_NE(texts.kernel.find("#define TILE TUNE_TILE"), std::string::npos) << texts.kernel;
  EXPECT_NE(texts.kernel.find("#define OTHER 2"), std::string::npos);
  EXPECT_EQ(texts.digest, plain.digest);  // no folder's name is in it
  write("tile.cuh", "#pragma once\n#define TILE 32\n#define OTHER 2\n");
  EXPECT_NE(read_sources(study_).digest, texts.digest);
}

TEST_F(FilesOfWorkers, AreThoseOfAllSizesThatADomainMayChoose) {
  fill("x_{n}.npy");
  study_.sizes = {{{{"n", 1}}}};
  study_.domain = SizeDomain{{{"n", 1, 9}}, {{}}};
  std::set<std::string> all{"tile.cuh"};
  for (int n = 1; n < 10; ++n) {
    all.insert("x_" + std::to_string(n) + ".npy");
  }
  EXPECT_EQ(files(), all);
}

}  // namespace
}  // namespace tuner::test
