#pragma once
// Timing on the device, without waiting for the host, and graphs of what is launched.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/clock_watch.h"
#include "tuner/plugins/cuda/driver.h"
#include "tuner/plugins/cuda/gate.h"

namespace tuner::cuda {

// The work that is timed: kernels that follow each other, with the memsets before them.
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

  // False: launches wait for the device, so that the times hold what the host takes, too.
  // Throws sdk::Error.
  bool time(const tuner_timing& timing, const Work& work, std::span<double> milliseconds);
  // False: all launches of this process wait for the device, as they do under a profiler or with
  // CUDA_LAUNCH_BLOCKING. Finds out when it is first asked, with a launch of its own.
  bool holds_back();
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
  // False: the gate had to open before all was queued.
  bool queue_behind_gate(const tuner_timing& timing, const Work& work, const Batch& batch);
  void queue_flush();
  void unmark();
  void prepare(const tuner_timing& timing, const Work& work, std::size_t samples);
  bool queue_batch(const tuner_timing& timing, const Work& work, const Batch& batch);
  bool queue_held(const tuner_timing& timing, const Work& work, const Batch& batch);
  void stamp_once();
  void wait() const;

  const DriverApi& api_;
  CUstream stream_;
  std::size_t flush_bytes_;
  DeviceMemory flush_buffer_;  // made on first use, before the gate closes
  std::vector<Event> starts_, stops_;
  Gate gate_;
  ClockWatch clock_;
  ThrottleGuard throttle_;
  bool stamped_ = false;  // the stamps' kernel has run once
  bool tried_ = false;    // whether launches wait is known
  bool holds_back_ = true;
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
