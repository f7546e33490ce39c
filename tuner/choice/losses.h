#pragma once
// How much slower than the winner something was, like compared with like.

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// What a valid trial loses against the first of these results: 0.05 = 5 % slower, 0 at least. By
// the final where both took part in it, else by the search. Of a file that holds only the final's
// figure of the winner the loss of another is at least that of the finalists, and at least what it
// loses in the search against the fastest that the file knows of the search.
double loss_of(const Study& study, const RankedResults& results, const Trial& trial);

}  // namespace tuner
