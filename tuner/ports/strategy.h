#pragma once
// Interface of search strategies, which choose the next configurations, and the facts that they may
// use about the machine that measures these.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tuner/model/trial.h"
#include "tuner/space/parameter.h"

namespace tuner {

enum class Stage {
  kQueued,     // waits for a compile worker
  kCompiling,  //
  kCompiled,   // waits for a device
  kRunning     // on a device
};

// A question that is open.
struct UnderWay {
  ConfigIndex index = 0;
  Stage stage = Stage::kQueued;
  double seconds = 0;   // since it was asked
  double in_stage = 0;  // while it is compiled: since that began
};

struct MachineState {
  std::size_t compile_workers = 1;
  std::size_t devices = 1;  // that share the search
  // Shares of the time in which the last few results came: 1 is always busy.
  double compilers_busy = 0;
  double device_busy = 0;
  // Budget that is left; infinity where there is none.
  double evaluations_left = std::numeric_limits<double>::infinity();
  double seconds_left = std::numeric_limits<double>::infinity();
  std::vector<UnderWay> under_way{};
};

// ---- the strategy -------------------------------------------------------------------------------

struct Observation {
  ConfigIndex index = 0;
  TrialState state = TrialState::kOk;
  // Values to be minimised, one for each objective; empty unless the state is kOk or kDropped. A
  // dropped configuration's value is its estimate: an upper bound of how good it could be was
  // enough.
  std::vector<double> objectives;
  double cost_seconds = 0;
  double compile_seconds = 0;  // of these, a compile worker's
};

// A result from elsewhere: 0 for the best of its place, 0.69 for one that took twice as long
// (logarithms), infinity for one that failed there.
struct PriorResult {
  ConfigIndex index = 0;
  double loss = 0;
};

// Results from one other place: another problem size, device or version of the source.
struct Prior {
  double likeness = 1;  // 0: nothing in common .. 1: nearly the same place
  std::vector<PriorResult> results;
};

// Same seed and same sequence of answers give the same questions.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Proposes up to `count` configurations that were never proposed before. Fewer (even none) while
  // answers are outstanding means "tell me more first"; none while nothing is outstanding means
  // "done".
  virtual std::vector<ConfigIndex> ask(std::size_t count) = 0;
  // Receives answers in any order. May also be called for configurations that were not proposed (an
  // earlier run's results), before the first ask().
  virtual void tell(const Observation& observation) = 0;
  // Receives results from one other place, before the first ask(); may be called for several
  // places. Most strategies have no use for it.
  virtual void learn(const Prior& prior) { static_cast<void>(prior); }
  // Receives the machine's state before an ask(), if there is one. Most strategies have no use for
  // it.
  virtual void notice(const MachineState& machine) { static_cast<void>(machine); }
  // Returns all of these configurations, which are compiled and wait for a device, in the order in
  // which they shall be measured. Later proposals must not depend on whether and when this was
  // called.
  virtual std::vector<ConfigIndex> order(std::vector<ConfigIndex> compiled) { return compiled; }
};

// A strategy that stands before another and forwards what it receives. Derived classes cannot
// forget to: a strategy that does not receive the machine's state leaves most of the machine idle.
class StrategyBefore : public Strategy {
 public:
  explicit StrategyBefore(std::unique_ptr<Strategy> then) : then_(std::move(then)) {}
  void learn(const Prior& prior) override { then_->learn(prior); }
  void notice(const MachineState& machine) override { then_->notice(machine); }
  std::vector<ConfigIndex> order(std::vector<ConfigIndex> compiled) override {
    return then_->order(std::move(compiled));
  }

 protected:
  Strategy& then() { return *then_; }

 private:
  std::unique_ptr<Strategy> then_;
};

}  // namespace tuner
