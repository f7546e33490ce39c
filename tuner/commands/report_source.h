#pragma once
// Results as a report takes them.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/commands/result_sets.h"
#include "tuner/report/report_data.h"

namespace tuner {

std::vector<ReportSet> report_sets(std::vector<ResultSet> results);

// What all these places hold, under the names of its kernels; see result_sets().
ReportData report_data(const std::vector<std::filesystem::path>& places, const Study* study,
                       const ResultFilter& filter, std::vector<std::string>& notes);

}  // namespace tuner
