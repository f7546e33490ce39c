#pragma once
// A kernel's arguments and constants, and what fills them, as a study file has them.

#include <filesystem>
#include <string>

#include "tuner/model/study.h"

namespace tuner {

std::string arguments_yaml(const Study& study, const std::filesystem::path& folder);

}  // namespace tuner
