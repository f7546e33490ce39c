#pragma once
// Where a run's time and memory went, for the user: what would more cores, or a better strategy,
// bring?

#include <string>
#include <utility>

#include "tuner/model/trial.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

class Usage {
 public:
  Usage(const CompilePool& compilers, const RunWorker& runner);

  void trial(const Trial& trial, double now);
  // After `seconds`; empty when nothing was run.
  std::string text(double seconds) const;

 private:
  const CompilePool& compilers_;
  const RunWorker& runner_;
  double compile_before_;
  double device_before_;
  double first_ = -1;
  double dropped_ = 0;
};

// What the sentinel saw (PoolEvaluator::drift()), where it is worth a line; else empty.
std::string drift_text(std::pair<double, double> drift);
// Of PoolEvaluator::twins(), likewise.
std::string twins_text(std::size_t twins);

}  // namespace tuner
