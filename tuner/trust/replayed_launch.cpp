// Replays a captured launch on a run worker.

#include "tuner/trust/replayed_launch.h"

#include <cmath>

#include "tuner/model/bound.h"
#include "tuner/resolve/captured_plans.h"

namespace tuner {
namespace {

class Replay {
 public:
  Replay(const CapturedLaunch& launch, unsigned device, double timeout, const Caller& caller)
      : launch_(launch),
        caller_(caller),
        worker_(caller.program, launch.backend, device, {}, limits(timeout)) {}

  ReplayedLaunch run() {
    worker_.open();
    ReplayedLaunch out;
    Verdict cold = verdict(CacheState::kCold, true);
    if (cold.state == TrialState::kCorrectness) {
      out.difference = cold.message;
      cold = verdict(CacheState::kCold, false);
    }
    must_work(cold);
    const Verdict hot = verdict(CacheState::kHot, false);
    must_work(hot);
    out.is_checked = has_written_;
    out.is_equal = out.difference.empty();
    out.cold = cold.timing;
    out.hot = hot.timing;
    out.resources = cold.resources;
    count(out);
    return out;
  }

 private:
  static RunLimits limits(double timeout) {
    RunLimits out;
    out.configuration_seconds = timeout;
    return out;
  }

  void wait() {
    PollSet awaited;
    worker_.watch(awaited);
    awaited.wait();
    if (caller_.interrupt.count() > 0) throw InterruptedError("interrupted");
  }

  Verdict verdict(CacheState cache, bool is_compared) {
    MeasureSpec measure;
    measure.cache = cache;
    CapturedPlans plans = plans_of(launch_, measure);
    has_written_ = !plans.size.checks.empty();
    if (!is_compared) {
      plans.size.checks.clear();
      plans.size.reference.reset();
    }
    variant_ = plans.variant;
    prepare(plans.size);
    worker_.begin(variant_);
    for (;;) {
      if (auto answer = worker_.handle()) return std::move(*answer);
      wait();
    }
  }

  // Tries several processes: addresses of libraries are random, and in one of them the loader or
  // the driver has put something where the memory has to be.
  void prepare(const SizePlan& plan) {
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

  static void must_work(const Verdict& verdict) {
    if (verdict.state != TrialState::kOk && verdict.state != TrialState::kDropped) {
      throw FatalError("the launch does not work on its own: " + verdict.message);
    }
  }

  void count(ReplayedLaunch& out) {
    FinalPlan plan;
    plan.counters = bound_counters();
    const auto counted = worker_.remeasure({variant_}, plan, [] { return false; });
    if (counted.failed) {
      out.no_counters = counted.failed->second.message;
    } else if (counted.samples.size() == 1 && counted.samples[0].size() == plan.counters.size()) {
      for (std::size_t i = 0; i < plan.counters.size(); ++i) {
        if (std::isfinite(counted.samples[0][i])) {
          out.counters.emplace_back(plan.counters[i], counted.samples[0][i]);
        }
      }
    }
  }

  const CapturedLaunch& launch_;
  const Caller& caller_;
  RunWorker worker_;
  VariantPlan variant_;
  bool has_written_ = false;
};

}  // namespace

ReplayedLaunch replay_launch(const CapturedLaunch& launch, unsigned device, double timeout,
                             const Caller& caller) {
  return Replay(launch, device, timeout, caller).run();
}

}  // namespace tuner
