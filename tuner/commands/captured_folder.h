#pragma once
// The captured launches that a study is drafted from.

#include <filesystem>

#include "tuner/drafting/draft.h"

namespace tuner {

// Takes the captured launches of the kernel that is drafted for, each size once. Without --kernel
// it is the first captured one that the source has. Throws InputError where there are none.
void take_captured(const std::filesystem::path& captured, DraftRequest& request);

}  // namespace tuner
