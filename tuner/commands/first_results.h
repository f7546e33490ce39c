#pragma once
// How far a search was from the best after so many questions: `tuner results --first`.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/commands/result_sets.h"

namespace tuner {

// Reads "1,8,32". Throws UsageError for anything else.
std::vector<std::size_t> question_counts(const std::string& text);

// Prints the loss after each number of questions, for each result, and what advice was worth.
void print_first(const std::vector<StoredResults>& all, const std::vector<std::size_t>& counts,
                 bool as_json);

}  // namespace tuner
