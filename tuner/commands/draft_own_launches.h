#pragma once
// Launches of the captured kernel itself, from which a draft has its tolerances.

#include "tuner/commands/draft_trial.h"
#include "tuner/drafting/draft.h"

namespace tuner {

// Launches the program's own kernel ten times at each size of a draft, and has the request say how
// far the outputs are from what it wrote in the program; where that cannot be, why. Takes little
// more than twice the timeout.
void compare_own_launches(const DraftText& draft, const TrialSetup& setup, DraftRequest& request);

}  // namespace tuner
