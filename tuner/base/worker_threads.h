#pragma once
// Threads that stay for as long as somebody may need what they have started. A child process dies
// with the thread that has started it (PR_SET_PDEATHSIG), not only with its process.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tuner {

class WorkerThreads {
 public:
  using Task = std::function<void()>;  // must not throw

  WorkerThreads() = default;
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;
  // Ends the threads, and with them the children that they have started.
  ~WorkerThreads();

  // Does all of them at the same time, each on a thread of its own, and returns when all are done.
  // Threads that are there already are used again.
  void run(std::vector<Task> tasks);

 private:
  struct Member {
    Task task;
    std::thread thread;
  };

  void work(Member& member);

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<Member> members_;
  std::size_t at_work_ = 0;
  bool is_over_ = false;
};

}  // namespace tuner
