#pragma once
// Threads that work together on one thing at a time.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tuner::programs {

// OS threads that work together on one thing at a time; the caller is one of them.
class ThreadPool {
 public:
  using Body = std::function<void(unsigned worker)>;
  using Range = std::function<void(unsigned worker, std::uint64_t begin, std::uint64_t end)>;

  explicit ThreadPool(unsigned workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }
  // Calls body(0 .. workers-1) at the same time; returns when all have returned. `workers` is at
  // most size(). The body must not throw.
  void run(unsigned workers, const Body& body);
  // Splits [0, count) into one range for each worker; small counts are not split.
  void split(std::uint64_t count, const Range& body);

 private:
  void serve(unsigned worker);

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
