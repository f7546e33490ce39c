#pragma once
// How large types are, as far as a source says it.

#include <cstddef>

#include "tuner/source/parameters.h"

namespace tuner {

std::size_t bytes_of(const ElementType& type);

// What a struct with these members has at least: of members whose size is not known it counts
// nothing.
std::size_t struct_bytes(Tokens body, bool is_union);

}  // namespace tuner
