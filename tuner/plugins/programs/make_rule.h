#pragma once
// The files that a compiler has read, from the make rule that it wrote.

#include <filesystem>
#include <string>
#include <vector>

namespace tuner::programs {

// The files of a make rule that a compiler wrote (-MD -MF).
std::vector<std::string> dependencies_in(const std::string& rule);

// Whether a file lies somewhere in a folder; both exist.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace tuner::programs
