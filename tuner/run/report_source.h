#pragma once
// Results as a report takes them.

#include <vector>

#include "tuner/report/report_data.h"
#include "tuner/run/result_sets.h"

namespace tuner {

std::vector<ReportSet> report_sets(std::vector<ResultSet> results);

}  // namespace tuner
