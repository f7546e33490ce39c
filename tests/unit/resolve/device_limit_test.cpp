// Times beside what a device can do: 1 TB/s from memory, 4 TB/s from 10 MB of cache, 10 Tflop/s.

#include "tuner/resolve/device_limit.h"

#include <gtest/gtest.h>

#include "tests/unit/resolve/studies.h"
#include "tuner/resolve/objective.h"

namespace tuner {
namespace {

using test::expr;
using test::scale_study;

Ceilings ceilings() { return {1e12, 4e12, 1e7, 0.002, {{"float32", 1e13}}}; }

Study with_work(const std::string& bytes, const std::string& flops,
                const std::string& type = "float32") {
  Study study = scale_study();
  study.least_work.emplace();
  if (!bytes.empty()) study.least_work->bytes = expr(bytes);
  if (!flops.empty()) study.least_work->flops = expr(flops);
  study.least_work->type = type;
  return study;
}

Trial taking(double ms) {
  Trial trial;
  trial.timing = {{ms, ms, ms}, ms, ms, ms, ms, 0};
  return trial;
}

TEST(DeviceLimit, IsWhatTakesTheDeviceLongest) {
  const Bindings n{{"n", std::int64_t{100000000}}};
  EXPECT_EQ(device_limit(with_work("n", ""), n, ceilings()), (DeviceLimit{0.1, "memory"}));
  EXPECT_EQ(device_limit(with_work("n", "20 * n"), n, ceilings()), (DeviceLimit{0.2, "float32"}));
  EXPECT_EQ(device_limit(with_work("n // 20", ""), n, ceilings()), (DeviceLimit{0.002, "launch"}));
  EXPECT_EQ(device_limit(with_work("n // 10", ""), n, ceilings()), (DeviceLimit{0.0025, "cache"}));
}

TEST(DeviceLimit, IsNotKnownWhereNoCeilingIs) {
  const Bindings n{{"n", std::int64_t{100000000}}};
  EXPECT_FALSE(device_limit(with_work("n", ""), n, {}));
  EXPECT_FALSE(device_limit(with_work("", "n", "bfloat16"), n, ceilings()));
  EXPECT_FALSE(device_limit(scale_study(), n, ceilings()));
}

TEST(DeviceLimit, ATypeMayBeAParameter) {
  const Bindings n{{"n", std::int64_t{100000000}}, {"T", std::string("float")}};
  EXPECT_EQ(device_limit(with_work("", "n", "{T}"), n, ceilings()), (DeviceLimit{0.01, "float32"}));
}

TEST(TooFast, IsATimeThatTheDeviceCannotReach) {
  const Study study = with_work("n", "");
  const Bindings n{{"n", std::int64_t{100000000}}};
  Trial fast = taking(0.05);
  score(study, n, fast, ceilings());
  EXPECT_EQ(fast.state, TrialState::kSuspect);
  EXPECT_EQ(fast.message,
            "0.05 ms is less than the 0.0925 ms that this device needs at least (memory: 100 MB at "
            "1 TB/s): it does not do what 'work' says, or 'work' says too much");
  EXPECT_FALSE(share_of_limit(fast));
}

// Ten percent for what both measurements err by, and the cache may hold a part of the data.
TEST(TooFast, IsNothingNearTheCeiling) {
  const Study study = with_work("n", "");
  const Bindings n{{"n", std::int64_t{100000000}}};
  Trial near = taking(0.085);
  score(study, n, near, ceilings());
  EXPECT_EQ(near.state, TrialState::kOk);
  EXPECT_EQ(share_text(near), "118% memory");
  Trial uncertain = taking(0.05);
  uncertain.timing.ci_high = 0.09;
  score(study, n, uncertain, ceilings());
  EXPECT_EQ(uncertain.state, TrialState::kOk);
}

// A kernel that begins to remember in its last rounds.
TEST(TooFast, IsAFinalThatTheDeviceCannotReach) {
  const Study study = with_work("n", "");
  const Bindings n{{"n", std::int64_t{100000000}}};
  Trial trial = taking(0.1);
  score(study, n, trial, ceilings());
  trial.final.emplace().samples = {0.05, 0.05, 0.05};
  score_final(study, n, ceilings(), trial);
  EXPECT_EQ(trial.state, TrialState::kSuspect);
  EXPECT_TRUE(trial.message.starts_with("in the final: 0.05 ms is less than")) << trial.message;
  rescore(study, n, trial, ceilings());
  EXPECT_EQ(trial.state, TrialState::kSuspect) << "of a stored final, too";
  Ceilings higher = ceilings();
  higher.memory_bytes_per_second = 3e12;
  rescore(study, n, trial, higher);
  EXPECT_EQ(trial.state, TrialState::kOk);
  EXPECT_TRUE(trial.final);
}

TEST(Rescore, JudgesASuspectByTheCeilingsThatAreKnownNow) {
  const Study study = with_work("n", "");
  const Bindings n{{"n", std::int64_t{100000000}}};
  Trial trial = taking(0.05);
  score(study, n, trial, ceilings());
  ASSERT_EQ(trial.state, TrialState::kSuspect);
  rescore(study, n, trial);
  EXPECT_EQ(trial.state, TrialState::kSuspect) << "nobody knows better";
  Ceilings higher = ceilings();
  higher.memory_bytes_per_second = 3e12;
  rescore(study, n, trial, higher);
  EXPECT_EQ(trial.state, TrialState::kOk);
  EXPECT_EQ(trial.message, "");
  EXPECT_EQ(share_text(trial), "66.7% memory");
  rescore(scale_study(), n, trial, higher);
  EXPECT_FALSE(trial.limit) << "the study says nothing any more";
}

}  // namespace
}  // namespace tuner
