// What a file to be imported is, told from what it holds.

#include "tuner/commands/imports.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"
#include "tuner/store/store.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {
namespace {

class ImportKindTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path) << text;
    return path;
  }
  ScratchFolder folder_;
};

constexpr const char* kRecording = R"({"tune_params_keys": ["x"], "tune_params": {"x": [1]},
 "cache": {"1": {"x": 1, "time": 2.0}}})";

TEST_F(ImportKindTest, FilesAreKnownByWhatTheyHold) {
  EXPECT_EQ(
      import_kind(write("a.json", R"({"ConfigurationSpace": {"TuningParameters": []}})"), false),
      ImportKind::kT1);
  EXPECT_EQ(import_kind(write("b.json", kRecording), false), ImportKind::kRecording);
  EXPECT_EQ(import_kind(write("c.csv", "rank,state\n"), false), ImportKind::kCsv);
}

TEST_F(ImportKindTest, AFolderIsAStoreOrHoldsCsvFilesOfAStudy) {
  EXPECT_EQ(import_kind(folder_.path(), true), ImportKind::kCsv);
  EXPECT_THROW(import_kind(folder_.path(), false), InputError) << "of which study?";
  Store::open(folder_.path());
  EXPECT_EQ(import_kind(folder_.path(), false), ImportKind::kStore);
  EXPECT_EQ(import_kind(folder_.path() / "tuner.sqlite", false), ImportKind::kStore);
}

TEST_F(ImportKindTest, WhatIsNotThereIsRefusedByName) {
  try {
    import_kind(folder_.path() / "none.json", false);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("none.json: there is no such file"), std::string::npos)
        << error.what();
  }
}

TEST_F(ImportKindTest, WhetherLessOrMoreIsBetterIsSaidWhereNobodyDid) {
  const auto path = write("r.json", R"({"tune_params_keys": ["x"], "tune_params": {"x": [1, 2]},
   "cache": {"1": {"x": 1, "time": 2.0, "joules": 3.0}, "2": {"x": 2, "time": 1.0, "joules": 4.0}}})");
  std::vector<std::string> told;
  const auto tell = [&](const std::string& note) { told.push_back(note); };
  const TrialBatch batch = read_batch(path, {"k", "d", "N=1", false}, "joules", nullptr, tell);
  EXPECT_EQ(batch.key.kernel, "k");
  EXPECT_EQ(batch.trials.size(), 2U);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("less of 'joules' is taken as better"), std::string::npos) << told[0];
  told.clear();
  read_batch(path, {"k", "d", "N=1", true}, "joules", nullptr, tell);
  EXPECT_TRUE(told.empty()) << "--maximize says it";
}

// ---- the size of the problem

class ImportedSize : public ImportKindTest {
 protected:
  // What becomes of a cache with this problem size under a study: the size that it is filed under,
  // or the complaint; notes follow.
  std::string filed(const std::string& recorded, const std::string& study,
                    const std::string& size = {}) {
    const std::string key = recorded.empty() ? "" : "\"problem_size\": " + recorded + ", ";
    const auto path = write("c.json", "{" + key + R"("tune_params_keys": ["B"],
 "tune_params": {"B": [1, 2]}, "cache": {"1": {"B": 1, "time": 2.0}}})");
    return filed_file(path, study, size);
  }

  std::string filed_file(const std::filesystem::path& path, const std::string& study,
                         const std::string& size = {}) {
    write("k.cu", "//");
    std::string text;
    const auto tell = [&](const std::string& note) { text += "; " + note; };
    try {
      std::optional<Study> read;
      if (!study.empty()) read = read_study(write("s.yaml", study), DataFiles::kIgnored);
      const Study* given = read ? &*read : nullptr;
      return read_batch(path, {"k", "d", size, false}, "", given, tell).key.size.label() + text;
    } catch (const InputError& error) {
      return error.what();
    }
  }

  // With a kernel whose grid depends on the dimensions.
  static std::string study(const std::string& sizes, const std::string& grid,
                           const std::string& fill = "zeros") {
    return "schema: 1\nproblem_sizes: " + sizes +
           "\nparameters: {B: [1, 2]}\nderived: {COLUMNS: 'ceil_div(N, B)'}\n"
           "kernel: {name: k, source: k.cu, entry: k}\nlaunch: {block: [B], grid: " +
           grid + "}\narguments: [{name: x, type: float, shape: [N], role: inout, fill: " + fill +
           "}]\nverify: none\n";
  }
  static std::string space(const std::string& sizes) {
    return "schema: 1\nproblem_sizes: " + sizes + "\nparameters: {B: [1, 2]}\n";
  }
};

TEST_F(ImportedSize, AnotherThanTheStudysIsRefusedWithBoth) {
  EXPECT_EQ(filed("100", space("[{N: 1000000}]")),
            "c: the recording's problem size is [100], not the study's N=1000000 (--size N=100)");
  EXPECT_EQ(filed("[4096, 4096]", study("[{N: 256}]", "[COLUMNS, 'ceil_div(N, B)']")),
            "c: the recording's problem size is [4096, 4096], not the study's N=256 (--size "
            "N=4096)");
  EXPECT_EQ(filed("[1024, 512]", study("[{M: 1024, N: 512}]", "[COLUMNS, M]")),
            "c: the recording's problem size is [1024, 512], not the study's M=1024,N=512 (--size "
            "M=512,N=1024)")
      << "the grid says which dimension is which";
  EXPECT_EQ(filed("[7, 7]", space("[{M: 4, N: 4, K: 4}, {M: 8, N: 8, K: 4}]")),
            "c: the recording's problem size is [7, 7], not the study's M=4,N=4,K=4 or "
            "M=8,N=8,K=4 (--size)");
}

TEST_F(ImportedSize, TheOneOfTheStudysThatAgreesIsTaken) {
  EXPECT_EQ(filed("100", space("[{N: 50}, {N: 100}]")), "N100");
  EXPECT_EQ(filed("[100, 1, 1]", space("[{N: 100}]")), "N100");
  EXPECT_EQ(filed("\"4096\"", space("[{N: 4096}]")), "N4096");
  EXPECT_EQ(filed("\"(4096,)\"", space("[{N: 4096}]")), "N4096");
  EXPECT_EQ(filed("[1024, 512]", study("[{M: 512, N: 1024}]", "[COLUMNS, M]")), "M512_N1024");
  EXPECT_EQ(filed("[1024, 512]", space("[{M: 512, N: 1024}]")), "M512_N1024");
  EXPECT_EQ(filed("4096", study("[{M: 64, N: 64}]", "['ceil_div(M * N, B)']")), "M64_N64");
  EXPECT_EQ(filed("", space("[{N: 100}]")), "N100") << "it does not say";
  EXPECT_EQ(filed("100", "schema: 1\nparameters: {B: [1, 2]}\n"), "default")
      << "nor does the study";
}

TEST_F(ImportedSize, WhatTheRecordingDoesNotSpeakOfIsToldOrAskedFor) {
  EXPECT_EQ(filed("[64, 32]", space("[{M: 32, N: 64, K: 16}]")),
            "M32_N64_K16; c: the recording's problem size is [64, 32]; it says nothing of K, which "
            "is taken from the study's M=32,N=64,K=16");
  EXPECT_EQ(filed("[64, 32]", space("[{M: 32, N: 64, K: 16}, {M: 32, N: 64, K: 8}]")),
            "c: the recording's problem size is [64, 32], and several sizes of the study agree "
            "with it (--size)");
  const std::string unknown =
      "c: the recording's problem size is [num_blocks], which cannot be compared with the study's "
      "N=100 (--size says which size of the study it is)";
  EXPECT_EQ(filed("\"num_blocks\"", space("[{N: 100}]")), unknown);
  EXPECT_EQ(filed("\"num_blocks\"", space("[{N: 100}]"), "N=100"), "N100");
  EXPECT_EQ(filed("", space("{domain: {N: [1, 100]}}")),
            "c: the file names no problem size, and the study has several (--size)");
}

TEST_F(ImportedSize, TheUsersMayNotContradictTheRecording) {
  EXPECT_EQ(filed("100", space("[{N: 50}]"), "N=50"),
            "c: the recording's problem size is [100], not N=50 (--size N=100)");
  EXPECT_EQ(filed("100", "", "N=50"),
            "c: the recording's problem size is [100], not N=50 (--size N=100)");
  EXPECT_EQ(filed("100", space("[{N: 50}]"), "N=100"), "N100");
  EXPECT_EQ(filed("[64, 32]", space("[{M: 1, N: 1, K: 1}]"), "M=32,N=64,K=16"), "M32_N64_K16");
}

TEST_F(ImportedSize, T4FilesNameTheirDimensions) {
  const auto t4 = write("c.json", R"({"schema_version": "1.1.0",
 "metadata": {"problem_size": {"N": 64, "M": 32}, "timeunit": "milliseconds"},
 "results": [{"configuration": {"B": 1}, "invalidity": "correct", "times": {},
 "measurements": [{"name": "time", "value": 2.0}]}]})");
  EXPECT_EQ(filed_file(t4, space("[{M: 32, N: 64}]")), "M32_N64");
  EXPECT_EQ(filed_file(t4, space("[{M: 64, N: 32}]")),
            "c: the recording's problem size is [N=64, M=32], not the study's M=64,N=32 (--size "
            "M=32,N=64)");
}

TEST_F(ImportedSize, FilesThatFillArgumentsAreNotNeeded) {
  for (const std::string file : {"{file: 'x_{N}.npy'}", "{file: absent.npy}"}) {
    EXPECT_EQ(filed("4096", study("[{N: 4}]", "[COLUMNS]", file), "N=4096"), "N4096");
  }
}

}  // namespace
}  // namespace tuner
