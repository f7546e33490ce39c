#pragma once
// Times several programs for the same problem in turns, so that drift hits all of them alike.

#include <cuda_runtime.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "rtc_kernel.h"

// Zeroed device memory.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(T)), "memory");
    check(cudaMemset(data_, 0, size * sizeof(T)), "memory");
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

class Race {
 public:
  // Returns the median milliseconds of each, of `rounds` launches with a cold L2 cache.
  std::vector<double> run(const std::vector<std::function<void()>>& programs, int rounds = 15) {
    std::vector<std::vector<float>> samples(programs.size());
    for (const auto& program : programs) program();  // modules are loaded, clocks are up
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < programs.size(); ++i) {
        const std::size_t which = (i + round) % programs.size();
        samples[which].push_back(time(programs[which]));
      }
    }
    std::vector<double> medians;
    for (auto& times : samples) {
      std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
      medians.push_back(times[rounds / 2]);
    }
    return medians;
  }

 private:
  float time(const std::function<void()>& program) {
    check(cudaMemsetAsync(flush_.data(), 0, flush_.bytes()), "flush");
    check(cudaEventRecord(start_), "event");
    program();
    check(cudaEventRecord(stop_), "event");
    check(cudaEventSynchronize(stop_), "run");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "event");
    return milliseconds;
  }

  static cudaEvent_t event() {
    cudaEvent_t made;
    check(cudaEventCreate(&made), "event");
    return made;
  }

  Buffer<char> flush_{std::size_t{256} << 20};  // several times any L2 cache
  cudaEvent_t start_ = event(), stop_ = event();
};
