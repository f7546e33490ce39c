#pragma once
// A ranking of the store as `tuner results` shows it.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/base/terminal_text.h"
#include "tuner/run/stored_results.h"

namespace tuner {

struct StoredTextOptions {
  bool failures = false;         // why variants failed, instead of the ranking
  std::size_t top = 10;          // rows of the ranking
  std::string failures_command;  // that shows them, for whom the ranking is shown
};

// The results that a user looks at, as they named them; empty: not named.
struct NamedResults {
  std::string target;   // the study, or a folder
  std::string results;  // the folder, where it is not the usual one
  std::string size;
  std::string device;
  bool no_verify = false;
  std::vector<std::string> per{};
};

// What shows all failures of these.
std::string failures_command(const NamedResults& named);

std::string stored_text(const StoredResults& results, const StoredTextOptions& options,
                        const Colours& colours);

}  // namespace tuner
