#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/deploy/sample_study.h"
#include "tuner/base/error.h"
#include "tuner/deploy/formats.h"

namespace tuner {
namespace {

std::vector<nlohmann::json> lines_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// As Kernel Launcher reads it: version and key are compared, parameters are matched by name, and
// configurations list their values in that order.
TEST(Wisdom, HasAHeaderAndTheBestOfEachDeviceAndSize) {
  const auto results = sample_results();
  const auto lines = lines_of(export_wisdom(sample_study(), results));
  ASSERT_EQ(lines.size(), 1 + results.size());
  EXPECT_EQ(lines[0].at("version"), "1.0");
  EXPECT_EQ(lines[0].at("key"), "matmul");
  EXPECT_EQ(lines[0].at("objective"), "time");
  EXPECT_EQ(lines[0].at("tunable_parameters"),
            nlohmann::json({"BM", "VEC", "SHARED", "SCALE", "FAST"}));
  const Trial& best = results[0].trials.front();
  EXPECT_EQ(lines[1].at("config"), nlohmann::json({32, 4, "static", 0.5, false}));
  EXPECT_EQ(lines[1].at("problem_size"), nlohmann::json({1024, 1024}));
  EXPECT_EQ(lines[1].at("time"), best.timing.median);
  EXPECT_EQ(lines[1].at("environment").at("device_name"), "NVIDIA H200");
  for (const auto& [name, value] : lines[1].at("environment").items()) {
    EXPECT_TRUE(value.is_string()) << name;
  }
}

TEST(Wisdom, SizesHaveOneToThreeExtents) {
  auto results = sample_results();
  results.resize(1);
  results[0].size.dims.clear();
  EXPECT_EQ(lines_of(export_wisdom(sample_study(), results))[1].at("problem_size"),
            nlohmann::json({1}));
  results[0].size.dims = {{"A", 1}, {"B", 2}, {"C", 3}, {"D", 4}};
  EXPECT_THROW(export_wisdom(sample_study(), results), InputError);
}

TEST(Wisdom, WithoutAValidConfigurationThereIsNothing) {
  auto results = sample_results();
  for (RankedResults& one : results) one.ranked = 0;
  EXPECT_THROW(export_wisdom(sample_study(), results), InputError);
}

}  // namespace
}  // namespace tuner
