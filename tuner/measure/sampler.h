#pragma once
// Times an admitted variant in the way that the study asks for.

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "tuner/measure/device_buffers.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/ports/backend.h"

namespace tuner {

// Copies of a variant's buffers for `cache: rotate`: so many that together they fill the last-level
// cache twice. Timed launches take turns on them, so that none finds its data in the cache.
class Rotation {
 public:
  explicit Rotation(Backend& backend) : backend_(backend) {}

  // Room for copies of buffers of these sizes, before anything is timed: fails where memory does
  // not suffice. What a variant needs beyond it comes later.
  DeviceResult<Ok> reserve(const std::vector<std::uint64_t>& bytes);
  // How many copies the variant needs; 0 where it has no buffers at all.
  std::uint64_t copies(const BoundLaunch& bound) const;
  // Writes other inputs into the variant's own buffers.
  using Renew = std::function<DeviceResult<Ok>()>;
  // How the variant is launched on the next copies: as many as there are `launches`, or on each
  // where there are fewer. Copies are made of the variant's own buffers as they are now: at the
  // beginning, and once all are used where a launch changes what it is to find. With `renew` they
  // are made anew each time, and those that are launched on of other inputs each. Fails where
  // memory does not suffice.
  DeviceResult<std::vector<LaunchSequence>> turns(const BoundLaunch& bound, std::uint64_t launches,
                                                  const Renew& renew = {});
  // After these launches: what the last one left in these arguments becomes the variant's own.
  DeviceResult<Ok> take_back(const BoundLaunch& bound, const std::vector<std::uint32_t>& arguments);
  // Before another variant, which may not find what this one left.
  void begin_anew() { filled_.clear(); }

 private:
  // Offsets of each argument's contents in a copy; `bytes` is the size of a whole copy.
  struct Layout {
    std::vector<std::uint64_t> offsets;
    std::uint64_t bytes = 0;
  };
  static Layout layout_of(const std::vector<std::uint64_t>& bytes);
  std::uint64_t copies_of(const Layout& layout) const;
  DeviceResult<Ok> make_room(std::uint64_t copies, std::uint64_t bytes);
  DeviceResult<Ok> fill_one(const BoundLaunch& bound, const Layout& layout, std::uint64_t copy);
  DeviceResult<Ok> repeat(const Layout& layout, std::uint64_t made, std::uint64_t copies);
  LaunchSequence moved(const BoundLaunch& bound, const Layout& layout, std::uint64_t copy) const;

  Backend& backend_;
  DeviceBuffer room_;  // for all copies, one behind the other
  std::uint64_t room_bytes_ = 0;
  std::vector<std::uint64_t> filled_;  // BoundLaunch::bytes of what the copies were made of
  std::uint64_t next_ = 0;             // copy
  std::uint64_t last_ = 0;             // that was launched on
};

// Inputs of timed launches: those that were there, or for each sample others, drawn anew.
enum class SampleInputs { kPresent, kDrawn };

class Sampler {
 public:
  // Both outlive this.
  Sampler(Backend& backend, DeviceBuffers& buffers)
      : backend_(backend), buffers_(buffers), rotation_(backend), random_(drawn_secret()) {}

  // Reserves memory: see Rotation::reserve().
  DeviceResult<Ok> reserve(const std::vector<std::uint64_t>& bytes) {
    return rotation_.reserve(bytes);
  }
  // Before another variant.
  void begin_anew();
  // Milliseconds of one launch in each of the samples. The buffers hold the inputs of the last one
  // afterwards.
  DeviceResult<std::vector<double>> time(const BoundLaunch& bound, std::uint32_t samples,
                                         std::uint32_t launches,
                                         SampleInputs inputs = SampleInputs::kPresent);
  // Drawn, from 0 to `below` - 1: which of so many samples is looked at.
  std::uint32_t drawn(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  // How many launches a sample has, from the time of one.
  DeviceResult<std::uint32_t> choose_launches(const BoundLaunch& bound, double one_ms,
                                              SampleInputs inputs);
  // Conditions that the device ran at since begin_anew(): medians of the known figures.
  Conditions conditions() const;

 private:
  DeviceResult<std::vector<double>> time_in_turns(const BoundLaunch& bound, TimingRequest request,
                                                  SampleInputs inputs);
  DeviceResult<std::vector<double>> time_on_drawn_inputs(const BoundLaunch& bound,
                                                         TimingRequest request);
  DeviceResult<Ok> draw_inputs(const BoundLaunch& bound);
  std::uint32_t launches_for(const BoundLaunch& bound, double one_ms, SampleInputs inputs) const;
  const MeasureSpec& measuring() const { return buffers_.plan().measure; }

  Backend& backend_;
  DeviceBuffers& buffers_;
  Rotation rotation_;
  std::mt19937_64 random_;
  std::vector<Conditions> conditions_;  // of each time()
};

}  // namespace tuner
