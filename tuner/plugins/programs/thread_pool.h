#pragma once
// OS threads that work together on one thing at a time; the caller is one of them.

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tuner::programs {

class ThreadPool {
 public:
  using Body = std::function<void(unsigned worker)>;
  using Range = std::function<void(unsigned worker, std::uint64_t begin, std::uint64_t end)>;

  explicit ThreadPool(unsigned workers) {
    for (unsigned worker = 1; worker < workers; ++worker) {
      threads_.emplace_back([this, worker] { serve(worker); });
    }
  }
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    work_.notify_all();
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }
  // Calls body(0 .. workers-1) at the same time; returns when all have returned. `workers` is at
  // most size(). The body must not throw.
  void run(unsigned workers, const Body& body) {
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
  // Splits [0, count) into one range for each worker; small counts are not split.
  void split(std::uint64_t count, const Range& body) {
    constexpr std::uint64_t kSmallestPart = 16384;  // fewer are not worth waking a thread
    const auto workers =
        static_cast<unsigned>(std::clamp<std::uint64_t>(count / kSmallestPart, 1, size()));
    run(workers, [&](unsigned worker) {
      body(worker, count * worker / workers, count * (worker + 1) / workers);
    });
  }

 private:
  void serve(unsigned worker) {
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

  std::mutex mutex_;
  std::condition_variable work_, done_;
  const Body* body_ = nullptr;
  unsigned workers_ = 0;
  unsigned running_ = 0;
  std::uint64_t round_ = 0;
  bool stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace tuner::programs
