// Hands tasks to threads that wait for the next one.

#include "tuner/base/worker_threads.h"

#include <utility>

namespace tuner {

WorkerThreads::~WorkerThreads() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  for (Member& member : members_) member.thread.join();
}

void WorkerThreads::run(std::vector<Task> tasks) {
  std::unique_lock lock(mutex_);
  while (members_.size() < tasks.size()) {
    Member& member = members_.emplace_back();
    member.thread = std::thread([this, &member] { work(member); });
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) members_[i].task = std::move(tasks[i]);
  at_work_ = tasks.size();
  changed_.notify_all();
  changed_.wait(lock, [this] { return at_work_ == 0; });
}

void WorkerThreads::work(Member& member) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_over_ || member.task; });
    if (is_over_) return;
    const Task task = std::exchange(member.task, nullptr);
    lock.unlock();
    task();
    lock.lock();
    --at_work_;
    changed_.notify_all();
  }
}

}  // namespace tuner
