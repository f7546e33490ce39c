// Tasks side by side, on threads that stay.

#include "tuner/base/worker_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

namespace tuner {
namespace {

TEST(WorkerThreads, DoesItsTasksAtTheSameTime) {
  WorkerThreads threads;
  std::barrier all(3);
  std::atomic<int> done = 0;
  const auto task = [&] {
    all.arrive_and_wait();  // for ever, if they came one after the other
    ++done;
  };
  threads.run({task, task, task});
  EXPECT_EQ(done, 3);
}

TEST(WorkerThreads, KeepsItsThreads) {
  WorkerThreads threads;
  std::vector<std::thread::id> ids(5);
  const auto note = [&](std::size_t i) {
    return [&ids, i] { ids[i] = std::this_thread::get_id(); };
  };
  threads.run({note(0), note(1)});
  threads.run({note(2)});
  threads.run({note(3), note(4)});
  EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), 2U);
  EXPECT_EQ(ids[2], ids[0]);
  EXPECT_EQ(ids[4], ids[1]);
}

TEST(WorkerThreads, OfNoTasksIsDoneAtOnce) {
  WorkerThreads threads;
  threads.run({});
}

}  // namespace
}  // namespace tuner
