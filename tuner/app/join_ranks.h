#pragma once
// The other processes of a job, where mpirun or srun has started several.

#include <memory>

#include "tuner/ranks/job.h"

namespace tuner {

struct JoinedRanks {
  std::unique_ptr<RankJob> job;  // null: this process is alone
  bool is_spare = false;         // alone, and another one does the work and speaks
};

// Loads and starts MPI only where a launcher says that there are several processes. Throws
// UnavailableError where they cannot reach each other.
JoinedRanks join_ranks();

}  // namespace tuner
