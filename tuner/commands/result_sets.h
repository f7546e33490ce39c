#pragma once
// Results from wherever they are: a store, or ranked CSV files without one.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/note.h"
#include "tuner/bench/settings.h"
#include "tuner/history/stored_results.h"
#include "tuner/report/page.h"

namespace tuner {

// Reads the results in `from`: a results folder or its database, a ranked CSV file, or a folder or
// an archive (.tar.gz) of those. Keeps for each device and size what a plain run would go on with.
// Throws InputError where there is nothing; empty where nothing fits the filter.
std::vector<StoredResults> result_sets(const std::filesystem::path& from, const Study* study,
                                       const ResultFilter& filter, const Note& tell);

// Whether this is such a place, and no study.
bool holds_results(const std::filesystem::path& place);

// How far one was from the best after so many questions.
struct FirstLoss {
  std::size_t questions = 0;
  bool asked = false;            // as many
  std::optional<double> loss{};  // 0.05 = 5 %; nothing: no answer was right by then
};
// Finds the losses of results in a store, which has trials in the order in which they came.
std::vector<FirstLoss> first_losses(const StoredResults& results,
                                    const std::vector<std::size_t>& counts);

// With the study the sets say what to do next with results that lie in `place`.
std::vector<ReportSet> report_sets(std::vector<StoredResults> results, const Study* study,
                                   const std::filesystem::path& place);

// Gathers the results of all these places, under the names of their kernels; see result_sets().
// Without `with_stale` those that are stale are left out of a place that has others.
ReportData report_data(const std::vector<std::filesystem::path>& places, const Study* study,
                       const ResultFilter& filter, bool with_stale, const Note& tell);

}  // namespace tuner
