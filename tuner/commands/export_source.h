#pragma once
// What an export is made of: results that hold for the study as it is now, and its source.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tuner/codegen/registry.h"
#include "tuner/run/stored_results.h"

namespace tuner {

// Of each device and size what a plain run would go on with. What an edit has made stale stays out;
// `tell` is told of it, and of imported results.
std::vector<RankedResults> results_to_export(const std::filesystem::path& folder,
                                             const Study& study, const ResultFilter& filter,
                                             const std::function<void(const std::string&)>& tell);

// Those of ranked CSV files: one, or a folder of them. Throws InputError.
std::vector<RankedResults> results_of_files(const std::filesystem::path& from, const Study& study,
                                            const ResultFilter& filter,
                                            const std::function<void(const std::string&)>& tell);

// The kernel's source with all that it includes in one text, for a launcher.
LauncherSource launcher_source(const Study& study);

}  // namespace tuner
