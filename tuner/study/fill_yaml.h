#pragma once
// A fill as a study file has it.

#include <filesystem>
#include <string>

#include "tuner/model/study.h"

namespace tuner {

// Relative to `folder` where that can be; in quotes where YAML wants them.
std::string path_text(const std::filesystem::path& path, const std::filesystem::path& folder);
std::string fill_text(const FillSpec& fill, const std::filesystem::path& folder);

}  // namespace tuner
