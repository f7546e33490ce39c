#pragma once
// A study that extends another, as one tree: the other's, with what is said here instead.

#include <filesystem>

#include "tuner/study/diagnostics.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {

// `own` and what it extends, and what that extends, in one tree. `diagnostics` knows the own file,
// and every other one afterwards. `first` is the file at the end of the chain. Throws InputError
// with what is no YAML in another file, or cannot be read.
YamlRef extended_tree(Diagnostics& diagnostics, const YamlRef& own,
                      const std::filesystem::path& file, std::filesystem::path& first);

}  // namespace tuner
