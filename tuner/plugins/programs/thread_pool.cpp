// Starts the threads of the pool and hands out work.

#include "tuner/plugins/programs/thread_pool.h"

#include <algorithm>

namespace tuner::programs {
namespace {

constexpr std::uint64_t kSmallestPart = 16384;  // fewer elements are not worth waking a thread

}  // namespace

ThreadPool::ThreadPool(unsigned workers) {
  for (unsigned worker = 1; worker < workers; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
}

void ThreadPool::serve(unsigned worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    if (worker >= workers_) continue;
    const Body& body = *body_;
    lock.unlock();
    body(worker);
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

void ThreadPool::run(unsigned workers, const Body& body) {
  if (workers > 1) {
    {
      const std::lock_guard lock(mutex_);
      body_ = &body;
      workers_ = workers;
      running_ = workers - 1;
      ++round_;
    }
    work_.notify_all();
  }
  body(0);
  if (workers > 1) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return running_ == 0; });
  }
}

void ThreadPool::split(std::uint64_t count, const Range& body) {
  const auto workers =
      static_cast<unsigned>(std::clamp<std::uint64_t>(count / kSmallestPart, 1, size()));
  run(workers, [&](unsigned worker) {
    body(worker, count * worker / workers, count * (worker + 1) / workers);
  });
}

}  // namespace tuner::programs
