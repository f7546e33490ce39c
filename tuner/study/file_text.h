#pragma once
// The text of a study file.

#include <filesystem>
#include <string>

namespace tuner {

// The text of a study file, at most one byte more than the largest that is accepted. Line ends are
// made "\n", so that positions and messages need not care. Throws InputError with the reason.
std::string study_text(const std::filesystem::path& path);

}  // namespace tuner
