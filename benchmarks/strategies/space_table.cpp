#include "benchmarks/strategies/space_table.h"

#include <cmath>

namespace tuner::bench {
namespace {

const RecordedSpace& self_of(void* self) { return *static_cast<const RecordedSpace*>(self); }

std::span<const std::uint32_t> span_of(void* self, const std::uint32_t* positions) {
  return {positions, self_of(self).parameters().size()};
}

tuner_index to_abi(ConfigIndex index) {
  return {static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(index >> 64)};
}

double value_of(void* self, std::uint32_t parameter, std::uint32_t position) {
  const double number = to_number(self_of(self).parameters()[parameter].values[position]);
  return std::isnan(number) ? position : number;
}

int index_of(void* self, const std::uint32_t* positions, tuner_index* index) {
  const auto found = self_of(self).index_of(span_of(self, positions));
  if (found) *index = to_abi(*found);
  return found ? 1 : 0;
}

void neighbours(void* self, const std::uint32_t* positions, std::uint32_t kind, tuner_sink out) {
  std::vector<ConfigIndex> found;
  self_of(self).neighbours(
      span_of(self, positions),
      kind == TUNER_ADJACENT ? Neighbourhood::kAdjacent : Neighbourhood::kHamming, found);
  for (const ConfigIndex index : found) {
    const tuner_index record = to_abi(index);
    out.emit(out.context, &record, sizeof record);
  }
}

}  // namespace

tuner_space table_of(const RecordedSpace& space) {
  tuner_space table{};
  table.struct_size = sizeof table;
  table.parameter_count = static_cast<std::uint32_t>(space.parameters().size());
  table.self = const_cast<RecordedSpace*>(&space);  // the table's functions only read
  table.size = to_abi(space.size());
  table.name = [](void* self, std::uint32_t parameter) {
    const std::string& name = self_of(self).parameters()[parameter].name;
    return tuner_str{name.data(), name.size()};
  };
  table.value_count = [](void* self, std::uint32_t parameter) {
    return static_cast<std::uint32_t>(self_of(self).parameters()[parameter].values.size());
  };
  table.value = value_of;
  table.ordered = [](void* self, std::uint32_t parameter) {
    return self_of(self).parameters()[parameter].ordered() ? 1 : 0;
  };
  table.positions = [](void* self, tuner_index index, std::uint32_t* positions) {
    const ConfigIndex number = (ConfigIndex{index.high} << 64) | index.low;
    self_of(self).positions(number, {positions, self_of(self).parameters().size()});
  };
  table.index_of = index_of;
  table.neighbours = neighbours;
  return table;
}

}  // namespace tuner::bench
