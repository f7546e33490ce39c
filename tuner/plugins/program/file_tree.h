#pragma once
// A folder with everything in it as one value, so that what was built in one process can be run in
// another, or on another machine.

#include <filesystem>
#include <nlohmann/json.hpp>

namespace tuner::program {

// Regular files and links, in the order of their names. Throws sdk::Error (TUNER_INVALID) where
// they are larger than an image may be.
nlohmann::json packed(const std::filesystem::path& folder);

void unpack(const nlohmann::json& files, const std::filesystem::path& folder);

}  // namespace tuner::program
