#pragma once
// Places of arguments among a study's.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/study.h"

namespace tuner {

// Whether configurations with these names have the argument. Of which nothing is known have all.
bool is_there(const ArgumentSpec& argument, const Bindings& names);

// The place of the argument with this name that is there; empty: none is.
std::optional<std::uint32_t> position_of(const std::vector<ArgumentSpec>& arguments,
                                         const std::string& name, const Bindings& names);

// Places of arguments by name, or of all that the kernel takes when `wanted` is empty; of those
// that are there with these names. Failures begin with `who`.
Expected<std::vector<std::uint32_t>, std::string> positions_of(
    const std::vector<ArgumentSpec>& arguments, const std::vector<std::string>& wanted,
    const std::string& who, const Bindings& names);

// Returns these places and those of all buffers whose addresses they hold, each once.
std::vector<std::uint32_t> with_reached(const std::vector<ArgumentSpec>& arguments,
                                        std::vector<std::uint32_t> places);

}  // namespace tuner
