#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tuner::cli {
namespace {

const std::string kTiny = data("studies/tiny.yaml").string();
const std::string kFaults = data("faults/faults.yaml").string();

// On what the launch in front of them wrote, too.
TEST(Try, KernelsReadThroughTexturesAndWriteThroughSurfaces) {
  const Sandbox sandbox;
  const std::vector<std::vector<std::string>> all{{"textures.yaml", "BLOCK=32", "ROWS=2"},
                                                  {"textures_in_turn.yaml", "BLOCK=64"},
                                                  {"surfaces.yaml", "BLOCK=32", "ROWS=2"}};
  for (std::vector<std::string> words : all) {
    words.front() = data("studies/" + words.front()).string();
    words.insert(words.begin(), "try");
    words.insert(words.end(), {"--backend", "cpu"});
    const auto tried = run_to(0, sandbox, words);
    EXPECT_TRUE(says(tried.out, "answer          right"));
  }
}

TEST(Try, SaysEverythingOfOneConfigurationAndStoresNothing) {
  const Sandbox sandbox;
  const auto done =
      run_to(0, sandbox, {"try", kTiny, "BLOCK=64,PER=2", "--backend", "cpu", "--size", "n=3000"});
  for (const char* text :
       {", n3000\n", "  configuration   BLOCK=64 PER=2\n", "  state           ok\n", "% interval ",
        " samples\n", "  samples, ms     ", "  gbps            ",
        "  answer          right; largest error ", "  grid, block     24 x 1 x 1, 64 x 1 x 1\n",
        "  registers       ", "  occupancy       ", "  compiler        "}) {
    EXPECT_TRUE(says(done.out, text));
  }
  EXPECT_FALSE(std::filesystem::exists(sandbox.path("results")));
}

TEST(Try, WhatIsNotGivenIsAsInTheFirstValidConfiguration) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox, {"try", kTiny, "PER=4", "--backend", "cpu", "--json"});
  EXPECT_EQ(occurrences(done.out, "\n"), 2U) << "one line for each size";
  const auto first = nlohmann::json::parse(done.out.substr(0, done.out.find('\n')));
  EXPECT_EQ(first.at("configuration"), nlohmann::json({{"BLOCK", 32}, {"PER", 4}}));
  EXPECT_EQ(first.at("size"), nlohmann::json({{"n", 10000}}));
  EXPECT_EQ(first.at("trial").at("state"), "ok");
  EXPECT_GT(first.at("trial").at("samples_ms").size(), 2U);
}

TEST(Try, AFailureIsTold) {
  const Sandbox sandbox;
  const auto compile =
      run_to(1, sandbox, {"try", kFaults, "FAULT=compile", "BLOCK=64", "--backend", "cpu"});
  EXPECT_TRUE(says(compile.out, "  state           compile\n"));
  EXPECT_TRUE(says(compile.out, "error"));
  const auto wrong = run_to(1, sandbox, {"try", kFaults, "FAULT=one_wrong", "--backend", "cpu"});
  EXPECT_TRUE(says(wrong.out, "  state           correctness\n"));
  EXPECT_TRUE(says(wrong.out, "  answer          largest error "));
}

TEST(Try, NamesTheConstraintThatDoesNotHold) {
  const Sandbox sandbox;
  const auto done = run_to(
      1, sandbox, {"try", kTiny, "BLOCK=256", "PER=4", "--backend", "cpu", "--size", "n=3000"});
  EXPECT_TRUE(
      says(done.out, "not in the search space; these do not hold:\n    BLOCK * PER <= 512\n"));
}

TEST(Try, MistakesAreToldBeforeADeviceIsOpened) {
  const Sandbox sandbox;
  const auto said = [&](const std::string& words) {
    const auto done = run_to(2, sandbox, {"try", kTiny, words, "--backend", "cpu"});
    return done.err;
  };
  EXPECT_EQ(said("BLOK=64"),
            "the study has no parameter 'BLOK'; it has BLOCK, PER (did you mean 'BLOCK'?)\n");
  EXPECT_EQ(said("BLOCK=65"),
            "'BLOCK' has no value '65'; allowed: 32, 64, 128, 256 (did you mean '64'?)\n");
  EXPECT_EQ(said("64"), "a configuration is NAME=VALUE,..., not '64'\n");
  EXPECT_EQ(said("BLOCK=64,BLOCK=32"), "'BLOCK' is given twice\n");
}

}  // namespace
}  // namespace tuner::cli
