#include "tuner/plugin/space_table.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "tuner/plugin/abi_text.h"

namespace tuner {
namespace {

// Plugins only read; the table's `self` cannot be const in C.
const SearchSpace& space_of(void* self) { return *static_cast<const SearchSpace*>(self); }

const Parameter* parameter_of(void* self, std::uint32_t number) {
  const auto& all = space_of(self).parameters();
  return number < all.size() ? &all[number] : nullptr;
}

tuner_str name(void* self, std::uint32_t number) {
  const Parameter* parameter = parameter_of(self, number);
  return parameter == nullptr ? tuner_str{nullptr, 0} : to_abi(parameter->name);
}

std::uint32_t value_count(void* self, std::uint32_t number) {
  const Parameter* parameter = parameter_of(self, number);
  return parameter == nullptr ? 0 : static_cast<std::uint32_t>(parameter->values.size());
}

double value(void* self, std::uint32_t number, std::uint32_t position) {
  const Parameter* parameter = parameter_of(self, number);
  if (parameter == nullptr || position >= parameter->values.size()) return std::nan("");
  const double as_number = to_number(parameter->values[position]);
  return std::isnan(as_number) ? position : as_number;
}

int ordered(void* self, std::uint32_t number) {
  const Parameter* parameter = parameter_of(self, number);
  return parameter != nullptr && parameter->ordered() ? 1 : 0;
}

bool in_range(void* self, const std::uint32_t* positions) {
  const auto& all = space_of(self).parameters();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (positions[i] >= all[i].values.size()) return false;
  }
  return true;
}

void positions_of(void* self, tuner_index index, std::uint32_t* out) noexcept {
  const SearchSpace& space = space_of(self);
  const std::span<std::uint32_t> to(out, space.parameters().size());
  if (config_index(index) < space.size()) {
    space.positions(config_index(index), to);
  } else {
    std::fill(to.begin(), to.end(), 0U);
  }
}

int index_of(void* self, const std::uint32_t* positions, tuner_index* out) noexcept {
  if (!in_range(self, positions)) return 0;
  const SearchSpace& space = space_of(self);
  const auto index = space.index_of(std::span(positions, space.parameters().size()));
  if (index) *out = abi_index(*index);
  return index ? 1 : 0;
}

void neighbours(void* self, const std::uint32_t* positions, std::uint32_t kind,
                tuner_sink out) noexcept {
  if (!in_range(self, positions)) return;
  const SearchSpace& space = space_of(self);
  std::vector<ConfigIndex> found;
  space.neighbours(std::span(positions, space.parameters().size()),
                   kind == TUNER_ADJACENT ? Neighbourhood::kAdjacent : Neighbourhood::kHamming,
                   found);
  std::vector<tuner_index> records(found.size());
  std::transform(found.begin(), found.end(), records.begin(), abi_index);
  if (!records.empty()) out.emit(out.context, records.data(), records.size() * sizeof records[0]);
}

}  // namespace

tuner_space space_table(const SearchSpace& space) {
  return {sizeof(tuner_space),
          static_cast<std::uint32_t>(space.parameters().size()),
          const_cast<SearchSpace*>(&space),
          abi_index(space.size()),
          name,
          value_count,
          value,
          ordered,
          positions_of,
          index_of,
          neighbours};
}

}  // namespace tuner
