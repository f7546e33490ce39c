#pragma once
// Arrays in files that programs read and write: raw bytes, or NumPy's .npy by the file's ending.

#include <cstddef>
#include <filesystem>
#include <span>

#include "tuner/plugins/program/variant_text.h"

namespace tuner::program {

std::size_t bytes_of(const FileArgument& argument);

void write_array(const FileArgument& argument, std::span<const std::byte> bytes,
                 const std::filesystem::path& folder);

// Throws sdk::Error (TUNER_RUNTIME_FAULT) where the file is not there or holds another array.
void read_array(const FileArgument& argument, std::span<std::byte> bytes,
                const std::filesystem::path& folder);

}  // namespace tuner::program
