#pragma once

#include "tuner/plugin/abi.h"
#include "tuner/space/search_space.h"

namespace tuner {

// A search space as plugins see it. The table refers to `space`, which must outlive it. Numbers out
// of range, a plugin's mistake, get an empty answer.
tuner_space space_table(const SearchSpace& space);

inline ConfigIndex config_index(tuner_index index) {
  return (ConfigIndex{index.high} << 64) | index.low;
}
inline tuner_index abi_index(ConfigIndex index) {
  return {static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(index >> 64)};
}

}  // namespace tuner
