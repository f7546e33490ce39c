// What a file to be imported is, told from what it holds.

#include "tuner/run/imports.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/fakes/scratch_folder.h"
#include "tuner/base/error.h"
#include "tuner/store/store.h"

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
  EXPECT_NE(told[0].find("less of 'joules' is taken to be better"), std::string::npos) << told[0];
  told.clear();
  read_batch(path, {"k", "d", "N=1", true}, "joules", nullptr, tell);
  EXPECT_TRUE(told.empty()) << "--maximize says it";
}

}  // namespace
}  // namespace tuner
