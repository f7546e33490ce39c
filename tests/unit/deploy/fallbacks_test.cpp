#include "tuner/deploy/fallbacks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiled.h"
#include "tests/unit/deploy/sample_study.h"
#include "tuner/deploy/header.h"
#include "tuner/deploy/selection.h"

namespace tuner {
namespace {

// Every winner has VEC = 4, which needs N % 4 == 0; `slow` was dropped early at one size.
std::vector<RankedResults> results_with(const std::vector<Configuration>& slow) {
  auto results = sample_results();
  for (RankedResults& one : results) {
    std::erase_if(one.trials,
                  [](const Trial& t) { return t.configuration[1] == Value(std::int64_t{1}); });
    one.ranked = one.trials.size();
  }
  for (const Configuration& configuration : slow) {
    Trial trial = sample_trial(configuration, 40.0);
    trial.state = TrialState::kDropped;
    results[1].trials.push_back(trial);
    ++results[1].ranked;
  }
  return results;
}

const DeviceFacts& h200() {
  static const DeviceFacts device = sample_device("NVIDIA H200", 90);
  return device;
}

ProblemSize sized(std::int64_t m, std::int64_t n) { return {{{"M", m}, {"N", n}}}; }

const Configuration kPlain = sample_configuration(16, 1, "static", false);

TEST(Fallbacks, ASlowTrialServesTheSizesThatNoWinnerDoes) {
  const Study study = sample_study();
  const auto results = results_with({kPlain});
  const TunedTable table = tuned_table(study, results);
  const Selection odd = select(study, table, h200(), sized(1024, 1023));
  EXPECT_EQ(odd.how, Match::kFallback);
  EXPECT_EQ(table.configurations[odd.configuration], kPlain);
  // It is behind the winners, of which none is lost.
  EXPECT_EQ(table.configurations.back(), kPlain);
  const TunedTable without = tuned_table(study, results_with({}));
  ASSERT_EQ(table.configurations.size(), without.configurations.size() + 1);
  EXPECT_TRUE(std::equal(without.configurations.begin(), without.configurations.end(),
                         table.configurations.begin()));
  EXPECT_EQ(table.default_slowdown, without.default_slowdown);
}

TEST(Fallbacks, WithoutAnyTrialThatIsValidASizeIsUnsupported) {
  const Study study = sample_study();
  const TunedTable table = tuned_table(study, results_with({}));
  EXPECT_EQ(select(study, table, h200(), sized(1024, 1023)).how, Match::kUnsupported);
  EXPECT_EQ(select(study, table, h200(), sized(1024, 1020)).how, Match::kNearSize);
}

TEST(Fallbacks, TheHeaderSelectsThem) {
  const HeaderFolder folder(export_header(sample_study(), results_with({kPlain})));
  const auto out = folder.run_program(R"(#include "tuned.h"
#include <cstdio>
using namespace matmul_tuned;
int main() {
  device v = device_of(90);
  v.name = "NVIDIA H200";
  for (long long n = 1023; n >= 1020; n -= 3) {
    const selection s = select(v, {1024, n});
    std::printf("VEC %d how %d\n", s.cfg.VEC, static_cast<int>(s.how));
  }
})");
  EXPECT_EQ(out.text, "VEC 1 how 3\nVEC 4 how 1\n");
}

// No one configuration serves both small and large odd sizes.
TEST(Fallbacks, AreAsManyAsItTakes) {
  Study study = sample_study();
  study.constraints.push_back(Expression::parse_or_throw("VEC == 4 or (N < 1500) == (BM == 16)"));
  const Configuration large = sample_configuration(32, 1, "static", false);
  const Configuration useless = sample_configuration(16, 1, "dynamic", false);
  const TunedTable table = tuned_table(study, results_with({kPlain, useless, large}));
  const auto chosen = [&](std::int64_t n) {
    return table.configurations[select(study, table, h200(), sized(512, n)).configuration];
  };
  EXPECT_EQ(chosen(1023), kPlain);
  EXPECT_EQ(chosen(4001), large);
  EXPECT_EQ(std::ranges::count(table.configurations, useless), 0);
}

TEST(Fallbacks, AConfigurationThatOnlyFailedIsNone) {
  const Study study = sample_study();
  auto results = results_with({kPlain});
  results[1].trials.back().state = TrialState::kCorrectness;
  --results[1].ranked;
  EXPECT_EQ(select(study, tuned_table(study, results), h200(), sized(1024, 1023)).how,
            Match::kUnsupported);
}

}  // namespace
}  // namespace tuner
