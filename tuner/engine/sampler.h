#pragma once
// Times an admitted variant in the way that the study asks for.

#include <cstdint>
#include <vector>

#include "tuner/engine/rotation.h"
#include "tuner/engine/workspace.h"
#include "tuner/ports/backend.h"

namespace tuner {

class Sampler {
 public:
  // All outlive this.
  Sampler(Backend& backend, Workspace& workspace, Rotation& rotation)
      : backend_(backend), workspace_(workspace), rotation_(rotation) {}

  // Before another variant.
  void begin_anew();
  // Milliseconds of one launch in each of the samples.
  DeviceResult<std::vector<double>> time(const BoundLaunch& bound, std::uint32_t samples,
                                         std::uint32_t launches);
  // How many launches a sample has, from the time of one.
  DeviceResult<std::uint32_t> choose_launches(const BoundLaunch& bound, double one_ms);
  // What the device ran at since begin_anew(): the medians of what is known.
  Conditions conditions() const;

 private:
  DeviceResult<std::vector<double>> time_in_turns(const BoundLaunch& bound, TimingRequest request);
  std::uint32_t launches_for(const BoundLaunch& bound, double one_ms) const;
  const MeasureSpec& measuring() const { return workspace_.plan().measure; }

  Backend& backend_;
  Workspace& workspace_;
  Rotation& rotation_;
  std::vector<Conditions> conditions_;  // of each time()
};

}  // namespace tuner
