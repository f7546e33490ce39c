#pragma once
// Why answers may be wrong, for a terminal.

#include <span>
#include <string>

#include "tuner/model/ranked_results.h"

namespace tuner {

// What wrong variants have in common that right ones have not, and what they say where there is no
// right one, one line each; empty for nothing. Of a cause it says only what that shows.
std::string about_wrong_answers(const RankedResults& results,
                                std::span<const std::string> parameters);

}  // namespace tuner
