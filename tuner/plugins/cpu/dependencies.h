#pragma once
// Which files a host compiler has read, from what it says about itself.

#include <filesystem>
#include <string>
#include <vector>

namespace tuner::cpu {

// The files of a make rule that a compiler wrote (-MD -MF).
std::vector<std::string> dependencies_in(const std::string& rule);

// The folders of its own headers, from what it prints for -v: those where it looks without being
// told to, except /usr/local/include, where users put theirs.
std::vector<std::filesystem::path> system_folders_in(const std::string& messages);

// Whether a file lies somewhere in a folder; both exist.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace tuner::cpu
