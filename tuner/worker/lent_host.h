#pragma once
// A machine that lends its cores and devices to the coordinator: another rank of an MPI job.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/worker/channel.h"

namespace tuner {

struct LentHost {
  unsigned rank = 0;  // of the coordinator: 0
  std::string node;   // ranks of one node see the same devices
  unsigned jobs = 1;  // compile workers that it has cores for
  // Starts a worker there. Throws UnavailableError when the machine is gone.
  std::function<std::unique_ptr<Channel>(const std::string& role)> start;

  std::string name() const { return "rank " + std::to_string(rank) + " on " + node; }
};

// All of them.
struct LentHosts {
  std::string node;  // where the coordinator is
  std::vector<LentHost> hosts;
};

}  // namespace tuner
