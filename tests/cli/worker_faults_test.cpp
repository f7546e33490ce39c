// The plugin of tests/fault_plugin through the real tuner: workers that die, lie and hang.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "program.h"

namespace tuner::cli {
namespace {

using Row = std::map<std::string, std::string>;

class WorkerFaults : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(sandbox_.path("state"));
    ::setenv("TUNER_FAULTY_STATE", sandbox_.path("state").c_str(), 1);
    ::setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0", 1);  // deaths as without sanitizer
  }
  void TearDown() override {
    ::unsetenv("TUNER_FAULTY_STATE");
    ::unsetenv("TUNER_FAULTY_OPEN");
    ::unsetenv("ASAN_OPTIONS");
    EXPECT_TRUE(no_process_left(sandbox_));
  }

  // Writes a study of these variants, each of them twice, launched differently, with so much text
  // in its source.
  void write_study(const std::string& faults, std::size_t padding = 0) const {
    std::string source = "// a definition that no source mentions would not count:";
    for (std::size_t at = 0; at < faults.size();) {
      const std::size_t end = std::min(faults.find(", ", at), faults.size());
      source += " TUNE_FAULT_IS_" + faults.substr(at, end - at);
      at = end + 2;
    }
    sandbox_.write("faulty.cu", source + "\n//" + std::string(padding, '-') + "\n");
    sandbox_.write("faulty.yaml", R"yaml(schema: 1
kernel: {name: faulty, source: faulty.cu, entry: twice}
problem_sizes: [{n: 100}]
parameters: {FAULT: [)yaml" + faults + R"yaml(], PASS: [1, 2]}
launch: {block: [32 * PASS], grid: ["ceil_div(n, 32)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: reference, block: [32], grid: ["ceil_div(n, 32)"]}
verify: {y: {rtol: 0, atol: 0}}
search: {strategy: exhaustive}
)yaml");
  }
  // With one job, variants come to the device in the order of the study.
  static std::vector<std::string> words(const std::string& timeout, const std::string& jobs = "2") {
    return {"run",       "faulty.yaml", "--backend", "faulty", "--plugin-dir", TUNER_FAULT_PLUGIN,
            "--timeout", timeout,       "--jobs",    jobs,     "--progress",   "json"};
  }
  Finished tune(const std::string& faults, const std::string& jobs = "2") const {
    write_study(faults);
    return run(sandbox_, words("100", jobs));
  }

  // State and message of each variant; the two passes of a fault must agree.
  std::map<std::string, Row> rows() const {
    std::map<std::string, Row> by_fault;
    for (const Row& row : read_csv(sandbox_.path("results/faulty/faulty/n100.csv"))) {
      const auto [place, is_new] = by_fault.emplace(row.at("FAULT"), row);
      const auto state = [](const Row& r) {
        return r.at("state") == "dropped" ? "ok" : r.at("state");
      };
      EXPECT_EQ(state(place->second), state(row)) << row.at("FAULT") << ": " << row.at("message");
    }
    return by_fault;
  }

  void expect(const std::string& fault, const std::string& state, const std::string& message) {
    const Row row = rows()[fault];
    EXPECT_EQ(row.at("state"), state) << fault << ": " << row.at("message");
    EXPECT_TRUE(says(row.at("message"), message)) << fault << ": " << row.at("message");
  }

  Sandbox sandbox_;
};

TEST_F(WorkerFaults, RunWorkersThatDieOrTalkNonsenseCostOneVariantEach) {
  const auto done = tune(
      "ok, crash, abort, exit, close, garbage, nested, huge, wrong_types, chatty, lies, "
      "not_a_time, negative_time, absurd");
  ASSERT_EQ(done.status, 0) << done.err;
  expect("ok", "ok", "");
  expect("crash", "runtime", "signal 11");
  expect("abort", "runtime", "signal 6");
  expect("exit", "runtime", "ended with status 0");
  expect("close", "runtime", "killed by signal 9");
  expect("garbage", "runtime", "wrong bytes");
  expect("nested", "runtime", "nested too deep");
  expect("huge", "runtime", "too large");
  expect("wrong_types", "runtime", "makes no sense");
  expect("chatty", "runtime", "chatter");
  expect("lies", "correctness", "");
  expect("not_a_time", "runtime", "measured");
  expect("negative_time", "runtime", "measured -1 ms");
  EXPECT_LT(rows()["chatty"].at("message").size(), 2000U);
}

TEST_F(WorkerFaults, WhatHangsIsKilledAtItsDeadlineAndTheSlowIsWaitedFor) {
  const auto done = tune("ok, hang, slow", "1");  // the deadline follows the first
  ASSERT_EQ(done.status, 0) << done.err;
  expect("hang", "timeout", "killed after ");
  EXPECT_NE(rows()["slow"].at("time_ms"), "");
}

// The test would take ten minutes without a deadline for each round.
TEST_F(WorkerFaults, AHangInTheFinalEndsTheFinalAndNothingElse) {
  const auto done = tune("ok, hang_late", "1");
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(says(done.err, "final: the best 4 are measured again"));
  for (const auto& [fault, row] : rows()) EXPECT_EQ(row.at("state"), "ok") << fault;
}

// What the problem and the observer of the plugin do wrong.
class StudyPluginFaults : public WorkerFaults {
 protected:
  Finished tune_with(const std::string& problem, const std::string& observer) const {
    sandbox_.write("faulty.cu", "// TUNE_FAULT_IS_ok\n");
    sandbox_.write("faulty.yaml", R"yaml(schema: 1
kernel: {name: faulty, source: faulty.cu, entry: twice}
problem_sizes: [{n: 100}]
parameters: {FAULT: [ok], PASS: [1, 2]}
launch: {block: [32 * PASS], grid: ["ceil_div(n, 32)"]}
problem: {name: faulty, options: {fault: )yaml" +
                                      problem + R"yaml(}}
arguments:
  - {name: x, type: float32, shape: [n], fill: problem}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {by: problem}
verify: {y: problem}
metrics: {seven: {observer: faulty, options: {fault: )yaml" +
                                      observer + R"yaml(}}}
search: {strategy: exhaustive}
)yaml");
    return run(sandbox_, words("100"));
  }
};

TEST_F(StudyPluginFaults, WithoutAFaultThereIsAResultAndAMetric) {
  const auto done = tune_with("none", "none");
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(rows()["ok"].at("seven"), "7");
}

TEST_F(StudyPluginFaults, WhatGoesWrongWhileASizeIsPreparedEndsTheRunWithTheReason) {
  const std::pair<const char*, const char*> faults[] = {
      {"fill_abort", "signal 6 (Aborted), perhaps in the problem 'faulty'"},
      {"fill_throw", "x: problem 'faulty', fill: as asked"},
      {"answer_throw", "the reference: problem 'faulty', answer: as asked"}};
  for (const auto& [fault, message] : faults) {
    const auto done = tune_with(fault, "none");
    EXPECT_EQ(done.status, 1) << fault;
    EXPECT_TRUE(says(done.err, "problem size n100 cannot be prepared: "));
    EXPECT_TRUE(says(done.err, message));
  }
}

TEST_F(StudyPluginFaults, WhatGoesWrongWithAVariantIsThatVariantsFailure) {
  EXPECT_EQ(tune_with("judge_throw", "none").status, 1);
  expect("ok", "correctness", "y: problem 'faulty', judge: as asked");
  EXPECT_EQ(tune_with("judge_abort", "none").status, 1);
  expect("ok", "runtime", "signal 6");
  EXPECT_EQ(tune_with("none", "throw").status, 1);
  expect("ok", "launch", "observer 'faulty', end: as asked");
  EXPECT_EQ(tune_with("none", "abort").status, 1);
  expect("ok", "runtime", "signal 6 (Aborted), during observe");
}

// What a resumed run does when the device is three times slower than it was.
class Speed : public WorkerFaults {
 protected:
  Finished tune_some(const std::string& factor, const std::vector<std::string>& more) const {
    ::setenv("TUNER_FAULTY_TIMES", factor.c_str(), 1);
    auto all = words("100", "1");
    all.insert(all.end(), more.begin(), more.end());
    const auto done = run(sandbox_, all);
    ::unsetenv("TUNER_FAULTY_TIMES");
    return done;
  }
  std::vector<Row> csv() const { return read_csv(sandbox_.path("results/faulty/faulty/n100.csv")); }
};

TEST_F(Speed, OldAndNewTimesAreNeverRankedTogether) {
  write_study("longest, ok, longer");
  const auto first = tune_some("1", {"--where", "FAULT != 'longest'"});
  ASSERT_EQ(first.status, 0) << first.err;
  const auto second = tune_some("3", {});
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_TRUE(
      says(second.err, "the device is 3 times slower than when these results were measured"));
  EXPECT_EQ(occurrences(second.err, "\"from_store\":true"), 0U) << second.err;
  EXPECT_EQ(occurrences(second.err, "\"from_store\":false"), 6U) << "each once";
  std::map<std::string, std::string> expected{{"ok", "3"}, {"longer", "4.5"}, {"longest", "5.7"}};
  ASSERT_EQ(csv().size(), 6U);
  for (const Row& row : csv()) {
    EXPECT_EQ(row.at("state"), "ok") << "dropped against the old best: " << row.at("FAULT");
    EXPECT_EQ(row.at("time_ms"), expected[row.at("FAULT")]);
  }
  const auto third = tune_some("3", {});
  EXPECT_FALSE(measured_again(third)) << third.err;
  EXPECT_EQ(occurrences(third.err, "\"from_store\":true"), 6U) << third.err;
}

TEST_F(Speed, WhatTheBudgetLeavesOutStaysAsARowWithoutRank) {
  write_study("longest, ok, longer");
  ASSERT_EQ(tune_some("1", {"--where", "FAULT != 'longest'"}).status, 0);
  const auto second = tune_some("3", {"--budget", "1"});
  ASSERT_EQ(second.status, 0) << second.err;
  std::size_t old = 0;
  for (const Row& row : csv()) {
    if (row.at("FAULT") == "ok") {
      EXPECT_EQ(row.at("time_ms"), "3");
      continue;
    }
    ++old;
    EXPECT_EQ(row.at("rank"), "");
    EXPECT_EQ(row.at("time_ms"), "1.5");
    EXPECT_TRUE(says(row.at("message"), "3 times faster"));
  }
  EXPECT_EQ(old, 2U) << "rows are never removed";
  run_to(0, sandbox_, {"results", "faulty.yaml", "--csv", "again.csv"});
  EXPECT_EQ(read_csv(sandbox_.path("again.csv")), csv());
  // The next run measures them, though the device has not changed since.
  const auto third = tune_some("3", {});
  EXPECT_TRUE(measured_again(third)) << third.err;
  for (const Row& row : csv()) EXPECT_NE(row.at("rank"), "");
}

TEST_F(Speed, NothingIsMeasuredTwiceOnADeviceThatIsAsFastAsThen) {
  write_study("longest, ok, longer");
  ASSERT_EQ(tune_some("1", {"--where", "FAULT != 'longest'"}).status, 0);
  const auto second = tune_some("1.02", {});
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_FALSE(measured_again(second)) << second.err;
  EXPECT_EQ(occurrences(second.err, "\"from_store\":true"), 4U) << second.err;
}

TEST_F(WorkerFaults, AFinalThatStandsIsNotRecordedAgain) {
  const auto first = tune("ok");
  ASSERT_EQ(first.status, 0) << first.err;
  ASSERT_TRUE(says(first.err, "final: the best 2 are measured again"));
  // Of trials that are not recorded again the dates stay what they are.
  const auto changes_of = [&](const char* sql) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(sandbox_.path("results/tuner.sqlite").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    const int changes = sqlite3_changes(database);
    sqlite3_close(database);
    return changes;
  };
  const int trials = changes_of("UPDATE trials SET recorded = '2001-01-01T00:00:00Z'");
  const auto before = rows();
  const auto second = tune("ok");
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(rows(), before);
  EXPECT_EQ(changes_of("UPDATE trials SET id = id WHERE recorded = '2001-01-01T00:00:00Z'"),
            trials);
  auto anew = words("100");
  anew.insert(anew.end(), {"--where", "PASS == 1"});
  EXPECT_EQ(run(sandbox_, anew).status, 0) << "neither is a part of the space";
}

TEST_F(WorkerFaults, ACompilationThatHangsIsKilledAtItsDeadline) {
  write_study("ok, compile_hang");
  std::vector<std::string> healthy = words("100");
  healthy.insert(healthy.end(), {"--where", "FAULT == 'ok'"});
  run_to(0, sandbox_, healthy);
  run_to(0, sandbox_, words("1"));
  expect("compile_hang", "compile", "took longer than 1 s");
}

// The second request is too large to lie in the socket while the first is being worked on.
TEST_F(WorkerFaults, ACompilationThatHangsIsKilledThoughALargeOneWaitsBehindIt) {
  write_study("compile_hang, compile_error", 4'000'000);
  run_to(1, sandbox_, words("3", "1"));
  expect("compile_hang", "compile", "took longer than 3 s");
  expect("compile_error", "compile", "");
}

TEST_F(WorkerFaults, CtrlCTwiceEndsAHangAtOnce) {
  write_study("hang");
  Running running(sandbox_, words("500"));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(sandbox_.path("state/hang")); }))
      << running.errors_so_far();
  running.signal(SIGINT);
  running.signal(SIGINT);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(running.wait().status, 130);
  // The hang would go on for more than 400 seconds.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(WorkerFaults, CompileWorkersThatFailCostOneVariantEach) {
  const auto done = tune(
      "ok, compile_error, compile_crash, compile_exit, compile_garbage, compile_eat, "
      "compile_no_memory_at_first, compile_killed_once");
  ASSERT_EQ(done.status, 0) << done.err;
  expect("ok", "ok", "");
  expect("compile_error", "compile", "as asked");
  expect("compile_crash", "compile", "signal 11");
  expect("compile_exit", "compile", "ended with status 0");
  expect("compile_garbage", "compile", "wrong bytes");
  expect("compile_eat", "compile", "memory");
  EXPECT_EQ(rows()["compile_no_memory_at_first"].at("message"), "");
  EXPECT_EQ(rows()["compile_killed_once"].at("message"), "");
}

TEST_F(WorkerFaults, WhatMayComeFromOutsideGetsTwoSecondChancesAndNoMore) {
  const auto done = tune("ok, no_memory_at_first, killed_once, no_memory, killed");
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(rows()["no_memory_at_first"].at("time_ms"), "");
  EXPECT_NE(rows()["killed_once"].at("time_ms"), "");
  expect("no_memory", "runtime", "there is no memory");
  expect("killed", "runtime", "signal 9");
}

TEST_F(WorkerFaults, ALostDeviceEndsTheRunAndKeepsEverything) {
  auto done = tune("ok, crash, lost", "1");
  EXPECT_EQ(done.status, 3) << done.err;
  EXPECT_TRUE(says(done.err, "fallen off the bus"));
  expect("ok", "ok", "");
  expect("crash", "runtime", "signal 11");
  run_to(0, sandbox_, {"results"});
}

TEST_F(WorkerFaults, AWorkerThatCannotStartEndsTheRunWithItsReason) {
  ::setenv("TUNER_FAULTY_OPEN", "crash", 1);
  auto done = tune("ok");
  EXPECT_EQ(done.status, 3);
  EXPECT_TRUE(says(done.err, "killed by signal 11"));
  ::setenv("TUNER_FAULTY_OPEN", "lost", 1);
  done = tune("ok");
  EXPECT_EQ(done.status, 3);
  EXPECT_TRUE(says(done.err, "fallen off the bus"));
  EXPECT_FALSE(std::filesystem::exists(sandbox_.path("results")));
}

TEST_F(WorkerFaults, AWorkerThatCannotBeBroughtBackEndsTheRunAndBlamesNobodyElse) {
  ::setenv("TUNER_FAULTY_OPEN", "not_again", 1);
  const auto done = tune("ok, crash");
  EXPECT_EQ(done.status, 3) << done.err;
  EXPECT_TRUE(says(done.err, "cannot be brought back"));
  for (const auto& [fault, row] : rows()) {
    EXPECT_EQ(row.at("state"), fault == "ok" ? row.at("state") : "runtime") << fault;
  }
}

TEST_F(WorkerFaults, ABusyDeviceIsAskedAgain) {
  ::setenv("TUNER_FAULTY_OPEN", "busy_at_first", 1);
  const auto done = tune("ok");
  EXPECT_EQ(done.status, 0) << done.err;
}

}  // namespace
}  // namespace tuner::cli
