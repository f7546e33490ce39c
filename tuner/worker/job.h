#pragma once
// One configuration on its way from the question to the trial.

#include <cstddef>
#include <optional>
#include <string>

#include "tuner/model/plan.h"
#include "tuner/model/trial.h"
#include "tuner/worker/channel.h"

namespace tuner {

struct Job {
  Trial trial;
  VariantPlan plan;
  std::string key;      // of its artifact
  std::string program;  // what it is once it is compiled: worker/twins
  TimePoint asked;
  TimePoint submitted;                    // to a device, once it is
  int chances = 0;                        // second ones that it had
  TimePoint not_before;                   // of the next
  bool is_excused = false;                // its outcome may have a cause outside of it
  bool is_again = false;                  // it had a result already, which is doubted
  bool was_void = false;                  // a fault of it may have been an earlier one's doing
  int devices_lost = 0;                   // while it was on them
  std::optional<std::size_t> finalist{};  // its place in a final; empty: the search asked for it
};

}  // namespace tuner
