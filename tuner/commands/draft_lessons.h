#pragma once
// Lessons of trials: what a draft does better after one has failed.

#include <optional>

#include "tuner/commands/draft_trial.h"
#include "tuner/drafting/draft.h"

namespace tuner {

// Changes the request of a draft by what its trials show, but for those that do not compile.
class DraftLessons {
 public:
  // Returns whether another draft may do better.
  bool learn(const DraftTrial& trial, const DraftedStudy& draft, DraftRequest& request);

  // Asks for a smaller problem. Returns whether there is one.
  static bool ask_for_less(const DraftedStudy& draft, DraftRequest& request);

 private:
  bool learn_of_crash(const DraftTrial& trial, const DraftedStudy& draft, DraftRequest& request);

  std::optional<DraftTrial> with_numbers_;  // of the draft that had the host code's as extents
};

}  // namespace tuner
