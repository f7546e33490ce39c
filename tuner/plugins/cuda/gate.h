#pragma once
// A gate that holds a stream back while work is queued.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

// Holds a stream back until everything has been queued, so that the device never waits for the
// host between the two events of a sample. Does nothing on drivers that cannot wait.
//
// While it is closed nothing should be called that waits for the device, which waits for the gate:
// no allocation, and no first use of a kernel (the driver loads code lazily, and loading may wait).
// Where it happens all the same, as where a profiler makes every launch wait, a thread opens it.
class Gate {
 public:
  explicit Gate(const DriverApi& api);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  // Until open(), or until `patience` is over.
  void close(CUstream stream, std::chrono::milliseconds patience);
  // False: patience was over before, and the gate has been open since.
  bool open();

 private:
  void watch(const std::stop_token& stop);

  const DriverApi& api_;
  volatile std::uint32_t* flag_ = nullptr;
  CUdeviceptr device_flag_ = 0;
  std::mutex mutex_;  // of all below
  std::condition_variable_any wake_;
  std::uint32_t round_ = 0;
  bool closed_ = false;
  bool forced_ = false;  // the thread has opened it
  std::chrono::steady_clock::time_point opens_at_{};
  std::jthread thread_;  // started when it first closes; the last, since it uses the others
};

}  // namespace tuner::cuda
