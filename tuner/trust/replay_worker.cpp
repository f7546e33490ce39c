// Repeats captured launches on a run worker.

#include "tuner/trust/replay_worker.h"

#include <utility>

#include "tuner/base/error.h"

namespace tuner {
namespace {

RunLimits limits(double timeout) {
  RunLimits out;
  out.configuration_seconds = timeout;
  return out;
}

}  // namespace

ReplayWorker::ReplayWorker(const CapturedLaunch& launch, unsigned device, double timeout,
                           const Caller& caller)
    : caller_(caller), worker_(caller.program, launch.backend, device, {}, limits(timeout)) {
  worker_.open();
}

Verdict ReplayWorker::evaluate(CapturedPlans plans) {
  variant_ = std::move(plans.variant);
  prepare(plans.size);
  worker_.begin(variant_);
  for (;;) {
    if (auto answer = worker_.handle()) return std::move(*answer);
    wait();
  }
}

RunWorker::Remeasured ReplayWorker::count(const std::vector<std::string>& counters) {
  FinalPlan plan;
  plan.counters = counters;
  return worker_.remeasure({variant_}, plan, [] { return false; });
}

void ReplayWorker::wait() {
  PollSet awaited;
  worker_.watch(awaited);
  awaited.wait();
  if (caller_.interrupt.count() > 0) throw InterruptedError("interrupted");
}

// Tries several processes: addresses of libraries are random, and in one of them the loader or the
// driver has put something where the memory has to be.
void ReplayWorker::prepare(const SizePlan& plan) {
  constexpr int kTries = 6;
  for (int tried = 1;; ++tried) {
    worker_.start_preparing(plan);
    auto done = worker_.advance();
    for (; done && !*done; done = worker_.advance()) wait();
    if (done) return;
    if (tried == kTries) throw FatalError(done.error().reason);
    worker_.end();
  }
}

void must_work(const Verdict& verdict) {
  if (is_valid_state(verdict.state)) return;
  throw FatalError("the launch does not work on its own: " + verdict.message);
}

}  // namespace tuner
