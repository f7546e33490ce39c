#pragma once
// A space that no strategy can list.

#include <cstdint>

#include "tuner/plugin/abi.h"

namespace tuner::strategies {

// 64 parameters of two values and no constraint: 2^64 configurations, index = bits.
inline tuner_space enormous_space() {
  tuner_space table{};
  table.struct_size = sizeof table;
  table.parameter_count = 64;
  table.size = {0, 1};
  table.name = [](void*, std::uint32_t) { return tuner_str{"p", 1}; };
  table.value_count = [](void*, std::uint32_t) { return 2U; };
  table.value = [](void*, std::uint32_t, std::uint32_t v) { return double(v); };
  table.ordered = [](void*, std::uint32_t) { return 0; };
  table.positions = [](void*, tuner_index index, std::uint32_t* out) {
    for (int p = 0; p < 64; ++p) out[p] = (index.low >> p) & 1;
  };
  table.index_of = [](void*, const std::uint32_t* at, tuner_index* index) {
    *index = {0, 0};
    for (int p = 0; p < 64; ++p) index->low |= std::uint64_t{at[p]} << p;
    return 1;
  };
  table.neighbours = [](void*, const std::uint32_t* at, std::uint32_t, tuner_sink out) {
    std::uint64_t bits = 0;
    for (int p = 0; p < 64; ++p) bits |= std::uint64_t{at[p]} << p;
    for (int p = 0; p < 64; ++p) {
      const tuner_index near{bits ^ (1ULL << p), 0};
      out.emit(out.context, &near, sizeof near);
    }
  };
  return table;
}

}  // namespace tuner::strategies
