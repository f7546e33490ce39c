#pragma once
// A search in a recording, by a simulated clock.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/exchange/prior.h"
#include "tuner/exchange/recording.h"
#include "tuner/exchange/replay.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/resolve/objective.h"
#include "tuner/search/budget.h"

namespace tuner {

struct ReplaySettings {
  std::string strategy = "default";  // also by the name that another tuner gives it
  OptionList strategy_options{};
  Budget budget{};
  std::filesystem::path warm_recording{};  // the strategy hears of it; empty: of none
  std::string recorded_in{};               // the recording as the user named it, for messages
  unsigned jobs = 1;                       // questions that are open at once, where no workers are
  unsigned compile_workers = 0;            // simulated; 0: one configuration after the other
  unsigned devices = 1;                    // simulated beside them
};

struct ReplayResult {
  double best = 0;
  Configuration configuration{};  // empty: nothing valid was found
  std::uint64_t evaluations = 0;
  double seconds = 0;  // simulated
  ParallelReplay::Shares busy{};
};

class ReplaySearch {
 public:
  // Throws InputError for a strategy that is not there and for a warm recording that says nothing
  // of this one's configurations. `recording` and `catalogue` must outlive this.
  ReplaySearch(ReplaySettings settings, const Recording& recording, const Catalogue& catalogue);

  // One run of the strategy. `on_trial` hears each answer and the simulated second it came in.
  ReplayResult run(std::uint64_t seed, const Interrupt& interrupt,
                   const std::function<void(const Trial&, double)>& on_trial) const;

 private:
  ReplayResult run(Strategy& strategy, Evaluator& evaluator, const Interrupt& interrupt,
                   const std::function<void(const Trial&, double)>& on_trial) const;

  ReplaySettings settings_;
  const Recording& recording_;
  const Catalogue& catalogue_;
  RecordedSpace space_;
  ObjectiveSpec objective_;
  Prior prior_;
};

// Medians over runs, with the configuration of the run in the middle: half were better. Runs that
// found nothing count as the worst; empty where most did.
std::optional<ReplayResult> middle_of(std::vector<ReplayResult> runs, bool maximize);

}  // namespace tuner
