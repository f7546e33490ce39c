#pragma once
// How much slower than the winner something was, like compared with like.

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// What a valid trial loses against the first of these results: 0.05 = 5 % slower, 0 at least. By
// the final where both took part in it, else by the search. Of a file that holds only the final's
// figure of the winner nothing is known of the others but that they lose no less than its
// finalists.
double loss_of(const Study& study, const RankedResults& results, const Trial& trial);

}  // namespace tuner
