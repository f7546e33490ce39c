#pragma once
// Results of searches that are replayed in a recording.

#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/files/replay.h"

namespace tuner {

struct ReplayResult {
  double best = 0;
  Configuration configuration{};  // empty: nothing valid was found
  std::uint64_t evaluations = 0;
  double seconds = 0;  // simulated
  ParallelReplay::Shares busy{};
};

// Medians over runs, with the configuration of the run in the middle: half were better. Runs that
// found nothing count as the worst; empty where most did.
std::optional<ReplayResult> middle_of(std::vector<ReplayResult> runs, bool maximize);

}  // namespace tuner
