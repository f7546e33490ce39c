#include "tuner/files/results_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tuner {
namespace {

TEST(ResultsJson, TellsOfEveryTrialWhateverItsMessageHolds) {
  Study study;
  study.kernel.name = "matmul";
  study.kernel.source = "/somewhere/matmul.cu";
  study.parameters.push_back({"BM", {std::int64_t{32}, std::int64_t{64}}, {}});
  RankedResults results;
  results.size.dims = {{"M", 1024}};
  Trial best;
  best.configuration = {std::int64_t{64}};
  best.timing.median = 1.5;
  Trial failed;
  failed.configuration = {std::int64_t{32}};
  failed.state = TrialState::kCompile;
  failed.message = "not UTF-8: \xff";
  results.trials = {best, failed};
  results.ranked = 1;
  results.tied = {true};
  const auto document = nlohmann::json::parse(results_json(study, {results}));
  EXPECT_EQ(document.at("kernel").at("name"), "matmul");
  EXPECT_EQ(document.at("kernel").at("source"), "matmul.cu");
  const auto& trials = document.at("results").at(0).at("trials");
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].at("rank"), 1);
  EXPECT_EQ(trials[0].at("time_ms"), 1.5);
  EXPECT_EQ(trials[0].at("configuration").at("BM"), 64);
  EXPECT_EQ(trials[1].at("rank"), nullptr);
  EXPECT_EQ(trials[1].at("time_ms"), nullptr);
  EXPECT_EQ(trials[1].at("state"), "compile");
  EXPECT_EQ(trials[1].at("message"), "not UTF-8: \xEF\xBF\xBD");
}

}  // namespace
}  // namespace tuner
