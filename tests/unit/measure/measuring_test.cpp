// Probe, estimate and the final, on scripted times.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner {
namespace {

using Measuring = test::EvaluationTest;

std::uint32_t samples_asked(const FakeBackend& backend) {
  return std::accumulate(backend.timings.begin(), backend.timings.end(), 0U,
                         [](std::uint32_t n, const TimingRequest& r) { return n + r.samples; });
}

TEST_F(Measuring, StopsAtTheMinimumWhenTimesAgree) {
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(verdict.timing.samples.size(), 7U);
  EXPECT_EQ(samples_asked(backend_), 8U) << "one warm-up";
}

TEST_F(Measuring, LeavesTheWarmUpOut) {
  backend_.kernels.at("good").milliseconds = [](int n) { return n == 0 ? 100.0 : 1.0; };
  const Verdict verdict = evaluate("good");
  EXPECT_DOUBLE_EQ(*std::max_element(verdict.timing.samples.begin(), verdict.timing.samples.end()),
                   1.0);
}

TEST_F(Measuring, TakesMoreSamplesOfANoisyKernelUpToTheLimit) {
  backend_.kernels.at("good").milliseconds = [](int n) { return n % 2 == 0 ? 1.0 : 1.2; };
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(verdict.state, TrialState::kOk);
  EXPECT_EQ(verdict.timing.samples.size(), 50U);
  EXPECT_LE(verdict.timing.ci_low, verdict.timing.median);
  EXPECT_GE(verdict.timing.ci_high, verdict.timing.median);
}

// A tenth of the samples disturbed: the median and its interval do not see them for long.
TEST_F(Measuring, OutlivesOutliers) {
  backend_.kernels.at("good").milliseconds = [](int n) { return n % 10 == 3 ? 5.0 : 1.0; };
  const Verdict verdict = evaluate("good");
  EXPECT_DOUBLE_EQ(verdict.timing.median, 1.0);
  EXPECT_LT(verdict.timing.samples.size(), 20U);
}

TEST_F(Measuring, SpendsNoMoreThanTheTimeLimitOnASlowKernel) {
  plan_.measure.max_milliseconds = 200;
  backend_.kernels.at("good").milliseconds = [](int) { return 60.0; };
  // Three probes are 180 ms, one more crosses the limit.
  EXPECT_EQ(evaluate("good").timing.samples.size(), 4U);
}

// One such number would spoil every comparison: of a backend that lies.
TEST_F(Measuring, RefusesTimesThatAreNone) {
  for (const double time : {std::nan(""), -1.0, std::numeric_limits<double>::infinity()}) {
    backend_.kernels.at("good").milliseconds = [time](int n) { return n == 5 ? time : 1.0; };
    backend_.kernels.at("good").timed = 0;
    const Verdict verdict = evaluate("good");
    EXPECT_EQ(verdict.state, TrialState::kRuntime) << time;
    EXPECT_TRUE(verdict.timing.samples.empty());
  }
}

TEST_F(Measuring, DropsWhatIsClearlySlowerThanTheBestAfterTheProbe) {
  backend_.kernels.at("good").milliseconds = [](int) { return 3.0; };
  const Verdict verdict = evaluate(variant("good", 1.0));
  EXPECT_EQ(verdict.state, TrialState::kDropped);
  EXPECT_EQ(verdict.timing.samples.size(), 3U);
  EXPECT_DOUBLE_EQ(verdict.timing.median, 3.0);
  EXPECT_EQ(verdict.message, "slower than 2 times the best, 1 ms");
  EXPECT_EQ(phases_.back(), Phase::kProbe);
}

TEST_F(Measuring, GivesUpAHopelessOneAfterASingleLaunch) {
  backend_.kernels.at("good").milliseconds = [](int) { return 50.0; };
  const Verdict verdict = evaluate(variant("good", 1.0));
  EXPECT_EQ(verdict.state, TrialState::kDropped);
  EXPECT_EQ(samples_asked(backend_), 1U);
  EXPECT_DOUBLE_EQ(verdict.timing.median, 50.0);
}

TEST_F(Measuring, KeepsOneThatIsFastOnceInItsProbe) {
  backend_.kernels.at("good").milliseconds = [](int n) { return n == 2 ? 1.9 : 3.0; };
  EXPECT_EQ(evaluate(variant("good", 1.0)).state, TrialState::kOk);
}

TEST_F(Measuring, DropsNothingWhenToldNotTo) {
  plan_.measure.drop_above = 0;
  backend_.kernels.at("good").milliseconds = [](int) { return 50.0; };
  EXPECT_EQ(evaluate(variant("good", 1.0)).state, TrialState::kOk);
}

TEST_F(Measuring, FlushesTheCacheForColdTimesOnly) {
  evaluate("good");
  EXPECT_TRUE(backend_.timings.back().flush_cache);
  plan_.measure.cache = CacheState::kHot;
  evaluation_.reset();
  evaluate("good");
  EXPECT_FALSE(backend_.timings.back().flush_cache);
}

TEST_F(Measuring, BatchesVeryShortHotKernels) {
  plan_.measure.cache = CacheState::kHot;
  backend_.kernels.at("good").milliseconds = [](int) { return 0.004; };
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(backend_.timings.front().launches_per_sample, 1U) << "the warm-up finds out";
  EXPECT_EQ(backend_.timings.back().launches_per_sample, 25U) << "0.1 ms in all";
  EXPECT_NEAR(verdict.timing.median, 0.004, 1e-12) << "times stay those of one launch";
}

TEST_F(Measuring, DoesNotBatchWhatMustBeRestored) {
  plan_.measure.cache = CacheState::kHot;
  plan_.arguments.push_back(argument("work", Role::kScratch));
  backend_.kernels.at("good").milliseconds = [](int) { return 0.004; };
  evaluate("good");
  EXPECT_EQ(backend_.timings.back().launches_per_sample, 1U);
  ASSERT_EQ(backend_.timings.back().fills.size(), 4U) << "and the output";
  EXPECT_EQ(backend_.timings.back().fills[0].bytes, 1024U) << "the guard words in front";
  EXPECT_EQ(backend_.timings.back().fills[1].bytes, kElements * sizeof(float));
}

// ---- as deployed --------------------------------------------------------------------------------

TEST_F(Measuring, LaunchesComeFromAGraphWhenTheStudySaysSo) {
  evaluate("good");
  EXPECT_FALSE(backend_.timings.back().graph);
  plan_.measure.mode = LaunchMode::kGraph;
  evaluation_.reset();
  evaluate("good");
  for (const TimingRequest& request : backend_.timings) EXPECT_TRUE(request.graph);
}

TEST_F(Measuring, AGraphHoldsMoreLaunchesThanAStreamGetsForASample) {
  plan_.measure.mode = LaunchMode::kGraph;
  plan_.measure.cache = CacheState::kHot;
  backend_.kernels.at("good").milliseconds = [](int) { return 0.004; };
  evaluate("good");
  EXPECT_EQ(backend_.timings.back().launches_per_sample, 125U) << "0.5 ms";
  backend_.kernels.at("good").milliseconds = [](int) { return 0.001; };
  evaluation_.reset();
  evaluate("good");
  EXPECT_EQ(backend_.timings.back().launches_per_sample, 200U);
}

// 100 floats of x and of y: a copy takes 2048 bytes, and 2 * 4096 / 2048 + 1 are more than the
// cache twice.
TEST_F(Measuring, RotatesOnCopiesThatExceedTheCacheTwice) {
  plan_.measure.cache = CacheState::kRotate;
  backend_.device.l2_bytes = 4096;
  std::set<std::pair<BufferId, std::uint64_t>> places;
  add_kernel("spread", [&](const FakeBackend::Call& call) {
    const BufferRange& y = call.arguments[kY].buffer;
    places.emplace(y.buffer, y.offset);
    doubled(call);
  });
  const Verdict verdict = evaluate("spread");
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(backend_.timings.back().turns.size(), 1U) << "as many as samples";
  EXPECT_GE(backend_.timings[1].turns.size(), 2U) << "of the probe, up to where it is looked at";
  EXPECT_FALSE(backend_.timings.back().flush_cache);
  EXPECT_EQ(places.size(), 6U) << "its own, and each of the copies";
}

TEST_F(Measuring, ShortKernelsFollowEachOtherOnTheCopies) {
  plan_.measure.cache = CacheState::kRotate;
  backend_.device.l2_bytes = 4096;
  backend_.kernels.at("good").milliseconds = [](int) { return 0.004; };
  evaluate("good");
  EXPECT_EQ(backend_.timings.back().launches_per_sample, 25U);
  EXPECT_EQ(backend_.timings.back().turns.size(), 5U);
}

// What a launch changes is made anew before each request, and a request has no more launches than
// there are copies.
TEST_F(Measuring, CopiesOfWhatALaunchChangesAreUsedOnce) {
  plan_.measure.cache = CacheState::kRotate;
  plan_.arguments.push_back(argument("work", Role::kScratch));
  backend_.device.l2_bytes = 3072;  // of 3072 a copy: 3 of them
  int dirty = 0;
  add_kernel("counts", doubled_then([&](const FakeBackend::Call& call) {
               float& work = call.buffer<float>(3)[0];
               dirty += work != 0 ? 1 : 0;
               work = 1;
             }));
  EXPECT_EQ(evaluate("counts").state, TrialState::kOk);
  EXPECT_EQ(dirty, 0);
  for (const TimingRequest& request : backend_.timings) {
    EXPECT_LE(request.samples * request.launches_per_sample, 3U);
    EXPECT_TRUE(request.restores.empty());
    EXPECT_TRUE(request.fills.empty());
  }
}

TEST_F(Measuring, WhatALaunchLeavesOnACopyIsLookedAt) {
  plan_.measure.cache = CacheState::kRotate;
  backend_.device.l2_bytes = 4096;
  std::set<BufferId> known;
  add_kernel("cheat", [&](const FakeBackend::Call& call) {
    const BufferId y = call.arguments[kY].buffer.buffer;
    if (known.empty()) known.insert(y);
    doubled(call);
    if (!known.contains(y)) call.buffer<float>(kY)[7] = 0;  // wrong where it is timed
  });
  EXPECT_EQ(
      wrong("cheat"),
      "y[7] = 0, expected 16 (1 of 100 elements differ, max error 16), after repeated launches");
}

TEST_F(Measuring, NoRoomForTheCopiesIsSaidBeforeAnythingRuns) {
  plan_.measure.cache = CacheState::kRotate;
  backend_.device.l2_bytes = 4 << 20;
  backend_.memory_limit = 1 << 20;
  EXPECT_EQ(failure_of_prepare(),
            "'cache: rotate' needs 4097 copies of the buffers, 9 MiB more (out of memory)");
}

TEST_F(Measuring, TheConditionsOfTheSamplesAreKept) {
  evaluate("good");
  backend_.at_ = {1755, 312};
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(verdict.conditions, (Conditions{1755, 312}));
}

// ---- the final ----------------------------------------------------------------------------------

class Remeasuring : public test::EvaluationTest {
 protected:
  Remeasuring() {
    for (const char* name : {"a", "b", "c"}) add_kernel(name, doubled);
    backend_.kernels.at("b").milliseconds = [](int) { return 2.0; };
  }
  Expected<std::vector<std::vector<double>>, FinalistFailure> fight(int rounds,
                                                                    std::uint64_t seed) {
    backend_.timed_order.clear();
    return evaluation().remeasure({variant("a"), variant("b"), variant("c")}, {rounds, seed},
                                  [this](Phase phase) { phases_.push_back(phase); });
  }
};

TEST_F(Remeasuring, GivesEveryFinalistOneSampleARound) {
  const auto times = fight(5, 1);
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(*times, (std::vector<std::vector<double>>{std::vector<double>(5, 1.0),
                                                      std::vector<double>(5, 2.0),
                                                      std::vector<double>(5, 1.0)}));
  EXPECT_EQ(std::count(phases_.begin(), phases_.end(), Phase::kFinal), 5);
}

TEST_F(Remeasuring, CountsWhatIsLaunchedFromTheSameMemoryInEachPass) {
  backend_.passes = 3;
  int launches = 0, from_right_answers = 0;
  add_kernel("a", [&](const FakeBackend::Call& call) {
    ++launches;
    const float* x = call.buffer<float>(kX);
    from_right_answers += call.buffer<float>(kY)[5] == 2 * x[5] ? 1 : 0;
    doubled(call);
  });
  FinalPlan plan;
  plan.counters = {"cycles", "bytes"};
  launches = 0;
  const auto counted = evaluation().remeasure({variant("a")}, plan, {});
  ASSERT_TRUE(counted) << counted.error().verdict.message;
  EXPECT_EQ(*counted, (std::vector<std::vector<double>>{{1, 2}}));
  EXPECT_GE(launches, 3);
  EXPECT_EQ(from_right_answers, 0);
}

TEST_F(Remeasuring, SaysWhyNothingCanBeCounted) {
  FinalPlan plan;
  plan.counters = {"cycles"};
  const auto counted = evaluation().remeasure({variant("a")}, plan, {});
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().verdict.message, "nobody may look");
  EXPECT_EQ(counted.error().verdict.state, TrialState::kLaunch);
}

TEST_F(Remeasuring, DrawsANewOrderForEachRoundFromTheSeed) {
  ASSERT_TRUE(fight(20, 1).has_value());
  const std::vector<std::string> first = backend_.timed_order;
  ASSERT_EQ(first.size(), 3U + 60U) << "a warm-up each, then the rounds";
  std::vector<std::vector<std::string>> orders;
  for (auto round = first.begin() + 3; round != first.end(); round += 3) {
    std::vector<std::string> order(round, round + 3);
    if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c"}));
  }
  EXPECT_GE(orders.size(), 4U) << "of six";
  ASSERT_TRUE(fight(20, 1).has_value());
  EXPECT_EQ(backend_.timed_order, first);
  ASSERT_TRUE(fight(20, 2).has_value());
  EXPECT_NE(backend_.timed_order, first);
}

TEST_F(Remeasuring, NamesTheFinalistThatFails) {
  add_kernel("b",
             doubled_then([](const FakeBackend::Call& call) { call.buffer<float>(kY)[0] = 0; }));
  const auto times = fight(5, 1);
  ASSERT_FALSE(times.has_value());
  EXPECT_EQ(times.error().plan, 1U);
  EXPECT_EQ(times.error().verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(backend_.loaded_kernels(), 0U);
}

// The last round's last one has left the right answer: whose turn it was must not matter.
TEST_F(Remeasuring, NamesTheFinalistThatIsRightAtFirstOnly) {
  auto& lazy = add_kernel("b", {});
  lazy.body = [](const FakeBackend::Call& call) {
    if (std::isnan(call.buffer<float>(kY)[0])) doubled(call);
  };
  const auto times = fight(5, 1);
  ASSERT_FALSE(times.has_value());
  EXPECT_EQ(times.error().plan, 1U);
  EXPECT_EQ(times.error().verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(times.error().verdict.message.find("right at first, wrong when launched again"), 0U)
      << times.error().verdict.message;
}

TEST_F(Remeasuring, NamesTheFinalistThatChangesAnInput) {
  add_kernel("c",
             doubled_then([](const FakeBackend::Call& call) { call.buffer<float>(kX)[0] += 1; }));
  plan_.checks = {{kY, 0, 1000}};  // an output that does not need the input
  const auto times = fight(5, 1);
  ASSERT_FALSE(times.has_value());
  EXPECT_EQ(times.error().plan, 2U);
  EXPECT_EQ(times.error().verdict.message, "changes its input x");
}

// Guard words behind scratch move, those of the others do not: none may be blamed for another.
TEST_F(Remeasuring, DoesNotBlameTheFirstFinalistForWhatAnotherWroteOutside) {
  auto& wild = add_kernel("c", {});
  wild.body = [&wild](const FakeBackend::Call& call) {
    doubled(call);
    if (wild.launches == 4) call.buffer<float>(kY)[-1] = 0;  // a timed one
  };
  const auto times = fight(5, 1);
  EXPECT_TRUE(times.has_value()) << times.error().verdict.message;
}

TEST_F(Remeasuring, LetsFinalistsUseScratchOfDifferentSizes) {
  ArgumentPlan scratch = argument("work", Role::kScratch);
  scratch.elements = 0;
  plan_.arguments.push_back(scratch);
  std::vector<VariantPlan> plans;
  for (const std::uint64_t elements : {10U, 5000U, 100U}) {
    add_kernel("s" + std::to_string(elements),
               doubled_then([elements](const FakeBackend::Call& call) {
                 if (call.buffer<float>(3)[elements - 1]++ != 0) call.buffer<float>(kY)[0] = -1;
               }));
    VariantPlan& plan = plans.emplace_back(variant("s" + std::to_string(elements)));
    scratch.elements = elements;
    plan.overrides = {{3, scratch}};
  }
  const auto times = evaluation().remeasure(plans, {4, 1}, {});
  ASSERT_TRUE(times.has_value()) << times.error().verdict.message;
  EXPECT_EQ(times->at(1).size(), 4U);
}

}  // namespace
}  // namespace tuner
