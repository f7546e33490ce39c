#pragma once
// A search space as plugins see it. `Space` is SearchSpace or anything that answers like it
// (a recorded space).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/plugin/abi.h"
#include "tuner/plugin/abi_text.h"
#include "tuner/plugin/sdk_strategy.h"
#include "tuner/space/search_space.h"

namespace tuner {

namespace detail {

// The functions of the table. Numbers out of range, a plugin's mistake, get an empty answer.
template <typename Space>
struct SpaceFunctions {
  // Plugins only read; the table's `self` cannot be const in C.
  static const Space& space_of(void* self) { return *static_cast<const Space*>(self); }

  static const Parameter* parameter_of(void* self, std::uint32_t number) {
    const auto& all = space_of(self).parameters();
    return number < all.size() ? &all[number] : nullptr;
  }

  static bool in_range(void* self, const std::uint32_t* positions) {
    const auto& all = space_of(self).parameters();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (positions[i] >= all[i].values.size()) return false;
    }
    return true;
  }

  static tuner_str name(void* self, std::uint32_t number) {
    const Parameter* parameter = parameter_of(self, number);
    return parameter == nullptr ? tuner_str{nullptr, 0} : to_abi(parameter->name);
  }

  static std::uint32_t value_count(void* self, std::uint32_t number) {
    const Parameter* parameter = parameter_of(self, number);
    return parameter == nullptr ? 0 : static_cast<std::uint32_t>(parameter->values.size());
  }

  static double value(void* self, std::uint32_t number, std::uint32_t position) {
    const Parameter* parameter = parameter_of(self, number);
    if (parameter == nullptr || position >= parameter->values.size()) return std::nan("");
    const double as_number = to_number(parameter->values[position]);
    return std::isnan(as_number) ? position : as_number;
  }

  static int ordered(void* self, std::uint32_t number) {
    const Parameter* parameter = parameter_of(self, number);
    return parameter != nullptr && parameter->ordered() ? 1 : 0;
  }

  static void positions(void* self, tuner_index index, std::uint32_t* out) noexcept {
    const Space& space = space_of(self);
    const std::span<std::uint32_t> to(out, space.parameters().size());
    if (sdk::from_abi(index) < space.size()) {
      space.positions(sdk::from_abi(index), to);
    } else {
      std::fill(to.begin(), to.end(), 0U);
    }
  }

  static int index_of(void* self, const std::uint32_t* positions, tuner_index* out) noexcept {
    if (!in_range(self, positions)) return 0;
    const Space& space = space_of(self);
    const auto index =
        space.index_of(std::span<const std::uint32_t>(positions, space.parameters().size()));
    if (index) *out = sdk::to_abi(*index);
    return index ? 1 : 0;
  }

  static void neighbours(void* self, const std::uint32_t* positions, std::uint32_t kind,
                         tuner_sink out) noexcept {
    if (!in_range(self, positions)) return;
    const Space& space = space_of(self);
    std::vector<ConfigIndex> found;
    space.neighbours(std::span<const std::uint32_t>(positions, space.parameters().size()),
                     kind == TUNER_ADJACENT ? Neighbourhood::kAdjacent : Neighbourhood::kHamming,
                     found);
    std::vector<tuner_index> records(found.size());
    std::transform(found.begin(), found.end(), records.begin(), sdk::to_abi);
    if (!records.empty()) {
      out.emit(out.context, records.data(), records.size() * sizeof records[0]);
    }
  }
};

}  // namespace detail

// The table refers to `space`, which must outlive it.
template <typename Space>
tuner_space space_table(const Space& space) {
  using Functions = detail::SpaceFunctions<Space>;
  return {sizeof(tuner_space),
          static_cast<std::uint32_t>(space.parameters().size()),
          const_cast<Space*>(&space),
          sdk::to_abi(space.size()),
          Functions::name,
          Functions::value_count,
          Functions::value,
          Functions::ordered,
          Functions::positions,
          Functions::index_of,
          Functions::neighbours};
}

}  // namespace tuner
