#pragma once
// Filling and comparing, to the letter of plugin/abi.h.

#include <cstddef>
#include <cstdint>

#include "tuner/plugin/abi.h"

namespace tuner::cpu {

// 0 for a number that is no type.
std::size_t bytes_of(std::uint32_t type);

// Elements [begin, end) of the range that starts at `data`.
void fill_elements(std::byte* data, std::uint64_t begin, std::uint64_t end, const tuner_fill& how);

// Elements [begin, end); first_mismatch counts from 0.
tuner_comparison compare_elements(const std::byte* actual, const std::byte* expected,
                                  std::uint32_t type, std::uint64_t begin, std::uint64_t end,
                                  double rtol, double atol);

// The comparison of two neighbouring ranges together, `earlier` before `later`.
tuner_comparison merge(const tuner_comparison& earlier, const tuner_comparison& later);

}  // namespace tuner::cpu
