#include <gtest/gtest.h>
#include <signal.h>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& words() {
  static const std::vector<std::string> all{"run",        data("studies/tiny.yaml"),
                                            "--backend",  "cpu",
                                            "--strategy", "exhaustive",
                                            "--progress", "json",
                                            "--jobs",     "1"};
  return all;
}

// Two healthy variants and two that would be compiled for minutes: with little `patience` not for
// long, else the run does not end by itself.
std::vector<std::string> endless(const std::string& patience = "600") {
  return {"run",        data("faults/faults.yaml"),
          "--backend",  "cpu",
          "--where",    "FAULT == 'ok' or FAULT == 'compile_hang'",
          "--progress", "json",
          "--jobs",     "1",
          "--timeout",  patience};
}

void wait_for_trials(const Running& running, std::size_t wanted) {
  ASSERT_TRUE(eventually([&] {
    return occurrences(running.errors_so_far(), "\"trial\"") >= wanted;
  })) << running.errors_so_far();
}

std::size_t stored_rows(const Sandbox& sandbox) {
  std::size_t count = 0;
  if (!fs::exists(sandbox.path("results"))) return 0;
  for (const auto& file : fs::recursive_directory_iterator(sandbox.path("results"))) {
    if (file.path().extension() == ".csv") count += read_csv(file.path()).size();
  }
  return count;
}

std::size_t stray_files(const Sandbox& sandbox) {
  std::size_t count = 0;
  for (const auto& file : fs::recursive_directory_iterator(sandbox.path("results"))) {
    if (file.path().string().find(".tmp") != std::string::npos) ++count;
  }
  return count;
}

TEST(Interruption, CtrlCKeepsEverythingAndTheRunCanBeResumed) {
  const Sandbox sandbox;
  Running running(sandbox, endless());
  wait_for_trials(running, 2);
  running.signal(SIGINT);
  const auto stopped = running.wait();
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_EQ(stored_rows(sandbox), 2U);
  EXPECT_TRUE(no_process_left(sandbox));
  EXPECT_EQ(stray_files(sandbox), 0U);

  const auto resumed = run_to(0, sandbox, endless("1"));
  EXPECT_EQ(stored_rows(sandbox), 4U);
  EXPECT_TRUE(occurrences(resumed.err, "\"from_store\":true") == 2U || measured_again(resumed))
      << resumed.err;
}

TEST(Interruption, SigtermIsLikeCtrlC) {
  const Sandbox sandbox;
  Running running(sandbox, endless());
  wait_for_trials(running, 1);
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().status, 130);
  EXPECT_TRUE(no_process_left(sandbox));
}

TEST(Interruption, TheEndOfTheTerminalIsLikeCtrlC) {
  const Sandbox sandbox;
  Running running(sandbox, endless());
  wait_for_trials(running, 1);
  // As where a session's end reaches every process of it.
  for (const int pid : program_processes(sandbox)) {
    if (pid != running.pid()) ::kill(pid, SIGHUP);
  }
  running.signal(SIGHUP);
  running.signal(SIGHUP);  // as shells do beside the system
  const auto stopped = running.wait();
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_GE(stored_rows(sandbox), 1U);
  EXPECT_EQ(occurrences(stopped.err, "\"state\":\"runtime\""), 0U) << stopped.err;
  EXPECT_TRUE(no_process_left(sandbox));
}

TEST(Interruption, UnderNohupTheEndOfTheTerminalIsIgnored) {
  const Sandbox sandbox;
  const auto before = ::signal(SIGHUP, SIG_IGN);
  Running running(sandbox, endless());
  ::signal(SIGHUP, before);
  wait_for_trials(running, 1);
  running.signal(SIGHUP);
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().status, 130);
}

TEST(Interruption, KillNineLosesNoReportedTrialAndLeavesNoOrphan) {
  const Sandbox sandbox;
  std::size_t reported = 0;
  {
    Running running(sandbox, words());
    wait_for_trials(running, 4);
    running.signal(SIGKILL);
    reported = occurrences(running.wait().err, "\"trial\"");
  }
  EXPECT_TRUE(no_process_left(sandbox));
  const auto resumed = run_to(0, sandbox, words());
  EXPECT_TRUE(occurrences(resumed.err, "\"from_store\":true") >= reported ||
              measured_again(resumed))
      << resumed.err;
  EXPECT_EQ(stored_rows(sandbox), 22U);
}

}  // namespace
}  // namespace tuner::cli
