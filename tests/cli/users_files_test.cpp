// Nothing of the user's is written over, and no subset of a search takes rows away.

#include <gtest/gtest.h>
#include <unistd.h>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// The tiny study, its kernel in two files, one input from a file, and its results.
class UsersFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    std::string study = text_of(data("studies/tiny.yaml"));
    const std::string uniform = "fill: {uniform: [-1, 1]}";
    study.replace(study.find(uniform), uniform.size(), "fill: {file: input.bin}");
    study.replace(study.find("entry: axpy_reference"), 0, "source: right.cu\n  ");
    study.replace(study.find("  - {n: 3000}\n"), 14, "");
    sandbox_->write("tiny.yaml", study);
    sandbox_->write("tiny.cu", "#include \"parts.cuh\"\n" + text_of(data("studies/tiny.cu")));
    sandbox_->write("right.cu", text_of(data("studies/tiny.cu")));
    sandbox_->write("parts.cuh", "#pragma once\n");
    sandbox_->write("input.bin", std::string(40000, '\0'));
    const auto done =
        run_to(0, *sandbox_,
               {"run", "tiny.yaml", "--backend", "cpu", "--where", "BLOCK < 128", "--strategy",
                "exhaustive", "--progress", "none", "--trace", "trace.csv"});
  }
  static void TearDownTestSuite() {
    delete sandbox_;
    sandbox_ = nullptr;
  }
  static Finished call(const Words& words, int status = 0) {
    return run_to(status, *sandbox_, words);
  }
  // That `words` are refused for this reason and leave the file as it is.
  static void expect_refused(const Words& words, const std::string& file,
                             const std::string& reason) {
    const std::string before = text_of(sandbox_->path(file));
    EXPECT_TRUE(says(call(words, 2).err, reason));
    EXPECT_EQ(text_of(sandbox_->path(file)), before);
  }
  static Sandbox* sandbox_;
};
Sandbox* UsersFiles::sandbox_ = nullptr;

TEST_F(UsersFiles, ALauncherDoesNotReplaceTheStudysSource) {
  expect_refused({"export", "tiny.yaml", "--format", "launcher", "-o", "tiny"}, "tiny.cu",
                 "tiny.cu: is the source of this study");
  EXPECT_FALSE(fs::exists(sandbox_->path("tiny.hpp"))) << "neither of the two files is written";
}

TEST_F(UsersFiles, WhatAStudyConsistsOfIsNotReplaced) {
  const std::vector<std::pair<std::string, std::string>> files{
      {"tiny.yaml", "is the study"},
      {"tiny.cu", "is the source of this study"},
      {"right.cu", "is the reference's source of this study"},
      {"parts.cuh", "is included by a source of this study"},
      {"input.bin", "holds the contents of 'x'"},
      {"results/tuner.sqlite", "is the database of the results"},
      {"results/tuner.sqlite-wal", "belongs to the database of the results"}};
  for (const auto& [file, reason] : files) {
    for (const char* format : {"header", "json", "csv", "t4", "wisdom", "defines"}) {
      const std::string what = file == "results/tuner.sqlite" ? "the database" : reason;
      expect_refused({"export", "tiny.yaml", "--format", format, "-o", file}, file, what);
    }
    const std::string what = file == "results/tuner.sqlite" ? "the database" : reason;
    expect_refused({"results", "tiny.yaml", "--csv", file}, file, what);
    expect_refused({"run", "tiny.yaml", "--backend", "cpu", "--trace", file}, file, what);
  }
}

TEST_F(UsersFiles, LinksAndOtherSpellingsAreTheSameFile) {
  fs::create_symlink("tiny.cu", sandbox_->path("soft.h"));
  fs::create_hard_link(sandbox_->path("tiny.cu"), sandbox_->path("hard.h"));
  const std::vector<std::string> names{"soft.h", "hard.h", "./results/../tiny.cu",
                                       sandbox_->path("tiny.cu")};
  for (const std::string& name : names) {
    expect_refused({"export", "tiny.yaml", "-o", name}, "tiny.cu", "is the source of this study");
  }
}

TEST_F(UsersFiles, AFileOfSomebodyElseNeedsForce) {
  sandbox_->write("mine.h", "#define MINE 1\n");
  expect_refused({"export", "tiny.yaml", "-o", "mine.h"}, "mine.h",
                 "mine.h: was not written by tuner, or was edited since (--force replaces it)");
  expect_refused({"results", "tiny.yaml", "--csv", "mine.h"}, "mine.h", "--force");
  expect_refused({"run", "tiny.yaml", "--backend", "cpu", "--trace", "mine.h"}, "mine.h",
                 "--force");
  expect_refused({"import", data("t1/scale.json"), "-o", "mine.h"}, "mine.h", "--force");
  call({"export", "tiny.yaml", "-o", "mine.h", "--force"});
  EXPECT_EQ(text_of(sandbox_->path("mine.h")).find("// Tuned configurations"), 0U);
  // The database is not to be had at all.
  call({"export", "tiny.yaml", "-o", "results/tuner.sqlite", "--force"}, 2);
  call({"results", "tiny.yaml"});
}

TEST_F(UsersFiles, WhatTunerWroteIsReplacedAndNamed) {
  for (const char* format : {"header", "json", "csv", "t4", "wisdom", "defines"}) {
    const std::string name = std::string("own.") + format;
    for (int i = 0; i < 2; ++i) {
      const auto done = call({"export", "tiny.yaml", "--format", format, "-o", name});
      EXPECT_TRUE(says(done.err, "wrote " + name + ": 1 problem size, 1 device\n"));
    }
  }
  for (int i = 0; i < 2; ++i) {
    call({"export", "tiny.yaml", "--format", "launcher", "-o", "lib/axpy"});
    call({"results", "tiny.yaml", "--csv", "again.csv"});
    call({"import", data("t1/scale.json"), "-o", "scale.yaml"});
    call({"run", "tiny.yaml", "--backend", "cpu", "--budget", "1", "--trace", "trace.csv"});
    call({"export", "tiny.yaml", "--format", "csv", "-o", "again.csv"});
  }
}

// Their beginnings as they were before some of them got a mark.
TEST_F(UsersFiles, WhatTheVersionBeforeWroteIsKnown) {
  const std::vector<std::string> beginnings{
      "// Tuned configurations of the kernel axpy. Made by tuner 0.1.0; do not edit.\n// C++17",
      "// Made by tuner 0.1.0; do not edit. The kernel axpy in 2 variants; compile with\n",
      "{\n  \"schema\": 1,\n  \"kernel\": {\n    \"name\": \"axpy\",",
      "{\n \"schema_version\": \"1.1.0\",\n \"metadata\": {\n  \"autotuner\": \"tuner\",\n",
      "{\"version\":\"1.0\",\"key\":\"axpy\",\"objective\":\"time\",\"tunable_parameters\":[\"A\"]}"
      "\n",
      "rank,state,BLOCK,PER,n,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,gbps,tie,registers\n",
      "run,eval,time_s,objective\n0,1,2,3\n"};
  for (const std::string& beginning : beginnings) {
    sandbox_->write("before", beginning);
    call({"export", "tiny.yaml", "-o", "before"});
  }
  for (const char* other : {"{\"schema\": 1}", "rank,state,name\n1,NY,x\n", "// Made by hand\n",
                            "-DA=1\n", "# a study\nschema: 1\n", "{\"key\":\"k\"}\n"}) {
    sandbox_->write("before", other);
    call({"export", "tiny.yaml", "-o", "before"}, 2);
  }
}

TEST_F(UsersFiles, WhatIsReadIsNotWritten) {
  call({"export", "tiny.yaml", "--format", "t4", "-o", "read.json"});
  expect_refused({"run", "--replay", "read.json", "--trace", "read.json"}, "read.json",
                 "is the recording that is replayed");
  expect_refused({"import", "read.json", "-o", "read.json"}, "read.json",
                 "is the file that is imported");
}

// Not with /dev/null: what a mistake did to it would outlast the test.
TEST_F(UsersFiles, WhatIsOpenAlreadyIsAPlaceToWriteTo) {
  const auto done = call({"export", "tiny.yaml", "--format", "json", "-o", "/proc/self/fd/1"});
  EXPECT_EQ(done.out.find("{\n  \"generator\": \"tuner\","), 0U) << done.out.substr(0, 99);
}

TEST_F(UsersFiles, ASubsetTakesNoRowsAway) {
  const Sandbox sandbox;
  const auto tune = [&](const Words& more) {
    Words words{
        "run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000", "--progress",
        "none"};
    words.insert(words.end(), more.begin(), more.end());
    return run(sandbox, words).status;
  };
  ASSERT_EQ(tune({"--strategy", "exhaustive"}), 0);
  const auto whole = ranking_of(sandbox, "axpy");
  ASSERT_EQ(whole.size(), 11U);
  EXPECT_EQ(tune({"--where", "BLOCK == 64 and PER == 2"}), 0);
  EXPECT_EQ(ranking_of(sandbox, "axpy"), whole);
  EXPECT_EQ(tune({"--budget", "1"}), 0);
  EXPECT_EQ(ranking_of(sandbox, "axpy"), whole);
  // Nothing fits: said by the status, and nothing is lost.
  EXPECT_EQ(tune({"--where", "PER == 9"}), 1);
  EXPECT_EQ(ranking_of(sandbox, "axpy"), whole);
}

TEST_F(UsersFiles, AFileInThePlaceOfARankingStays) {
  const Sandbox sandbox;
  const Words words{
      "run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000", "--budget", "1"};
  run_to(0, sandbox, words);
  fs::path file;
  for (const auto& entry : fs::recursive_directory_iterator(sandbox.path("results"))) {
    if (entry.path().filename() == "n3000.csv") file = entry.path();
  }
  sandbox.write(fs::relative(file, sandbox.path()), "mine\n");
  EXPECT_TRUE(says(run_to(0, sandbox, words).err, "the ranking is not written: results/axpy/"));
  EXPECT_EQ(text_of(file), "mine\n");
}

TEST_F(UsersFiles, ASubsetThatIsMeasuredLaterJoinsTheRanking) {
  const Sandbox sandbox;
  for (const char* part : {"BLOCK == 64", "BLOCK == 128", "BLOCK == 256"}) {
    run_to(0, sandbox,
           {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000", "--progress",
            "none", "--strategy", "exhaustive", "--where", part});
  }
  const auto rows = ranking_of(sandbox, "axpy");
  EXPECT_EQ(rows.size(), 8U);
  run_to(0, sandbox, {"results", data("studies/tiny.yaml"), "--csv", "all.csv"});
  EXPECT_EQ(read_csv(sandbox.path("all.csv")), rows);
}

}  // namespace
}  // namespace tuner::cli
