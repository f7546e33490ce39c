#pragma once
// Whether what lies in a folder may be run: whoever may write there decides what this user runs.

#include <filesystem>
#include <string>

namespace tuner {

enum class Owner { kUser, kUserOrRoot };

// Why what lies there must not be run: others own the folder or may write to it. Empty when nothing
// speaks against it, or when there is no such folder. Root is no exception.
std::string why_not_trusted(const std::filesystem::path& directory, Owner owner = Owner::kUser);

}  // namespace tuner
