#include "benchmarks/strategies/first.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tuner/files/recording_reader.h"

namespace tuner::bench {
namespace {

constexpr const char* kThree = R"({"tune_params_keys": ["x"], "tune_params": {"x": [0, 1, 2]},
 "cache": {"0": {"x": 0, "time": 10}, "1": {"x": 1, "time": 4}, "2": {"x": 2, "time": 2}}})";

const Run kFailsFirst{{1, 2, 3}, {std::nan(""), 10, 2}};
const Run kSoonThere{{1, 2}, {4, 2}};

FirstRow row(const std::string& name, const std::vector<Run>& runs) {
  return first_answers(parse_recording(kThree, name), "k", "default", runs, {1, 2, 8});
}

TEST(FirstAnswers, AreWorthTheirShareOfTheBestAndFailuresNothing) {
  EXPECT_EQ(row("a", {kFailsFirst}).medians, (std::vector<double>{0, 0.2, 1}));
  EXPECT_EQ(row("a", {kSoonThere}).medians, (std::vector<double>{0.5, 1, 1}));
  EXPECT_EQ(row("a", {kFailsFirst, kSoonThere}).least, (std::vector<double>{0, 0.2, 1}));
}

TEST(FirstAnswers, TheLastLineHasTheMeanAndTheWorstRecording) {
  std::ostringstream out;
  print_first(out, {row("a", {kFailsFirst}), row("b", {kSoonThere})}, {1, 2, 8});
  EXPECT_NE(out.str().find("1 kernels; the worst recording | default | 0.25 | 0.60 | 1.00 | 0.00 | "
                           "0.20 | 1.00 |"),
            std::string::npos)
      << out.str();
}

}  // namespace
}  // namespace tuner::bench
