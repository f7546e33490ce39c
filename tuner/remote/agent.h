#pragma once
// What a rank does that lends its cores and devices: it starts workers where rank 0 asks for them,
// and passes on what they and rank 0 say to each other. A variant that crashes takes its worker
// along, never the rank.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "tuner/remote/handshake.h"
#include "tuner/remote/link.h"

namespace tuner {

// How long ranks may be silent.
struct RankTimes {
  double alive_seconds = 2;  // then they say that they are there
  double gone_seconds = 15;  // then they count as dead
};

// What a rank has to start, and how.
struct RankProgram {
  std::string executable;  // whose workers it starts
  // What it says of itself, once it is told where plugins may be.
  std::function<RankFacts(const std::vector<std::string>& plugin_dirs)> facts;
};

// How a rank's work came to an end.
enum class RankEnd {
  kAll,   // all ranks leave
  kSome,  // others are gone: who leaves in order would wait for them
  kLost   // rank 0 is gone, or this one was told to end
};

// Until rank 0 says so or is gone, or `is_over`.
RankEnd serve_rank_0(RankLink& link, const RankProgram& program, const RankTimes& times,
                     const std::atomic<bool>& is_over);

}  // namespace tuner
