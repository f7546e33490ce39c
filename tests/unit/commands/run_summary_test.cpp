// What the end of a run says.

#include <gtest/gtest.h>

#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/commands/run_display.h"

namespace tuner {
namespace {

Trial searched(double ms) {
  Trial trial;
  trial.timing.median = trial.timing.ci_low = trial.timing.ci_high = ms;
  trial.objective = SearchFigure(ms / 1000);
  trial.reference_ms = 2.0;
  return trial;
}

SizeOutcome outcome_of(const std::vector<Trial>& trials) {
  SizeOutcome outcome;
  outcome.results.device.name = "gpu";
  outcome.results.size.dims = {{"n", 8}};
  outcome.results.trials = trials;
  outcome.results.ranked = trials.size();
  return outcome;
}

std::vector<std::string> summary_after(const Study& study, const SizeOutcome& outcome,
                                       const std::string& typed = "axpy.yaml",
                                       const std::string& results = "results") {
  RunSummary summary(study, typed, results);
  summary.add(outcome);
  return summary.lines();
}

// The final ran on a colder board than the search.
TEST(RunSummary, RatiosStandBehindTheFigureOfTheirOwnPhase) {
  Study study;
  study.reference.emplace();
  SizeOutcome outcome = outcome_of({searched(1.0), searched(1.5), searched(4.0)});
  FinalResult& final = outcome.results.trials[0].final.emplace();
  final.median_ms = final.ci_low_ms = final.ci_high_ms = FinalFigure(0.6);
  outcome.results.baseline = BaselineResult{{}, 1, {{3, 2.9, 3.1, true}}};
  EXPECT_EQ(summary_after(study, outcome).at(1),
            "  n8 on gpu: best 0.6 ms in the final, 3 times as fast as the baseline; 1 ms in the "
            "search, 2 times as fast as the reference (1 ms instead of 2 ms), 1.5 times as fast as "
            "the median of 3 measured; 3 ok");
  outcome.results.baseline->speedups.front() = {1.5, 1.4, 1.6, false};
  EXPECT_NE(
      summary_after(study, outcome)
          .at(1)
          .find("best 0.6 ms in the final; 1 ms in the search, 1.5 times as fast as the baseline,"),
      std::string::npos);
}

TEST(RunSummary, OfAnotherObjectiveThanTheTimeTheBestIsAsGood) {
  Study study;
  study.objective = {"gbps", true, {}};
  SizeOutcome outcome = outcome_of({searched(1.0), searched(2.0), searched(4.0)});
  for (Trial& trial : outcome.results.trials) {
    trial.objective = SearchFigure(8 / trial.timing.median);
  }
  EXPECT_EQ(summary_after(study, outcome).at(1),
            "  n8 on gpu: best 8 gbps in the search, 2 times as good as the median of 3 measured; "
            "3 ok");
}

// One line of text for each size would be 300 characters long.
TEST(RunSummary, SeveralSizesAreATableOf80Columns) {
  Study study;
  study.sizes = {{{{"n", 8}}}, {{{"n", 1000000}}}};
  RunSummary summary(study, "axpy.yaml", "results");
  SizeOutcome large = outcome_of({searched(1.0), searched(1.5)});
  large.results.size = study.sizes[1];
  large.results.baseline = BaselineResult{{}, 1, {{1.5, 1.4, 1.6, false}}};
  summary.add(large);
  SizeOutcome small = outcome_of({searched(1.0)});
  small.results.ranked = 0;
  summary.add(small);
  const auto lines = summary.lines();
  ASSERT_GE(lines.size(), 5U);
  EXPECT_EQ(lines[1], "  on gpu");
  EXPECT_EQ(lines[2], "  size        best ms  baseline  reference     valid  limited by");
  EXPECT_EQ(lines[3], "  n8             none                            0/1");
  EXPECT_EQ(lines[4], "  n1000000          1      1.5x         2x       2/2");
}

TEST(RunSummary, WordsOfTheNextCommandsAreQuotedWhereAShellNeedsIt) {
  Study study;
  study.kernel.name = "axpy";
  const auto lines =
      summary_after(study, outcome_of({searched(1.0)}), "my study.yaml", "the results");
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[lines.size() - 2],
            "  tuner report 'my study.yaml' --results 'the results' -o axpy.html");
  EXPECT_EQ(lines.back(),
            "  tuner export 'my study.yaml' --results 'the results' --format header -o "
            "axpy_tuned.h");
}

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
