#pragma once
// The clock that the multiprocessors ran at between two points of a stream.

#include <cuda.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/plugins/cuda/device_kernels.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

// One multiprocessor's cycle counter and the device's nanosecond timer, read together. All zero
// where no block ran.
struct ClockStamp {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
};

// Megahertz between two sets of stamps, by multiprocessor; the median over those that have both. 0
// when there is none, or when less than a tenth of a millisecond lies between: too short for timers
// that some devices renew once in a microsecond.
double clock_between(std::span<const ClockStamp> first, std::span<const ClockStamp> last);

// Tells throttled measurements from good ones: a device under its usual clock by a quarter or more
// was slowed down by heat, power or somebody else. Kernels differ in the clock that they are given,
// so smaller differences are theirs.
class ThrottleGuard {
 public:
  // The fate of samples that were taken at this clock (0 = not known).
  enum class Advice { kKeep, kRepeat };
  Advice judge(double megahertz);

 private:
  static constexpr double kThrottled = 0.75;
  // Beyond, a slow device is how things are: measuring must go on.
  static constexpr int kMostRepeats = 2;
  double highest_ = 0;
  int repeats_ = 0;
};

// Stamps in a stream, in memory that the host sees too.
class ClockWatch {
 public:
  ClockWatch(const DriverApi& api, DeviceKernels& kernels, unsigned multiprocessors);
  ~ClockWatch();
  ClockWatch(const ClockWatch&) = delete;
  ClockWatch& operator=(const ClockWatch&) = delete;

  // Not before the device kernels were needed for something else: measuring must work without.
  bool active() const { return host_ != nullptr && kernels_.ready(); }
  void queue_first();
  void queue_last();
  // After the stream was waited for.
  double megahertz() const;

 private:
  static constexpr unsigned kSlots = 1024;  // more multiprocessors than any device has
  void queue(std::size_t set);
  std::span<const ClockStamp> stamps(std::size_t set) const;

  const DriverApi& api_;
  DeviceKernels& kernels_;
  unsigned blocks_;
  ClockStamp* host_ = nullptr;  // two sets of kSlots; null: no stamps are taken
  CUdeviceptr device_ = 0;
};

}  // namespace tuner::cuda
