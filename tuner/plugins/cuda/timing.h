#pragma once
// Timing on the device, without waiting for the host, and graphs of what is launched.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/clock_watch.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

// Holds a stream back until everything has been queued, so that the device never waits for the
// host between the two events of a sample. Does nothing on drivers that cannot wait.
//
// While it is closed nothing may be called that waits for the device, or both wait for ever: no
// allocation, and no first use of a kernel (the driver loads code lazily, and loading may wait).
class Gate {
 public:
  explicit Gate(const DriverApi& api);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void close(CUstream stream);
  void open();

 private:
  const DriverApi& api_;
  volatile std::uint32_t* flag_ = nullptr;
  CUdeviceptr device_flag_ = 0;
  std::uint32_t round_ = 0;
};

// What is timed: kernels that follow each other, with the memsets before them.
struct Work {
  // Puts each of them into the stream once. Launches are numbered through all samples of a call:
  // those with other numbers may have other buffers.
  std::function<void(std::size_t number)> queue;
  std::size_t operations = 1;
  bool launched = false;  // all of them have run before, so that the gate may be used
  // Each sample waits for the one before: what is launched again may not be on its way still.
  bool one_by_one = false;
  bool may_wait = false;           // `queue` runs a user's code, which may wait for the device
  std::function<void()> before{};  // put into the stream with the restores, outside of the times
};

// Times work with events: what is between them is the work alone. Restores and the flush of
// the L2 cache are queued before the first event of each sample. Samples that were taken while the
// device was throttled are taken again, a limited number of times.
class Timer {
 public:
  Timer(const DriverApi& api, CUstream stream, const tuner_device_facts& facts,
        DeviceKernels& kernels);

  // False: `work.queue` waits for the device, so that the times hold what the host takes, too.
  // Throws sdk::Error.
  bool time(const tuner_timing& timing, const Work& work, std::span<double> milliseconds);
  // Puts what is done before each sample into the stream.
  void queue_restores(const tuner_timing& timing) const;
  // Puts a flush of the L2 cache into the stream, as before a sample.
  void flush();
  // The multiprocessors' clock during the last time(), the mean over its batches; 0 = not known.
  double megahertz() const { return megahertz_; }

 private:
  // Some of the samples of a call, queued together.
  struct Batch {
    std::size_t first = 0;  // of the samples
    std::size_t count = 0;
    bool gated = false;
  };
  void queue_sample(const tuner_timing& timing, const Work& work, std::size_t sample,
                    std::size_t slot);
  // False: the gate was opened before all was queued.
  bool queue_behind_gate(const tuner_timing& timing, const Work& work, const Batch& batch);
  void queue_flush();
  void unmark();
  void prepare(const tuner_timing& timing, const Work& work, std::size_t samples);
  bool queue_batch(const tuner_timing& timing, const Work& work, const Batch& batch);
  void wait() const;

  const DriverApi& api_;
  CUstream stream_;
  std::size_t flush_bytes_;
  DeviceMemory flush_buffer_;  // made on first use, before the gate closes
  std::vector<Event> starts_, stops_;
  Gate gate_;
  ClockWatch clock_;
  ThrottleGuard throttle_;
  bool stamped_ = false;                 // the stamps' kernel has run once
  std::vector<std::uint64_t> restored_;  // last, so that the driver is ready for it
  bool unmarks_;                         // the driver can free the L2 cache of lines that persist
  double megahertz_ = 0;
};

// Samples queued before the host waits: few enough operations that the stream's queue cannot fill
// while the gate is closed. At least 1, at most 64.
std::size_t batch_size(const tuner_timing& timing, std::size_t work);

// A graph of what `queue` puts into the stream, instantiated and on its way to the device: the
// stream has to be waited for before it is launched where nothing may wait. Throws sdk::Error; the
// stream is no longer captured then.
GraphExec captured(const DriverApi& api, CUstream stream, CUstreamCaptureMode mode,
                   const std::function<void()>& queue);

}  // namespace tuner::cuda
