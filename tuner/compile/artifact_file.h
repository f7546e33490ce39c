#pragma once

#include <optional>
#include <string>

#include "tuner/model/artifact.h"

namespace tuner {

// The bytes of a cache entry: a line that says what it is, a checksum, the artifact.
std::string pack(const Artifact& artifact);

// Empty when the bytes are not exactly what pack() wrote: cut, changed, or of another version.
std::optional<Artifact> unpack(const std::string& bytes);

}  // namespace tuner
