#pragma once
// Protection against others deciding what this user runs: whether the files in a folder may be run,
// and random numbers that cannot be guessed.

#include <cstdint>
#include <filesystem>
#include <string>

namespace tuner {

enum class Owner { kUser, kUserOrRoot };

// Why what lies there must not be run: others own the folder or may write to it. Empty when nothing
// speaks against it, or when there is no such folder. Root is no exception.
std::string why_not_trusted(const std::filesystem::path& directory, Owner owner = Owner::kUser);

// Why a file must not be run: it belongs to neither this user nor root nor the owner of its folder,
// or everybody may write to it. Empty when nothing speaks against it, or when there is none.
std::string why_file_not_trusted(const std::filesystem::path& file);

// ---- numbers that cannot be guessed -------------------------------------------------------------

// Draws a random number from the system. Throws std::system_error when it has none.
std::uint64_t drawn_secret();

}  // namespace tuner
