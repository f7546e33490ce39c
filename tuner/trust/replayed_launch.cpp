// Replays a captured launch on a run worker.

#include "tuner/trust/replayed_launch.h"

#include <cmath>
#include <limits>
#include <utility>

#include "tuner/model/bound.h"
#include "tuner/resolve/captured_plans.h"
#include "tuner/source/demangled_name.h"
#include "tuner/trust/replay_worker.h"

namespace tuner {
namespace {

// Questions about a launch, beside its time.
enum class Asked { kEqualBits, kDistanceToProgram, kDistanceAmongLaunches, kNothing };

// The float that all parameters point to which point into this memory; nothing: their types are
// other ones, or not known.
std::optional<DataType> float_in(const CapturedLaunch& launch, const CapturedMemory& memory) {
  const std::vector<std::string> types = parts_of(launch.name).parameters;
  std::optional<DataType> out;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    if (launch.memory_at(launch.parameters[i].word()) != &memory) continue;
    if (i >= types.size()) return std::nullopt;
    const auto type = data_type_named(pointee_of(types[i]));
    if (!type || facts_of(*type).kind != NumberKind::kFloat || (out && out != type)) {
      return std::nullopt;
    }
    out = type;
  }
  return out;
}

}  // namespace

bool ask_for_distance(const CapturedLaunch& launch, SizePlan& plan) {
  for (CheckPlan& check : plan.checks) {
    const auto type = float_in(launch, launch.memory.at(check.argument));
    if (!type) return false;
    check.atol = std::numeric_limits<double>::infinity();
    const auto retype = [&](ArgumentPlan& one) {
      one.elements = one.elements * size_of(one.type) / size_of(*type);
      one.extents = {one.elements};
      one.type = *type;
    };
    retype(plan.arguments.at(check.argument));
    for (auto& [index, file] : plan.reference->answers.front().files) {
      if (index == check.argument) retype(file);
    }
  }
  return true;
}

namespace {

class Replay {
 public:
  Replay(const CapturedLaunch& launch, unsigned device, double timeout, const Caller& caller)
      : launch_(launch), worker_(launch, device, timeout, caller) {}

  ReplayedLaunch run() {
    ReplayedLaunch out;
    Verdict cold = verdict(CacheState::kCold, Asked::kEqualBits);
    if (cold.state == TrialState::kCorrectness) {
      out.difference = cold.message;
      out.spread = spread();
      cold = verdict(CacheState::kCold, Asked::kNothing);
    }
    must_work(cold);
    const Verdict hot = verdict(CacheState::kHot, Asked::kNothing);
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
  // Nothing: all launches here leave the same, or no floats whose distance could be known.
  std::optional<Spread> spread() {
    const Verdict launches = verdict(CacheState::kCold, Asked::kDistanceAmongLaunches);
    const Verdict program = verdict(CacheState::kCold, Asked::kDistanceToProgram);
    const bool is_known = program.state == TrialState::kOk && std::isfinite(program.max_error) &&
                          std::isfinite(launches.max_error);
    if (!is_known || !(launches.max_error > 0)) return std::nullopt;
    return Spread{program.max_error, launches.max_error};
  }

  Verdict verdict(CacheState cache, Asked asked) {
    MeasureSpec measure;
    measure.cache = cache;
    CapturedPlans plans = plans_of(launch_, measure);
    has_written_ = !plans.size.checks.empty();
    const bool is_distance = asked != Asked::kEqualBits && asked != Asked::kNothing;
    if (is_distance && !ask_for_distance(launch_, plans.size)) asked = Asked::kNothing;
    plans.size.deterministic = asked == Asked::kDistanceAmongLaunches;
    if (plans.size.deterministic || asked == Asked::kNothing) {
      plans.size.checks.clear();
      plans.size.reference.reset();
    }
    return worker_.evaluate(std::move(plans));
  }

  void count(ReplayedLaunch& out) {
    const std::vector<std::string>& counters = bound_counters();
    const auto counted = worker_.count(counters);
    if (counted.failed) {
      out.no_counters = counted.failed->second.message;
    } else if (counted.samples.size() == 1 && counted.samples[0].size() == counters.size()) {
      for (std::size_t i = 0; i < counters.size(); ++i) {
        if (std::isfinite(counted.samples[0][i])) {
          out.counters.emplace_back(counters[i], counted.samples[0][i]);
        }
      }
    }
  }

  const CapturedLaunch& launch_;
  ReplayWorker worker_;
  bool has_written_ = false;
};

}  // namespace

ReplayedLaunch replay_launch(const CapturedLaunch& launch, unsigned device, double timeout,
                             const Caller& caller) {
  return Replay(launch, device, timeout, caller).run();
}

}  // namespace tuner
