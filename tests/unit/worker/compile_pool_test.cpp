// Equal requests that are under way at the same time: one compilation, an answer for each.
#include "tuner/worker/compile_pool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/fakes/script_worker.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The script is ready at once, and then does what a test tells it. Whoever answers does so in the
// order of the requests, and knows nothing of ids.
class CompilePoolTest : public testing::Test {
 protected:
  CompilePoolTest() {
    ::mkfifo(script_.file("orders").c_str(), 0600);
    // Open for both, so that neither side waits for the other.
    orders_ = ::open(script_.file("orders").c_str(), O_RDWR | O_CLOEXEC);
    script_.write_message("ready", {{"type", "ready"}, {"identity", "script 1"}});
  }
  ~CompilePoolTest() override { ::close(orders_); }

  // A worker that says what say() gives it.
  static constexpr const char* kSpeaks = "exec cat orders >&3";
  // One that dies of this signal the first time, as soon as it is told anything.
  static std::string dies_once(const std::string& signal) {
    return "if mkdir first 2>/dev/null; then\n"
           "  head -c 1 orders >/dev/null\n  kill -s " +
           signal + " $$\nfi\ntouch again\n" + kSpeaks;
  }

  // Its worker is ready: what is submitted goes there at once.
  CompilePool pool_of(const std::string& commands, double deadline = 100) const {
    CompilePool pool(script_.program("cat ready >&3\n" + commands), {"any", 1, deadline, ""});
    EXPECT_EQ(pool.identity(), "script 1");
    return pool;
  }
  // Until that is so; nothing is answered meanwhile.
  static void wait_until(CompilePool& pool, const std::function<bool()>& is_so) {
    const TimePoint late = Clock::now() + std::chrono::seconds(60);
    for (; !is_so() && Clock::now() < late; ::usleep(1000)) EXPECT_TRUE(pool.handle().empty());
    EXPECT_TRUE(is_so());
  }
  // Until the worker that takes a dead one's place is ready and has its work.
  void wait_for_the_next(CompilePool& pool) const {
    wait_until(pool, [this] { return fs::exists(script_.file("again")); });
  }
  // To the worker: a byte for one that waits for it, or what it shall say.
  void say(const std::string& bytes) const {
    ASSERT_EQ(::write(orders_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void say_compiled(const std::string& image) const {
    Artifact artifact;
    artifact.image = image;
    artifact.milliseconds = 7;
    say(encode_frame({{"type", "compiled"}, {"artifact", artifact}}));
  }
  void say_failed(const std::string& log) const {
    const std::vector<std::uint8_t> bytes(log.begin(), log.end());
    say(encode_frame({{"type", "failed"},
                      {"retryable", false},
                      {"log", json::binary(bytes)},
                      {"opened", nullptr}}));
  }

  // Until so many results have come, and then once more, for one too many.
  static std::vector<CompileResult> results_of(CompilePool& pool, std::size_t count) {
    std::vector<CompileResult> all;
    const TimePoint late = Clock::now() + std::chrono::seconds(60);
    for (bool again = true; again && Clock::now() < late;) {
      again = all.size() < count;
      PollSet awaited;
      pool.watch(awaited);
      awaited.until(after(Clock::now(), 0.02));
      awaited.wait();
      for (CompileResult& result : pool.handle()) all.push_back(std::move(result));
    }
    return all;
  }
  static std::vector<std::uint64_t> ids_of(const std::vector<CompileResult>& results) {
    std::vector<std::uint64_t> ids;
    for (const CompileResult& result : results) ids.push_back(result.id);
    return ids;
  }

  ScriptWorker script_;
  int orders_ = -1;
};

using Ids = std::vector<std::uint64_t>;

TEST_F(CompilePoolTest, OneCompilationAnswersEachOfItsEqualsWithTheSameImage) {
  CompilePool pool = pool_of(kSpeaks);
  const Ids ids{pool.submit("a", {}), pool.submit("a", {}), pool.submit("a", {})};
  EXPECT_EQ(pool.outstanding(), 1U);
  EXPECT_TRUE(pool.is_under_way("a"));
  say_compiled("code");
  const auto results = results_of(pool, 3);
  ASSERT_EQ(ids_of(results), ids);
  for (const CompileResult& result : results) {
    EXPECT_EQ(result.outcome->get(), results[0].outcome->get());  // not a copy
    EXPECT_EQ((*result.outcome)->image, "code");
    EXPECT_EQ((*result.outcome)->milliseconds, 7);
    EXPECT_EQ(result.shared, result.id != ids[0]);  // the first one pays
  }
  EXPECT_FALSE(pool.is_under_way("a"));
  EXPECT_EQ(pool.outstanding(), 0U);
}

TEST_F(CompilePoolTest, EachKeyIsACompilationOfItsOwn) {
  CompilePool pool = pool_of(kSpeaks);
  const std::uint64_t a = pool.submit("a", {});
  const std::uint64_t b = pool.submit("b", {});
  const std::uint64_t late = pool.submit("a", {});
  EXPECT_EQ(pool.outstanding(), 2U);
  say_compiled("of a");
  say_compiled("of b");
  std::map<std::uint64_t, std::string> images;
  for (const CompileResult& result : results_of(pool, 3)) {
    images[result.id] = (*result.outcome)->image;
  }
  EXPECT_EQ(images,
            (std::map<std::uint64_t, std::string>{{a, "of a"}, {b, "of b"}, {late, "of a"}}));
}

TEST_F(CompilePoolTest, AnIdIsNotGivenAgainAndAnAnswerIsNotKept) {
  CompilePool pool = pool_of(kSpeaks);
  const std::uint64_t first = pool.submit("a", {});
  say_compiled("code");
  results_of(pool, 1);
  const std::uint64_t second = pool.submit("a", {});
  EXPECT_NE(second, first);
  say_compiled("code");
  const auto results = results_of(pool, 1);
  EXPECT_EQ(ids_of(results), Ids{second});
  EXPECT_FALSE(results[0].shared);  // it was compiled for this one
}

TEST_F(CompilePoolTest, AFailureIsThatOfAllWhoWaitForItAndOfNobodyLater) {
  CompilePool pool = pool_of(kSpeaks);
  const Ids ids{pool.submit("a", {}), pool.submit("a", {})};
  say_failed("error: no such name");
  const auto failed = results_of(pool, 2);
  ASSERT_EQ(ids_of(failed), ids);
  for (const CompileResult& result : failed) {
    EXPECT_EQ(result.outcome.error().log, "error: no such name");
  }
  pool.submit("a", {});
  say_compiled("code");
  const auto later = results_of(pool, 1);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_TRUE(later[0].outcome.has_value());
}

TEST_F(CompilePoolTest, ACrashIsTheVerdictOfEachThatSharedItAndOfNobodyElse) {
  CompilePool pool = pool_of(dies_once("SEGV"));
  const Ids guilty{pool.submit("a", {}), pool.submit("a", {})};
  const Ids innocent{pool.submit("b", {}), pool.submit("b", {})};  // already in the worker's socket
  say("!");
  const auto crashed = results_of(pool, 2);
  ASSERT_EQ(ids_of(crashed), guilty);
  for (const CompileResult& result : crashed) {
    EXPECT_NE(result.outcome.error().log.find("killed by signal 11"), std::string::npos)
        << result.outcome.error().log;
  }
  wait_for_the_next(pool);
  say_compiled("of b");
  const auto others = results_of(pool, 2);
  ASSERT_EQ(ids_of(others), innocent);
  for (const CompileResult& result : others) EXPECT_EQ((*result.outcome)->image, "of b");
}

TEST_F(CompilePoolTest, AHangEndsForAllAtTheDeadlineOfTheCompilation) {
  CompilePool pool = pool_of("exec sleep 600", 0.5);
  Ids ids{pool.submit("a", {})};
  const auto deadline = [&] {
    PollSet awaited;
    pool.watch(awaited);
    return awaited.due;
  };
  const TimePoint first = deadline();
  ::usleep(100'000);
  ids.push_back(pool.submit("a", {}));
  EXPECT_EQ(deadline(), first);  // who joins late waits no longer
  const auto results = results_of(pool, 2);
  ASSERT_EQ(ids_of(results), ids);
  for (const CompileResult& result : results) {
    EXPECT_EQ(result.outcome.error().log, "the compiler took longer than 0 s");
  }
}

TEST_F(CompilePoolTest, ASecondChanceIsOneForAllAndSomeMayJoinInBetween) {
  CompilePool pool = pool_of(dies_once("KILL"));  // as a machine without memory does
  Ids ids{pool.submit("a", {}), pool.submit("a", {})};
  say("!");
  wait_for_the_next(pool);
  ids.push_back(pool.submit("a", {}));
  EXPECT_EQ(pool.outstanding(), 1U);
  say_compiled("code");
  const auto results = results_of(pool, 3);
  ASSERT_EQ(ids_of(results), ids);
  for (const CompileResult& result : results) EXPECT_TRUE(result.outcome.has_value());
}

TEST_F(CompilePoolTest, WhatIsCancelledIsNeverAnsweredAndWhatOthersWantIs) {
  CompilePool pool = pool_of(kSpeaks);
  const std::uint64_t a = pool.submit("a", {});
  const std::uint64_t b = pool.submit("b", {});  // lies in the worker's socket
  const std::uint64_t c = pool.submit("c", {});
  const std::uint64_t joined = pool.submit("b", {});
  pool.cancel({b, c});
  EXPECT_EQ(pool.outstanding(), 2U);
  EXPECT_FALSE(pool.is_under_way("c"));
  say_compiled("of a");
  say_compiled("of b");
  EXPECT_EQ(ids_of(results_of(pool, 2)), (Ids{a, joined}));
  const std::uint64_t anew = pool.submit("c", {});
  say_compiled("of c");
  const auto results = results_of(pool, 1);
  ASSERT_EQ(ids_of(results), Ids{anew});
  EXPECT_EQ((*results[0].outcome)->image, "of c");
}

TEST_F(CompilePoolTest, AWorkerWhoseWorkIsCancelledIsEndedAndAnotherDoesTheRest) {
  CompilePool pool = pool_of("echo $$ >>pids\n" + std::string(kSpeaks));
  const std::uint64_t a = pool.submit("a", {});
  const std::uint64_t b = pool.submit("b", {});
  pid_t first = 0;
  wait_until(pool, [&] { return bool(std::ifstream(script_.file("pids")) >> first); });
  pool.cancel({a});
  EXPECT_EQ(::kill(first, 0), -1) << "it is gone, and nothing is left of it";
  EXPECT_EQ(errno, ESRCH);
  EXPECT_EQ(pool.outstanding(), 1U);
  wait_until(pool, [&] { return pool.seconds_at_work("b").has_value(); });  // starts another
  say_compiled("of b");
  const auto results = results_of(pool, 1);
  ASSERT_EQ(ids_of(results), Ids{b});
  EXPECT_EQ((*results[0].outcome)->image, "of b");
}

TEST_F(CompilePoolTest, WhatIsWantedAgainWhileItIsWithAWorkerIsNotAskedForTwice) {
  CompilePool pool = pool_of(kSpeaks);
  pool.submit("a", {});
  const std::uint64_t b = pool.submit("b", {});
  pool.cancel({b});  // the worker has it already
  const std::uint64_t again = pool.submit("b", {});
  say_compiled("of a");
  say_compiled("of b");
  EXPECT_EQ(ids_of(results_of(pool, 2)), (Ids{again - 2, again}));
}

TEST_F(CompilePoolTest, AWorkerThatIsStartingGetsItsFirstJobBeforeAnotherHasASecond) {
  const std::string once = "if mkdir first 2>/dev/null; then cat ready >&3; exec sleep 1000; fi\n";
  const std::string commands = once + "head -c 1 orders >/dev/null\ncat ready >&3\n" + kSpeaks;
  CompilePool pool(script_.program(commands), {"any", 2, 100, ""});
  EXPECT_EQ(pool.identity(), "script 1");  // the first is ready, and never answers
  pool.warm_up();
  pool.submit("a", {});
  const std::uint64_t id = pool.submit("b", {});
  EXPECT_FALSE(pool.seconds_at_work("b"));
  say("x");
  wait_until(pool, [&] { return pool.seconds_at_work("b").has_value(); });
  say_compiled("image");
  EXPECT_EQ(ids_of(results_of(pool, 1)), Ids{id});
}

TEST_F(CompilePoolTest, SaysForHowLongSomethingHasBeenCompiled) {
  CompilePool pool = pool_of(kSpeaks);
  pool.submit("a", {});
  pool.submit("b", {});
  const double first = pool.seconds_at_work("a").value_or(-1);
  EXPECT_GE(first, 0);
  EXPECT_FALSE(pool.seconds_at_work("b")) << "it waits for its turn";
  EXPECT_GT(pool.seconds_at_work("a").value_or(-1), first);
}

// ---- workers of other machines ------------------------------------------------------------------

// One worker of this machine, and two of another.
class LentWorkers : public CompilePoolTest {
 protected:
  LentWorkers() {
    options_.warn = [this](const std::string& text) { said_.push_back(text); };
  }

  CompilePool pool_with(const std::string& commands_there, unsigned jobs = 2) {
    there_ = there_script_.program(commands_there);
    there_script_.write_message("ready", {{"type", "ready"}, {"identity", "script 1"}});
    there_script_.write_message("other", {{"type", "ready"}, {"identity", "script 2"}});
    there_script_.write_message("refusal", {{"type", "unavailable"}, {"reason", "no licence"}});
    Artifact artifact;
    artifact.image = "made there";
    there_script_.write_message("made", {{"type", "compiled"}, {"artifact", artifact}});
    LentHost host{2, "node7", jobs, [this](const std::string& role) {
                    if (is_gone_) throw UnavailableError("it has not answered for 15 s");
                    return std::make_unique<Channel>(there_, role);
                  }};
    CompilePool pool(script_.program("cat ready >&3\n" + std::string(kSpeaks)), options_, {host});
    EXPECT_EQ(pool.identity(), "script 1");
    pool.warm_up();
    return pool;
  }
  // Until the other machine's workers are ready, or left out.
  void settle(CompilePool& pool, unsigned jobs) const {
    wait_until(pool, [&] { return pool.jobs() == jobs; });
  }

  ScriptWorker there_script_;
  WorkerProgram there_;
  bool is_gone_ = false;
  std::vector<std::string> said_;
  std::vector<std::string> kept_;
  CompilePoolOptions options_{"any", 1, 100, ""};
};

TEST_F(LentWorkers, CompileWhatThisMachineHasNoWorkerForAndItIsKeptHere) {
  options_.keep = [this](const std::string& key, const Artifact& artifact) {
    kept_.push_back(key + ": " + artifact.image);
  };
  CompilePool pool = pool_with(
      "cat ready >&3; until [ -e go ]; do sleep 0.01; done; cat made made >&3; exec sleep 600", 1);
  EXPECT_EQ(pool.jobs(), 2U);
  for (const char* key : {"a", "b", "c", "d"}) pool.submit(key, {});
  // Each worker has two, of which one waits: this machine's has the first ones.
  wait_until(pool, [&] { return pool.seconds_at_work("c").has_value(); });
  std::ofstream(there_script_.file("go")) << "";
  const auto results = results_of(pool, 2);
  ASSERT_EQ(results.size(), 2U);
  for (const CompileResult& result : results) {
    ASSERT_TRUE(result.outcome);
    EXPECT_EQ((*result.outcome)->image, "made there");
  }
  std::ranges::sort(kept_);
  EXPECT_EQ(kept_, (std::vector<std::string>{"c: made there", "d: made there"}));
  EXPECT_TRUE(said_.empty());
}

TEST_F(LentWorkers, AnotherCompilerIsLeftOut) {
  CompilePool pool = pool_with("cat other >&3; exec sleep 600");
  settle(pool, 1);
  EXPECT_EQ(said_, std::vector<std::string>{
                       "rank 2 on node7: its compile workers are left out: its compiler is script "
                       "2, that of rank 0 script 1"});
}

TEST_F(LentWorkers, AMachineThatCannotCompileIsLeftOut) {
  CompilePool pool = pool_with("cat refusal >&3; exec sleep 600");
  settle(pool, 1);
  EXPECT_EQ(said_, std::vector<std::string>{
                       "rank 2 on node7: its compile workers are left out: no licence"});
}

TEST_F(LentWorkers, WhatAMachineHadThatIsGoneIsCompiledHere) {
  // Each is killed as soon as it has a job: the pipe ends once there is something to read.
  CompilePool pool = pool_with("cat ready >&3; head -c 200 <&3 >/dev/null; kill -s KILL $$");
  for (const char* key : {"a", "b", "c"}) pool.submit(key, {});
  is_gone_ = true;
  settle(pool, 1);
  EXPECT_EQ(said_, std::vector<std::string>{"rank 2 on node7: its compile workers are left out: it "
                                            "has not answered for 15 s"});
  for (int i = 0; i < 3; ++i) {
    say_compiled("here");
    EXPECT_EQ(results_of(pool, 1).size(), 1U);
  }
}

}  // namespace
}  // namespace tuner
