#pragma once
// What a compiler's log says about names that a source uses and nobody declares.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tuner {

// The first of `names` of which g++, clang or NVRTC says so.
std::optional<std::string> undeclared_name(std::string_view log,
                                           std::span<const std::string> names);

}  // namespace tuner
