#pragma once
// What can still be read from a damaged database.

#include <cstdint>
#include <filesystem>

namespace tuner {

struct Salvaged {
  std::uint64_t contexts = 0;
  std::uint64_t trials = 0;
};

// Copies whatever can still be read from a damaged database into a new one. `damaged` is only read,
// `fresh` must not exist. Throws FatalError when the new one cannot be written.
Salvaged salvage(const std::filesystem::path& damaged, const std::filesystem::path& fresh);

}  // namespace tuner
