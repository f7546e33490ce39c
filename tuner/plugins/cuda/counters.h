#pragma once
// Hardware counters, read through CUPTI's range profiler, which is opened at run time.

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::cuda {

class Cupti;  // the library and its functions

// Something that CUPTI has made, and how it is ended.
class CuptiOwned {
 public:
  CuptiOwned(std::shared_ptr<const Cupti> cupti, const char* ended_by)
      : cupti_(std::move(cupti)), ended_by_(ended_by) {}
  ~CuptiOwned();
  CuptiOwned(const CuptiOwned&) = delete;
  CuptiOwned& operator=(const CuptiOwned&) = delete;
  void* get() const { return object_; }
  void own(void* object) { object_ = object; }

 private:
  std::shared_ptr<const Cupti> cupti_;
  const char* ended_by_;
  void* object_ = nullptr;
};

// CUPTI of 12.6 or newer. Throws sdk::Error (TUNER_UNSUPPORTED) where there is none.
std::shared_ptr<const Cupti> open_cupti();

// Which counters are read, in how many passes. Needs no device.
class CounterPlan {
 public:
  // `available`: what the device lets one read; empty: all that such a chip has. Throws sdk::Error
  // (TUNER_INVALID) naming a counter that the chip does not have, with those near it.
  CounterPlan(std::shared_ptr<const Cupti> cupti, std::string chip,
              std::vector<std::uint8_t> available, std::vector<std::string> names);

  std::uint32_t passes() const { return passes_; }
  std::vector<std::uint8_t>& image() { return image_; }
  std::vector<const char*>& names() { return pointers_; }
  std::vector<double> values(const std::vector<std::uint8_t>& data, std::uint32_t range);

 private:
  bool knows(const std::string& name) const;
  std::string unknown() const;
  std::vector<std::string> near(const std::string& name) const;

  std::shared_ptr<const Cupti> cupti_;
  std::string chip_;
  std::vector<std::uint8_t> available_;
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;  // of them
  CuptiOwned host_;
  std::vector<std::uint8_t> image_;
  std::uint32_t passes_ = 0;
};

// Counters of so many launches, in passes. What goes on between launches is not counted. Throws
// sdk::Error; TUNER_UNSUPPORTED where the driver lets nobody look.
class Counters {
 public:
  // The context is current. `device`: its number.
  Counters(CUcontext context, std::uint32_t device, const std::vector<std::string>& names,
           std::uint32_t launches);

  std::uint32_t passes() const { return plan_->passes(); }
  // Around a launch; the host waits for the launch before end().
  void begin();
  void end();
  // Whether it was the last one of the last pass.
  bool done() const { return pass_ == passes(); }
  // Returns the values of a launch after the last pass. NaN: the device does not measure it.
  std::vector<double> values(std::uint32_t launch) { return plan_->values(data_, launch); }

 private:
  std::shared_ptr<const Cupti> cupti_;
  std::unique_ptr<CounterPlan> plan_;
  CuptiOwned profiler_;
  std::vector<std::uint8_t> data_;
  std::uint32_t launches_;
  std::uint32_t pass_ = 0, launch_ = 0;  // the next one
};

// The `count` of these that are spelt most like it.
std::vector<std::string> most_alike(std::string_view name, const std::vector<std::string>& all,
                                    std::size_t count);

}  // namespace tuner::cuda
