#pragma once
// Two variants whose sources may differ, on one device in turns, as a final measures them.

#include <array>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/model/plan.h"
#include "tuner/ports/evaluator.h"
#include "tuner/worker/compilers.h"
#include "tuner/worker/run_worker.h"
#include "tuner/worker/variant_builder.h"

namespace tuner {

// One of them: its task, whose study says its source, and what compiles that.
struct PairSide {
  const SizeTask& task;
  const Toolchain& tools;
  Configuration configuration;
};

class VariantPair {
 public:
  // All outlive this. Inputs and right answers are those of the first side's task.
  VariantPair(std::array<PairSide, 2> sides, RunWorker& worker, const StopRequest& interrupt);
  // Ends what is still on the device.
  ~VariantPair();
  VariantPair(const VariantPair&) = delete;
  VariantPair& operator=(const VariantPair&) = delete;

  // Compiles both and gets the device ready. A side that does not come so far has a trial that says
  // why. Throws what Preparation does.
  std::array<Trial, 2> make_ready();
  // Both are ready, and are the same program in the same launch.
  bool is_one_program() const { return is_one_program_; }
  // samples[side][round]; empty when one failed, which its trial says, or when it was over.
  std::vector<std::vector<double>> measure(const FinalPlan& plan, std::array<Trial, 2>& trials);

 private:
  void take(std::size_t side, Job job);
  bool is_compiled() const { return built_[0] && built_[1]; }

  std::array<PairSide, 2> sides_;
  RunWorker& worker_;
  const StopRequest& interrupt_;
  Preparation preparation_;
  std::array<VariantBuilder, 2> builders_;
  std::array<std::optional<Job>, 2> built_;
  bool is_one_program_ = false;
};

}  // namespace tuner
