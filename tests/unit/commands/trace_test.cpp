// The file of --trace.

#include "tuner/commands/trace.h"

#include <gtest/gtest.h>

#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"

namespace tuner {
namespace {

Trial trial_of(double ms) {
  Trial trial;
  trial.timing.median = ms;
  trial.objective = SearchFigure(ms / 1000);
  return trial;
}

std::string trace_of(bool by_time) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "trace.csv";
  TraceFile trace(path.string(), by_time);
  trace.begin_run("random", 7);
  trace.trial(trial_of(0.5), 1.5);
  trace.begin_run("random", 8);
  Trial failed = trial_of(0.25);
  failed.state = TrialState::kCompile;
  trace.trial(failed, 1);
  trace.begin_run("genetic:population=4,elites=2", 7);
  trace.trial(trial_of(2), 3);
  trace.close();
  return read_file(path);
}

TEST(TraceFile, NamesStrategyAndSeedAndCountsTheRunsOfEachAsTheTableDoes) {
  EXPECT_EQ(trace_of(true),
            "run,eval,time_s,objective,strategy,seed\n"
            "0,1,1.5,0.5,random,7\n"
            "1,1,1,,random,8\n"
            "0,1,3,2,\"genetic:population=4,elites=2\",7\n");
}

TEST(TraceFile, OfAnObjectiveThatIsNoTimeItHasTheValue) {
  EXPECT_NE(trace_of(false).find("0,1,3,0.002"), std::string::npos) << trace_of(false);
}

}  // namespace
}  // namespace tuner
