#pragma once
// The form of an artifact in the cache.

#include <optional>
#include <string>

#include "tuner/model/artifact.h"

namespace tuner {

// The bytes of a cache entry: a line that says what it is, a checksum, the key, the artifact.
std::string pack(const std::string& key, const Artifact& artifact);

// Empty when the bytes are not exactly what pack() wrote for this key: cut, changed, of another
// version, or another key's entry under this one's name.
std::optional<Artifact> unpack(const std::string& key, const std::string& bytes);

}  // namespace tuner
