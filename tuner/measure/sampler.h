#pragma once
// Times an admitted variant in the way that the study asks for.

#include <cstdint>
#include <random>
#include <vector>

#include "tuner/measure/device_buffers.h"
#include "tuner/measure/rotation.h"
#include "tuner/ports/backend.h"

namespace tuner {

class Sampler {
 public:
  // All outlive this.
  Sampler(Backend& backend, DeviceBuffers& buffers, Rotation& rotation)
      : backend_(backend),
        buffers_(buffers),
        rotation_(rotation),
        random_(buffers.plan().reference ? buffers.plan().reference->secret : 0) {}

  // Before another variant.
  void begin_anew();
  // Milliseconds of one launch in each of the samples.
  DeviceResult<std::vector<double>> time(const BoundLaunch& bound, std::uint32_t samples,
                                         std::uint32_t launches) {
    return timed(bound, {samples, launches}, DeviceBuffers::Fresh::kNext);
  }
  // With `inputs: fresh`: one sample more, on inputs whose right answers are known.
  DeviceResult<std::vector<double>> time_on_known_inputs(const BoundLaunch& bound,
                                                         std::uint32_t launches) {
    return timed(bound, {1, launches}, DeviceBuffers::Fresh::kKnown);
  }
  // Drawn, from 0 to `below` - 1: which of so many samples is looked at.
  std::uint32_t drawn(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  // How many launches a sample has, from the time of one.
  DeviceResult<std::uint32_t> choose_launches(const BoundLaunch& bound, double one_ms);
  // What the device ran at since begin_anew(): the medians of what is known.
  Conditions conditions() const;

 private:
  struct Wanted {
    std::uint32_t samples;
    std::uint32_t launches;  // in each
  };
  DeviceResult<std::vector<double>> timed(const BoundLaunch& bound, Wanted wanted,
                                          DeviceBuffers::Fresh inputs);
  DeviceResult<std::vector<double>> time_in_turns(const BoundLaunch& bound, TimingRequest request,
                                                  DeviceBuffers::Fresh inputs);
  DeviceResult<std::vector<double>> time_on_fresh_inputs(const BoundLaunch& bound,
                                                         TimingRequest request,
                                                         DeviceBuffers::Fresh inputs);
  DeviceResult<Ok> renew_inputs(const BoundLaunch& bound, DeviceBuffers::Fresh inputs);
  bool fresh() const { return measuring().inputs == TimedInputs::kFresh; }
  std::uint32_t launches_for(const BoundLaunch& bound, double one_ms) const;
  const MeasureSpec& measuring() const { return buffers_.plan().measure; }

  Backend& backend_;
  DeviceBuffers& buffers_;
  Rotation& rotation_;
  std::mt19937_64 random_;
  std::vector<Conditions> conditions_;  // of each time()
};

}  // namespace tuner
