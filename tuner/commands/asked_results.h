#pragma once
// `tuner results STUDY --asked FILE...`: how an application's sizes were answered, and what that
// loses.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/history/asked.h"
#include "tuner/history/stored_results.h"

namespace tuner {

// A table for each device of the `top` sizes that cost most, with the total of all; `stored`:
// current results of the study.
std::string asked_table(const Study& study, const std::vector<AskedSize>& asked,
                        const std::vector<StoredResults>& stored, std::size_t top);

// All of it as JSON (docs/contract.md).
std::string asked_json(const Study& study, const std::vector<AskedSize>& asked,
                       const std::vector<StoredResults>& stored);

}  // namespace tuner
