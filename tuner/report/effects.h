#pragma once
// How much each parameter of a set matters for what was measured.

#include "tuner/report/forest.h"
#include "tuner/report/report_data.h"

namespace tuner {

// One for each parameter, 0 where it has one value. Of the logarithms of the figures, where all are
// positive: of the search's, and of the final's where those are not known.
Importance importance_of(const ReportSet& set);

}  // namespace tuner
