#pragma once
// A run worker in which captured launches are repeated.

#include <string>
#include <vector>

#include "tuner/bench/devices.h"
#include "tuner/model/captured_launch.h"
#include "tuner/model/plan.h"
#include "tuner/resolve/captured_plans.h"

namespace tuner {

class ReplayWorker {
 public:
  // `caller` outlives this. Throws UnavailableError where there is no such device.
  ReplayWorker(const CapturedLaunch& launch, unsigned device, double timeout, const Caller& caller);

  // Prepares the memory anew and evaluates the launch. Throws UnavailableError where the device is
  // lost, FatalError where the memory cannot be placed, InterruptedError.
  Verdict evaluate(CapturedPlans plans);
  // Counts in a launch of what was evaluated last.
  RunWorker::Remeasured count(const std::vector<std::string>& counters);

 private:
  void wait();
  void prepare(const SizePlan& plan);

  const Caller& caller_;
  RunWorker worker_;
  VariantPlan variant_;
};

// Throws FatalError where the launch failed.
void must_work(const Verdict& verdict);

}  // namespace tuner
