#pragma once
// At which sizes an exported file is checked.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/deploy/tuned_table.h"
#include "tuner/model/study.h"

namespace tuner {

struct CheckedSizes {
  std::vector<std::string> named;  // "M=1024,N=1024"
  std::uint64_t random = 0;        // so many more, drawn
  std::uint64_t seed = 1;
  std::int64_t largest = 0;  // extent of a drawn one; 0 = as the study's domain or the table says
};

// The named and the drawn ones, those that were tuned where there are none. Drawn of the study's
// domain, where it has one; else around what was tuned, each once. Throws InputError.
std::vector<ProblemSize> sizes_to_check(const CheckedSizes& wanted, const Study& study,
                                        const TunedTable& table);

}  // namespace tuner
