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
  // Returns the median milliseconds of each, of at least `fewest` launches with a cold L2 cache: of
  // up to `most` as long as they take less than 0.2 s together.
  std::vector<double> run(const std::vector<std::function<void()>>& programs, int fewest = 15,
                          int most = 151) {
    constexpr float kMilliseconds = 200;
    std::vector<std::vector<float>> samples(programs.size());
    for (const auto& program : programs) program();  // modules are loaded, clocks are up
    float spent = 0;
    for (int round = 0; round < fewest || (round < most && spent < kMilliseconds); ++round) {
      for (std::size_t i = 0; i < programs.size(); ++i) {
        const std::size_t which = (i + round) % programs.size();
        samples[which].push_back(time(programs[which]));
        spent += samples[which].back();
      }
    }
    std::vector<double> medians;
    for (auto& times : samples) {
      const auto middle = times.begin() + times.size() / 2;
      std::nth_element(times.begin(), middle, times.end());
      medians.push_back(*middle);
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
