#pragma once
// Results from wherever they are: a store, or ranked CSV files without one.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/run/stored_results.h"

namespace tuner {

struct ResultSet {
  StoredResults results;
  bool has_store = true;   // else they are of a CSV file: no identity, no order, no samples
  bool told_apart = true;  // whether it is known which figures are a final's
  // Of each ranked trial: seconds from the first one of the set to when it was recorded, at the
  // latest. Empty without a store.
  std::vector<double> seconds;
};

// What `from` holds: a results folder or its database, a ranked CSV file, or a folder or an archive
// (.tar.gz) of those. Of equal devices and sizes what a plain run would go on with. Throws
// InputError where there is nothing; empty where nothing fits the filter.
std::vector<ResultSet> result_sets(const std::filesystem::path& from, const Study* study,
                                   const ResultFilter& filter, std::vector<std::string>& notes);

// Whether this is such a place, and no study.
bool holds_results(const std::filesystem::path& place);

}  // namespace tuner
