#pragma once
// A device of the application's own process: how it is chosen and opened, and the worker's thread
// whose operations on it wait until the application has time for them.

#include <sys/eventfd.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tuner/base/child_process.h"
#include "tuner/base/interrupt.h"
#include "tuner/bench/settings.h"
#include "tuner/library/tuner.h"
#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/ports/backend.h"
#include "tuner/worker/channel.h"

namespace libtuner {

class CallQueue {
 public:
  // Waits until another thread has done it. False, at once, while the queue is closed: it is not
  // done. `expected_ms`: what it will probably take; 0: not known, or very little.
  bool call(const std::function<void()>& body, double expected_ms = 0);

  // Does what waits, and what comes soon after, until `end` of the clock (milliseconds): at least
  // one call, however long it takes, and no further one that is expected to end later. Whether it
  // did any.
  bool work_until(double end, const std::function<double()>& now_ms);

  void open();
  // Whoever waits for a call that has not begun gets false.
  void close();

 private:
  enum class Next { kDone, kTooLong, kNone };
  // Does the call that waits, if it is expected to take no longer than that.
  Next do_next(double most_ms);
  // Whether a call waits, now or before so long.
  bool wait_for_call(double ms);

  enum class State { kNone, kWaiting, kRunning, kDone };

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* body_ = nullptr;
  double expected_ms_ = 0;
  State state_ = State::kNone;
  bool is_open_ = false;
};

// Opens the device as `tuner run` chooses it: the backend that is named, else the first that works
// (bench/devices.h). The settings name that backend from then on. Throws Error with all reasons.
std::unique_ptr<tuner::Backend> open_device(const tuner::Catalogue& catalogue,
                                            tuner::Settings& settings);

// The device, and who may be at it: one thread at a time.
struct SharedDevice {
  std::unique_ptr<tuner::Backend> backend;
  std::mutex mutex{};
};

// A thread that serves as a run worker does (worker/child), with a device whose operations go
// through `calls`. All of these outlive this.
class DeviceThread final : public tuner::Peer {
 public:
  DeviceThread(SharedDevice& device, CallQueue& calls, const tuner::Catalogue& catalogue);
  ~DeviceThread() override;
  DeviceThread(const DeviceThread&) = delete;
  DeviceThread& operator=(const DeviceThread&) = delete;

  int socket() const override { return socket_.get(); }
  pid_t pid() const override;
  void kill() override;
  std::string wait() override;

 private:
  CallQueue& calls_;
  tuner::FileDescriptor socket_;
  std::string last_words_;
  std::thread thread_;
};

class StopWhenClosed final : public tuner::StopRequest {
 public:
  StopWhenClosed() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  int count() const override { return count_; }
  int fd() const override { return event_.get(); }
  void close() {
    count_ = 2;  // at once
    const std::uint64_t one = 1;
    static_cast<void>(!::write(event_.get(), &one, sizeof one));
  }

 private:
  tuner::FileDescriptor event_;
  std::atomic<int> count_{0};
};

}  // namespace libtuner
