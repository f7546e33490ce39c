// One compile pool for searches of several threads.
#include "tuner/worker/shared_compilers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/script_worker.h"
#include "tuner/base/error.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

class SharedCompilersTest : public testing::Test {
 protected:
  SharedCompilersTest() {
    script_.write_message("ready", {{"type", "ready"}, {"identity", "script 1"}});
    script_.write_message("refusal", {{"type", "unavailable"}, {"reason", "no licence"}});
    Artifact artifact;
    artifact.image = "code";
    script_.write_message("made", {{"type", "compiled"}, {"artifact", artifact}});
  }
  ~SharedCompilersTest() override {
    if (!thread_.joinable()) return;
    shared_->stop();
    thread_.join();
  }

  // One worker, which answers two requests once there is a file "go".
  void start(const std::string& commands =
                 "echo $$ >>pids; cat ready >&3\nuntil [ -e go ]; do sleep 0.01; done\n"
                 "cat made made >&3\nexec sleep 600") {
    pool_.emplace(script_.program(commands), CompilePoolOptions{"any", 1, 100, ""});
    shared_.emplace(*pool_, 2);
    thread_ = std::thread([this] { shared_->serve(); });
  }
  void go() const { std::ofstream(script_.file("go")) << ""; }

  static std::vector<CompileResult> results_of(Compilers& share, std::size_t count) {
    std::vector<CompileResult> all;
    const TimePoint late = Clock::now() + std::chrono::seconds(60);
    while (all.size() < count && Clock::now() < late) {
      PollSet awaited;
      share.watch(awaited);
      awaited.until(after(Clock::now(), 0.1));
      awaited.wait();
      for (CompileResult& result : share.handle()) all.push_back(std::move(result));
    }
    return all;
  }

  ScriptWorker script_;
  std::optional<CompilePool> pool_;
  std::optional<SharedCompilers> shared_;
  std::thread thread_;
};

TEST_F(SharedCompilersTest, WhatTwoAskForIsCompiledOnceAndEachGetsItsOwnAnswers) {
  start();
  Compilers& first = shared_->share(0);
  Compilers& second = shared_->share(1);
  const std::uint64_t a = first.submit("a", {});
  const std::uint64_t same = second.submit("a", {});
  const std::uint64_t b = second.submit("b", {});
  EXPECT_TRUE(first.is_under_way("b"));
  go();
  const auto of_first = results_of(first, 1);
  ASSERT_EQ(of_first.size(), 1U);
  EXPECT_EQ(of_first[0].id, a);
  EXPECT_FALSE(of_first[0].shared);
  const auto of_second = results_of(second, 2);
  ASSERT_EQ(of_second.size(), 2U);
  EXPECT_EQ(of_second[0].id, same);
  EXPECT_TRUE(of_second[0].shared);
  EXPECT_EQ(of_second[1].id, b);
  EXPECT_EQ((*of_second[0].outcome).get(), (*of_first[0].outcome).get()) << "no copy";
}

TEST_F(SharedCompilersTest, WhatOneCancelsTheOtherStillGets) {
  start();
  Compilers& first = shared_->share(0);
  Compilers& second = shared_->share(1);
  const std::uint64_t dropped = first.submit("a", {});
  const std::uint64_t kept = second.submit("a", {});
  first.cancel({dropped});
  go();
  const auto results = results_of(second, 1);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].id, kept);
  EXPECT_TRUE(first.handle().empty());
}

TEST_F(SharedCompilersTest, EachIsToKeepItsShareOfTheWorkersBusyAndOneAtLeast) {
  start();
  EXPECT_EQ(shared_->share(0).jobs(), 1U);
  EXPECT_EQ(shared_->share(1).load().compile_workers, 1U);
  EXPECT_EQ(shared_->share(1).identity(), "script 1");
}

TEST_F(SharedCompilersTest, APoolThatCannotCompileFailsForAll) {
  start(
      "if mkdir first 2>/dev/null; then cat ready >&3; exit; fi\ncat refusal >&3; exec sleep 600");
  shared_->share(0).submit("a", {});
  shared_->share(0).submit("b", {});
  EXPECT_THROW(results_of(shared_->share(0), 3), UnavailableError);
  EXPECT_THROW(results_of(shared_->share(1), 1), UnavailableError);
}

}  // namespace
}  // namespace tuner
