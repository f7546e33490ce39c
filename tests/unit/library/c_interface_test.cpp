// What the C functions do where something is missing.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tuner/library/tuner_c.h"

namespace {

constexpr const char* kOwnStudy = R"yaml(schema: 1
kernel: {name: own, source: own.cu, entry: own}
launch: {block: [1], grid: [1]}
arguments: [{name: x, type: float32, shape: [n], role: inout}]
problem_sizes: [{n: 8}]
parameters: {TILE: [1, 2, 4, 8]}
search: {strategy: exhaustive}
)yaml";

class CInterface : public ::testing::Test {
 protected:
  CInterface() {
    std::ofstream(folder_.path() / "own.cu") << "";
    std::ofstream(study_) << kOwnStudy;
  }

  tuner_search* search() {
    return tuner_search_open(study_.c_str(), nullptr, nullptr, 1, TUNER_BINARY_DIR, error_,
                             sizeof error_);
  }
  // One that launches nothing.
  tuner_tuning* tuning(const tuner_tuning_settings& more = {}) {
    tuner_tuning_settings settings = more;
    settings.prefix = TUNER_BINARY_DIR;
    settings.launch = [](void*, const char*, const char*, double*) { return 1; };
    return tuner_tuning_open(study_.c_str(), &settings, error_, sizeof error_);
  }
  std::string error(int status) {
    EXPECT_EQ(status, -1);
    return error_;
  }

  tuner::ScratchFolder folder_;
  std::string study_ = (folder_.path() / "own.yaml").string();
  char error_[1000] = "", text_[1000] = "";
  std::uint64_t question_ = 0;
  double value_ = 0;
};

TEST_F(CInterface, WhatIsNeededAndIsNullIsAnErrorWithItsName) {
  constexpr std::size_t kRoom = sizeof error_;
  EXPECT_EQ(tuner_search_open(nullptr, nullptr, nullptr, 1, nullptr, error_, kRoom), nullptr);
  EXPECT_STREQ(error_, "'study' is null");
  EXPECT_EQ(tuner_tuning_open(nullptr, nullptr, error_, kRoom), nullptr);
  EXPECT_STREQ(error_, "'study' is null");
  const char* study = study_.c_str();
  const auto emit = [](void*, const char*, std::size_t) {};
  EXPECT_EQ(error(tuner_run(nullptr, nullptr, nullptr, nullptr, nullptr, error_, kRoom)),
            "'study' is null");
  EXPECT_EQ(error(tuner_results(nullptr, "r", emit, nullptr, error_, kRoom)), "'study' is null");
  EXPECT_EQ(error(tuner_results(study, nullptr, emit, nullptr, error_, kRoom)), "'folder' is null");
  EXPECT_EQ(error(tuner_results(study, "r", nullptr, nullptr, error_, kRoom)), "'emit' is null");
  EXPECT_EQ(error(tuner_search_ask(nullptr, &question_, text_, sizeof text_, error_, kRoom)),
            "'search' is null");
  EXPECT_EQ(error(tuner_search_tell(nullptr, 1, 1, 1, error_, kRoom)), "'search' is null");
  EXPECT_EQ(error(tuner_search_fail(nullptr, 1, error_, kRoom)), "'search' is null");
  EXPECT_EQ(tuner_search_best(nullptr, text_, sizeof text_, &value_), -1);
  std::uint64_t count = 0;
  EXPECT_EQ(error(tuner_search_size(nullptr, &count, error_, kRoom)), "'search' is null");
  EXPECT_EQ(error(tuner_recording(nullptr, emit, nullptr, error_, kRoom)), "'path' is null");
  EXPECT_EQ(tuner_own_open(study, "r", nullptr, error_, kRoom), nullptr);
  EXPECT_STREQ(error_, "'context' is null");
  EXPECT_EQ(error(tuner_own_record(nullptr, "[]", error_, kRoom)), "'own' is null");
  EXPECT_EQ(error(tuner_own_results(nullptr, emit, nullptr, error_, kRoom)), "'own' is null");
  EXPECT_EQ(error(tuner_tuning_add(nullptr, "n=8", nullptr, 0, error_, kRoom)), "'tuning' is null");
  EXPECT_EQ(error(tuner_tuning_step(nullptr, 1, nullptr, error_, kRoom)), "'tuning' is null");
  EXPECT_EQ(error(tuner_tuning_best(nullptr, "n=8", text_, sizeof text_, nullptr, nullptr, error_,
                                    kRoom)),
            "'tuning' is null");
  EXPECT_EQ(error(tuner_tuning_launch(nullptr, "n=8", nullptr, 0, error_, kRoom)),
            "'tuning' is null");
  EXPECT_EQ(tuner_search_tell(nullptr, 1, 1, 1, nullptr, 0), -1);
  tuner_search_close(nullptr);
  tuner_tuning_close(nullptr);
}

TEST_F(CInterface, WhatAProgramMeasuredIsThereAgainButNotForAnotherContext) {
  const std::string study = (folder_.path() / "mine.yaml").string();
  std::ofstream(study) << "{schema: 1, parameters: {TILE: [1, 2, 4]}, baseline: {TILE: 1}}";
  const std::string folder = (folder_.path() / "results").string();
  const auto open = [&](const char* context) {
    return tuner_own_open(study.c_str(), folder.c_str(), context, error_, sizeof error_);
  };
  const auto told = [&](tuner_own* own) {
    std::string text;
    const auto emit = [](void* to, const char* piece, std::size_t size) {
      static_cast<std::string*>(to)->append(piece, size);
    };
    EXPECT_EQ(tuner_own_results(own, emit, &text, error_, sizeof error_), 0) << error_;
    return nlohmann::json::parse(text);
  };
  constexpr const char* kContext =
      R"({"device": {"name": "abacus"}, "identity": [["source", "a"]]})";
  tuner_own* own = open(kContext);
  ASSERT_NE(own, nullptr) << error_;
  EXPECT_EQ(tuner_own_record(own, R"([
      {"configuration": {"TILE": 1}, "state": "ok", "samples": [3, 3, 3, 3, 3, 3, 3]},
      {"configuration": {"TILE": 2}, "state": "correctness", "message": "far off"},
      {"configuration": {"TILE": 4}, "state": "ok", "samples": [2, 2, 2, 2, 2, 2, 2]}])",
                             error_, sizeof error_),
            0)
      << error_;
  EXPECT_EQ(error(tuner_own_record(own, R"([{"configuration": {"TILE": 1}, "state": "fine"}])",
                                   error_, sizeof error_)),
            "there is no state 'fine'");
  tuner_own_close(own);

  own = open(kContext);
  const nlohmann::json result = told(own)["results"][0];
  EXPECT_EQ(result["trials"][0]["configuration"]["TILE"], 4);
  EXPECT_EQ(result["trials"][0]["time_ms"], 2);
  EXPECT_EQ(result["trials"][2]["message"], "far off");
  EXPECT_EQ(result["baseline"]["speedup"]["ratio"], 1.5);
  tuner_own_close(own);

  own = open(R"({"device": {"name": "abacus"}, "identity": [["source", "b"]]})");
  EXPECT_EQ(told(own)["results"].size(), 0);
  tuner_own_close(own);
  tuner_own_close(nullptr);

  EXPECT_EQ(tuner_own_open(study_.c_str(), folder.c_str(), kContext, error_, sizeof error_),
            nullptr);
  EXPECT_STREQ(error_, "the study has a kernel: a run measures that");
  EXPECT_EQ(open("{}"), nullptr);
}

TEST_F(CInterface, ASearchNeedsRoomForWhatItAnswers) {
  tuner_search* one = search();
  ASSERT_NE(one, nullptr) << error_;
  EXPECT_EQ(error(tuner_search_ask(one, nullptr, text_, sizeof text_, error_, sizeof error_)),
            "'question' is null");
  EXPECT_EQ(error(tuner_search_ask(one, &question_, nullptr, 100, error_, sizeof error_)),
            "the configuration needs 11 bytes");
  EXPECT_EQ(tuner_search_ask(one, &question_, text_, sizeof text_, error_, sizeof error_), 1);
  EXPECT_EQ(tuner_search_tell(one, question_, 3, 0, nullptr, 0), 0);
  EXPECT_EQ(tuner_search_best(one, nullptr, 0, &value_), -1);
  EXPECT_EQ(tuner_search_best(one, text_, sizeof text_, nullptr), -1);
  EXPECT_EQ(tuner_search_best(one, text_, sizeof text_, &value_), 1);
  tuner_search_close(one);
}

TEST_F(CInterface, AValueThatIsNoFiniteNumberIsAFailure) {
  tuner_search* one = search();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {std::nan(""), kInfinity, -kInfinity}) {
    ASSERT_EQ(tuner_search_ask(one, &question_, text_, sizeof text_, error_, sizeof error_), 1);
    EXPECT_EQ(tuner_search_tell(one, question_, value, 0, error_, sizeof error_), 0);
    EXPECT_EQ(tuner_search_best(one, text_, sizeof text_, &value_), 0);
  }
  ASSERT_EQ(tuner_search_ask(one, &question_, text_, sizeof text_, error_, sizeof error_), 1);
  EXPECT_EQ(error(tuner_search_tell(one, question_, 5, std::nan(""), error_, sizeof error_)),
            "seconds is nan: at least 0 is needed");
  EXPECT_EQ(tuner_search_tell(one, question_, 5, 0, error_, sizeof error_), 0);
  EXPECT_EQ(tuner_search_best(one, text_, sizeof text_, &value_), 1);
  EXPECT_EQ(value_, 5);
  tuner_search_close(one);
}

TEST_F(CInterface, SettingsThatAreNegativeOrNoNumberAreErrors) {
  const auto said = [&](const std::function<void(tuner_run_settings&)>& change) {
    tuner_run_settings settings{};
    change(settings);
    return error(
        tuner_run(study_.c_str(), &settings, nullptr, nullptr, nullptr, error_, sizeof error_));
  };
  const auto minus_one = static_cast<std::uint64_t>(-1);
  EXPECT_EQ(said([&](auto& to) { to.evaluations = minus_one; }),
            "evaluations is -1: at least 0 is needed");
  EXPECT_EQ(said([](auto& to) { to.seconds = -1; }), "seconds is -1: at least 0 is needed");
  EXPECT_EQ(said([](auto& to) { to.seconds = std::nan(""); }),
            "seconds is nan: at least 0 is needed");
  EXPECT_EQ(said([](auto& to) { to.jobs = static_cast<std::uint32_t>(-1); }),
            "jobs is -1: 0 to 4096 is allowed");
  tuner_tuning_settings idle{};
  idle.evaluations = minus_one;
  EXPECT_EQ(tuning(idle), nullptr);
  EXPECT_STREQ(error_, "evaluations is -1: at least 0 is needed");
}

TEST_F(CInterface, ATuningNeedsItsBuffersAndATime) {
  tuner_tuning* one = tuning();
  ASSERT_NE(one, nullptr) << error_;
  EXPECT_EQ(error(tuner_tuning_add(one, "n=8", nullptr, 1, error_, sizeof error_)),
            "no buffers are given; needed: 1");
  EXPECT_EQ(error(tuner_tuning_step(one, std::nan(""), nullptr, error_, sizeof error_)),
            "the milliseconds of a step are no number");
  EXPECT_EQ(tuner_tuning_add(one, "n=8", nullptr, 0, error_, sizeof error_), 0) << error_;
  EXPECT_EQ(tuner_tuning_step(one, 1, nullptr, error_, sizeof error_), 0) << error_;
  tuner_tuning_close(one);
}

}  // namespace
