#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

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

// Waits until the run has reported this many trials.
void wait_for_trials(const Running& running, std::size_t wanted) {
  for (int i = 0; i < 3000; ++i) {
    const std::string errors = running.errors_so_far();
    std::size_t count = 0;
    for (std::size_t at = 0; (at = errors.find("\"trial\"", at)) != std::string::npos; ++at)
      ++count;
    if (count >= wanted) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  FAIL() << "no trial in a minute: " << running.errors_so_far();
}

std::size_t stored_rows(const Sandbox& sandbox) {
  std::size_t count = 0;
  if (!fs::exists(sandbox.path("results/axpy"))) return 0;
  for (const auto& file : fs::recursive_directory_iterator(sandbox.path("results/axpy"))) {
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

TEST(Interruption, CtrlCKeepsEverythingAndTheSameCommandResumes) {
  const Sandbox sandbox;
  Running running(sandbox, words());
  wait_for_trials(running, 3);
  running.signal(SIGINT);
  const auto stopped = running.wait();
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  const std::size_t kept = stored_rows(sandbox);
  EXPECT_GE(kept, 3U);
  EXPECT_LT(kept, 22U);
  EXPECT_TRUE(no_process_left(sandbox));
  EXPECT_EQ(stray_files(sandbox), 0U);

  const auto resumed = run(sandbox, words());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(stored_rows(sandbox), 22U);
  std::size_t recalled = 0;
  for (std::size_t at = 0; (at = resumed.err.find("\"from_store\":true", at)) != std::string::npos;
       ++at) {
    ++recalled;
  }
  EXPECT_EQ(recalled, kept);
}

TEST(Interruption, SigtermIsLikeCtrlC) {
  const Sandbox sandbox;
  Running running(sandbox, words());
  wait_for_trials(running, 1);
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().status, 130);
  EXPECT_TRUE(no_process_left(sandbox));
}

TEST(Interruption, CtrlCTwiceEndsAHangAtOnce) {
  const Sandbox sandbox;
  Running running(sandbox, {"run", data("faults/faults.yaml"), "--backend", "cpu", "--timeout",
                            "60", "--strategy", "exhaustive", "--progress", "json"});
  wait_for_trials(running, 1);
  running.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  running.signal(SIGINT);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(running.wait().status, 130);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_TRUE(no_process_left(sandbox));
}

TEST(Interruption, KillNineLosesNoReportedTrialAndLeavesNoOrphan) {
  const Sandbox sandbox;
  std::size_t reported = 0;
  {
    Running running(sandbox, words());
    wait_for_trials(running, 4);
    running.signal(SIGKILL);
    const auto killed = running.wait();
    for (std::size_t at = 0; (at = killed.err.find("\"trial\"", at)) != std::string::npos; ++at) {
      ++reported;
    }
  }
  EXPECT_TRUE(no_process_left(sandbox));
  const auto resumed = run(sandbox, words());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  std::size_t recalled = 0;
  for (std::size_t at = 0; (at = resumed.err.find("\"from_store\":true", at)) != std::string::npos;
       ++at) {
    ++recalled;
  }
  EXPECT_GE(recalled, reported);
  EXPECT_EQ(stored_rows(sandbox), 22U);
}

}  // namespace
}  // namespace tuner::cli
