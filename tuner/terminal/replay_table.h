#pragma once
// Replayed searches as CSV.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/run/replay_search.h"
#include "tuner/terminal/progress.h"

namespace tuner {

struct ReplayTableOptions {
  bool several = false;  // strategies: each line names its own
  bool workers = false;  // compile workers are simulated: how busy they were
  std::uint64_t seed = 1;
};

// Prints to standard output, the header first.
class ReplayTable {
 public:
  ReplayTable(ReplayTableOptions options, const Recording& recording, Progress& progress);

  void add(const std::string& strategy, unsigned repeat, const ReplayResult& run);
  // After the last run of a strategy: a line of medians; as a note where there is only one.
  void end(const std::string& strategy);

 private:
  void line(const std::string& strategy, const std::string& run, const std::string& seed,
            const ReplayResult& result) const;

  ReplayTableOptions options_;
  const Recording& recording_;
  Progress& progress_;
  std::vector<ReplayResult> runs_;
};

}  // namespace tuner
