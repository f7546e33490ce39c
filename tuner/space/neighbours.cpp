// Lists the valid neighbours of a configuration.

#include <algorithm>

#include "tuner/space/search_space_impl.h"

namespace tuner {
namespace {

// Place of each value among the sorted ones: neighbours of ordered parameters are one apart.
std::vector<std::uint32_t> ranks_of(const Parameter& parameter) {
  std::vector<std::uint32_t> sorted(parameter.values.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  std::ranges::stable_sort(sorted, {},
                           [&](std::uint32_t i) { return to_number(parameter.values[i]); });
  std::vector<std::uint32_t> ranks(sorted.size());
  for (std::uint32_t rank = 0; rank < sorted.size(); ++rank) ranks[sorted[rank]] = rank;
  return ranks;
}

}  // namespace

const std::vector<std::vector<std::uint32_t>>& SearchSpace::Impl::ranks() const {
  std::call_once(ranked, [this] {
    for (const Parameter& parameter : definition.parameters) {
      value_ranks.push_back(parameter.ordered() ? ranks_of(parameter)
                                                : std::vector<std::uint32_t>());
    }
  });
  return value_ranks;
}

void SearchSpace::neighbours(std::span<const std::uint32_t> places, Neighbourhood kind,
                             std::vector<ConfigIndex>& out) const {
  out.clear();
  if (size() == 0 || places.size() != parameters().size()) return;
  std::vector<std::optional<ConfigIndex>> digits;
  ConfigIndex whole = 0;
  std::size_t invalid = 0;
  for (const Impl::Group& group : impl_->groups) {
    digits.push_back(group.diagram->number_of(places));
    if (!digits.back()) ++invalid;
    whole += digits.back().value_or(0) * group.stride;
  }
  if (invalid > 1) return;  // one change cannot repair two groups
  const auto allowed = [&](std::uint32_t p, std::uint32_t position) {
    if (kind == Neighbourhood::kHamming) return true;
    const auto& ranks = impl_->ranks()[p];
    return ranks.empty() || ranks[position] + 1 == ranks[places[p]] ||
           ranks[position] == ranks[places[p]] + 1;
  };
  for (std::size_t g = 0; g < digits.size(); ++g) {
    if (invalid == 1 && digits[g]) continue;
    const Impl::Group& group = impl_->groups[g];
    const ConfigIndex rest = whole - digits[g].value_or(0) * group.stride;
    const std::size_t first = out.size();
    group.diagram->neighbours(places, allowed, out);
    for (std::size_t i = first; i < out.size(); ++i) out[i] = rest + out[i] * group.stride;
  }
}

}  // namespace tuner
