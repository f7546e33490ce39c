#pragma once
// What stands behind a Tuning: a study's own kernels, or launches of the application.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tuner/library/tuner.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"

namespace libtuner {

class TuningWork {
 public:
  virtual ~TuningWork() = default;
  virtual void add(const tuner::ProblemSize& size, const Buffers& data) = 0;
  virtual Progress step(double milliseconds) = 0;
  virtual std::optional<Tuning::Choice> best(const std::string& label) const = 0;
  virtual bool launch(const std::string& label, const Buffers& buffers) = 0;
};

// Milliseconds of a steady clock; a test has one of its own.
using ClockMs = std::function<double()>;

// Compiled by workers, verified and measured on a device of this process.
std::unique_ptr<TuningWork> tune_study(const tuner::Study& study, const TuningSettings& settings,
                                       ClockMs now_ms);
// Launched by settings.launch.
std::unique_ptr<TuningWork> tune_launches(const tuner::Study& study, const TuningSettings& settings,
                                          ClockMs now_ms);

// The evaluations of the settings, else of the study, else a usual number.
std::uint64_t evaluations_of(const tuner::Study& study, const TuningSettings& settings);

}  // namespace libtuner
