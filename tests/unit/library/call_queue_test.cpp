// Calls that wait for a thread with time: what is done within it, and what happens at the end.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tuner/library/deferred_device.h"

namespace libtuner {
namespace {

// Each call takes so many milliseconds of a clock that nothing else moves.
class CallQueueTest : public ::testing::Test {
 protected:
  void SetUp() override { queue_.open(); }
  void TearDown() override { finish(); }

  // A thread that wants `count` calls done, one after the other, each of which it expects to take
  // what it takes.
  void want(int count, double each_ms) {
    wanting_ = std::thread([this, count, each_ms] {
      for (int i = 0; i < count; ++i) {
        const auto body = [&] {
          now_ms_ = now_ms_ + each_ms;
          ++done_;
        };
        if (!queue_.call(body, each_ms)) ++refused_;
      }
    });
  }
  void finish() {
    queue_.close();
    if (wanting_.joinable()) wanting_.join();
  }
  double now() const { return now_ms_; }
  // Once the first call waits.
  bool work_until(double end) {
    while (!queue_.work_until(end, [this] { return now(); })) std::this_thread::yield();
    return true;
  }

  CallQueue queue_;
  std::thread wanting_;
  std::atomic<double> now_ms_{0};
  std::atomic<int> done_{0};
  std::atomic<int> refused_{0};
};

TEST_F(CallQueueTest, NoCallIsBegunThatIsExpectedToEndTooLate) {
  want(100, 3);
  while (now() < 9) work_until(10);  // again where the next call came later than the queue waits
  EXPECT_EQ(done_, 3);
  EXPECT_EQ(now(), 9);
}

TEST_F(CallQueueTest, OneCallIsDoneHoweverLongItTakes) {
  want(100, 50);
  work_until(10);
  EXPECT_EQ(done_, 1);
}

TEST_F(CallQueueTest, NothingIsDoneWithoutTime) {
  want(1, 1);
  EXPECT_FALSE(queue_.work_until(0, [this] { return now(); }));
  EXPECT_EQ(done_, 0);
}

TEST_F(CallQueueTest, WhoeverWaitsForNobodyIsToldAtTheEnd) {
  want(5, 1);
  work_until(1.5);
  EXPECT_EQ(done_, 1);
  finish();
  EXPECT_EQ(refused_, 4);
}

TEST_F(CallQueueTest, WithoutCallsItReturnsAtOnce) {
  EXPECT_FALSE(queue_.work_until(1e9, [this] { return now(); }));
}

}  // namespace
}  // namespace libtuner
