#pragma once
// What `tuner try` shows of a configuration.

#include <string>

#include "tuner/base/colours.h"
#include "tuner/run/single_try.h"

namespace tuner {

std::string try_text(const TryOutcome& outcome, const Study& study, const Colours& colours);
// One line; the form is in docs/contract.md.
std::string try_json(const TryOutcome& outcome, const Study& study);

}  // namespace tuner
