// Tasks side by side, on threads that stay.
#include "tuner/base/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

namespace tuner {
namespace {

TEST(Crew, DoesItsTasksAtTheSameTime) {
  Crew crew;
  std::barrier all(3);
  std::atomic<int> done = 0;
  const auto task = [&] {
    all.arrive_and_wait();  // for ever, if they came one after the other
    ++done;
  };
  crew.run({task, task, task});
  EXPECT_EQ(done, 3);
}

TEST(Crew, KeepsItsThreads) {
  Crew crew;
  std::vector<std::thread::id> ids(5);
  const auto note = [&](std::size_t i) {
    return [&ids, i] { ids[i] = std::this_thread::get_id(); };
  };
  crew.run({note(0), note(1)});
  crew.run({note(2)});
  crew.run({note(3), note(4)});
  EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), 2U);
  EXPECT_EQ(ids[2], ids[0]);
  EXPECT_EQ(ids[4], ids[1]);
}

TEST(Crew, OfNoTasksIsDoneAtOnce) {
  Crew crew;
  crew.run({});
}

}  // namespace
}  // namespace tuner
