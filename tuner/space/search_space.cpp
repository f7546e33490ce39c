// Builds a space and answers questions about its configurations by number.

#include "tuner/space/search_space.h"

#include <algorithm>
#include <mutex>

#include "tuner/base/hash.h"
#include "tuner/base/stopwatch.h"
#include "tuner/space/construct.h"
#include "tuner/space/name_table.h"

namespace tuner {

using boost::multiprecision::cpp_int;

namespace {

detail::Construction construct_all(const SpaceDefinition& definition,
                                   const detail::NameTable& names, const BuildOptions& options,
                                   SpaceReport& report) {
  std::vector<std::uint32_t> constraints(definition.constraints.size());
  for (std::uint32_t c = 0; c < constraints.size(); ++c) constraints[c] = c;
  detail::BuildMonitor monitor(options.memory_limit, options.cancelled);
  try {
    auto construction = detail::construct(definition, names, constraints, monitor);
    report.peak_bytes = monitor.peak();
    return construction;
  } catch (const detail::BuildStopped&) {
    throw FatalError("interrupted while the search space was built");
  }
}

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

struct SearchSpace::Impl {
  Impl(SpaceDefinition given, const BuildOptions& options);

  // Returns the place of each value among the sorted ones, for ordered parameters. Computed on
  // first use.
  const std::vector<std::vector<std::uint32_t>>& ranks() const;

  SpaceDefinition definition;
  SpaceReport report;
  detail::NameTable names;
  detail::Construction construction;
  std::vector<detail::NumberedDiagram> groups;  // the last one counts fastest
  ConfigIndex size = 0;
  bool saturated = false;  // there are more configurations than indices

  mutable std::once_flag ranked;
  mutable std::vector<std::vector<std::uint32_t>> value_ranks;
  mutable std::once_flag reported;
  mutable std::vector<ConstraintReport> constraint_reports;
};

SearchSpace::Impl::Impl(SpaceDefinition given, const BuildOptions& options)
    : definition(std::move(given)),
      names(definition),
      construction(construct_all(definition, names, options, report)) {
  cpp_int cartesian = 1;
  cpp_int valid = construction.empty ? 0 : 1;
  for (const Parameter& parameter : definition.parameters) cartesian *= parameter.values.size();
  for (const auto& diagram : construction.diagrams) {
    groups.push_back({&diagram, 1});
    valid *= diagram.exact_size();
  }
  saturated = valid > cpp_int(detail::kMaxIndex);
  size = saturated ? detail::kMaxIndex : static_cast<ConfigIndex>(valid);
  ConfigIndex stride = 1;
  for (std::size_t g = groups.size(); g-- > 0;) {
    groups[g].stride = stride;
    const ConfigIndex count = groups[g].diagram->size();
    stride = stride > detail::kMaxIndex / count ? detail::kMaxIndex : stride * count;
  }
  report.cartesian = cartesian.str();
  report.valid = valid.str();
  for (const auto& group : construction.groups) {
    auto& names_of_group = report.groups.emplace_back();
    for (std::uint32_t p : group) names_of_group.push_back(definition.parameters[p].name);
  }
}

const std::vector<std::vector<std::uint32_t>>& SearchSpace::Impl::ranks() const {
  std::call_once(ranked, [this] {
    for (const Parameter& parameter : definition.parameters) {
      value_ranks.push_back(parameter.ordered() ? ranks_of(parameter)
                                                : std::vector<std::uint32_t>());
    }
  });
  return value_ranks;
}

SearchSpace::SearchSpace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SearchSpace::SearchSpace(SearchSpace&&) noexcept = default;
SearchSpace& SearchSpace::operator=(SearchSpace&&) noexcept = default;
SearchSpace::~SearchSpace() = default;

SearchSpace SearchSpace::build(SpaceDefinition definition, const BuildOptions& options) {
  const Stopwatch since;
  auto impl = std::make_unique<Impl>(std::move(definition), options);
  impl->report.build_seconds = since.seconds();
  return SearchSpace(std::move(impl));
}

const SpaceDefinition& SearchSpace::definition() const { return impl_->definition; }
const std::vector<Parameter>& SearchSpace::parameters() const {
  return impl_->definition.parameters;
}
const SpaceReport& SearchSpace::report() const { return impl_->report; }
ConfigIndex SearchSpace::size() const { return impl_->size; }
std::span<const detail::NumberedDiagram> SearchSpace::groups() const { return impl_->groups; }

const std::vector<ConstraintReport>& SearchSpace::constraint_reports() const {
  std::call_once(impl_->reported, [this] {
    impl_->constraint_reports = detail::report_constraints(definition(), impl_->names);
  });
  return impl_->constraint_reports;
}

std::string SearchSpace::why_empty() const {
  return size() != 0 ? std::string() : detail::why_empty(definition(), impl_->names);
}

void SearchSpace::positions(ConfigIndex index, std::span<std::uint32_t> out) const {
  const auto& groups = impl_->groups;
  std::size_t g = groups.size();
  // Division of 128 bits is slow, and most spaces need 64.
  while (g > 0 && index >> 64 != 0) {
    const detail::Diagram& diagram = *groups[--g].diagram;
    const ConfigIndex count = diagram.size();
    diagram.positions(index % count, out);
    index /= count;
  }
  auto rest = static_cast<std::uint64_t>(index);
  while (g > 0) {
    const detail::Diagram& diagram = *groups[--g].diagram;
    if (diagram.size() > rest) {
      diagram.positions(rest, out);
      rest = 0;
      continue;
    }
    const auto count = static_cast<std::uint64_t>(diagram.size());
    diagram.positions(rest % count, out);
    rest /= count;
  }
}

Configuration SearchSpace::configuration(ConfigIndex index) const {
  std::vector<std::uint32_t> places(parameters().size());
  positions(index, places);
  Configuration out;
  out.reserve(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) out.push_back(parameters()[p].values[places[p]]);
  return out;
}

bool SearchSpace::contains(std::span<const std::uint32_t> places) const {
  return size() != 0 && places.size() == parameters().size() &&
         std::ranges::all_of(impl_->groups, [&](const detail::NumberedDiagram& group) {
           return group.diagram->number_of(places).has_value();
         });
}

std::optional<ConfigIndex> SearchSpace::index_of(std::span<const std::uint32_t> places) const {
  if (size() == 0 || places.size() != parameters().size()) return std::nullopt;
  ConfigIndex index = 0;
  for (const detail::NumberedDiagram& group : impl_->groups) {
    const auto digit = group.diagram->number_of(places);
    if (!digit) return std::nullopt;
    if (impl_->saturated) {
      if (*digit != 0 && group.stride > (detail::kMaxIndex - index) / *digit) return std::nullopt;
    }
    index += *digit * group.stride;
  }
  if (index == detail::kMaxIndex) return std::nullopt;
  return index;
}

std::optional<ConfigIndex> SearchSpace::index_of(const Configuration& configuration) const {
  if (configuration.size() != parameters().size()) return std::nullopt;
  std::vector<std::uint32_t> places;
  places.reserve(configuration.size());
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    const auto& values = parameters()[p].values;
    const auto found = std::ranges::find_if(
        values, [&](const Value& value) { return same_value(value, configuration[p]); });
    if (found == values.end()) return std::nullopt;
    places.push_back(static_cast<std::uint32_t>(found - values.begin()));
  }
  return index_of(places);
}

void SearchSpace::neighbours(std::span<const std::uint32_t> places, Neighbourhood kind,
                             std::vector<ConfigIndex>& out) const {
  out.clear();
  if (size() == 0 || places.size() != parameters().size()) return;
  // A neighbour differs in one group only: its index is the old one with that group's number
  // replaced.
  std::vector<std::optional<ConfigIndex>> digits;
  ConfigIndex whole = 0;
  std::size_t invalid = 0;
  for (const detail::NumberedDiagram& group : impl_->groups) {
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
    const detail::NumberedDiagram& group = impl_->groups[g];
    const ConfigIndex rest = whole - digits[g].value_or(0) * group.stride;
    const std::size_t first = out.size();
    group.diagram->neighbours(places, allowed, out);
    for (std::size_t i = first; i < out.size(); ++i) out[i] = rest + out[i] * group.stride;
  }
}

Bindings SearchSpace::bindings(const Configuration& configuration) const {
  Bindings names = impl_->definition.facts;
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    names[parameters()[p].name] = configuration[p];
  }
  for (const NamedExpression& derived : impl_->definition.derived) {
    if (auto value = derived.expression.evaluate(names)) names[derived.name] = std::move(*value);
  }
  return names;
}

std::optional<std::uint64_t> SearchSpace::valid_hash() const {
  constexpr std::uint64_t kMost = 10'000'000'000;
  if (cpp_int(impl_->report.cartesian) > cpp_int(1) << 64 || size() > kMost) return std::nullopt;
  std::vector<std::uint64_t> weight(parameters().size(), 1);
  for (std::size_t p = weight.size(); p-- > 1;) {
    weight[p - 1] = weight[p] * parameters()[p].values.size();
  }
  std::uint64_t sum = 0;
  for (SpaceCursor cursor(*this); cursor.valid(); cursor.next()) {
    std::uint64_t number = 0;
    for (std::size_t p = 0; p < weight.size(); ++p) number += weight[p] * cursor.positions()[p];
    sum += splitmix64(number);
  }
  return sum;
}

std::string SearchSpace::digest() const {
  Hasher hasher;
  const auto add = [&](const Value& value) { hasher.add(value.index()).add(to_text(value)); };
  for (const Parameter& parameter : parameters()) {
    hasher.add(parameter.name).add(parameter.values.size());
    std::ranges::for_each(parameter.values, add);
  }
  for (const auto& [name, value] : impl_->definition.facts) {
    hasher.add(name);
    add(value);
  }
  for (const auto& derived : impl_->definition.derived) {
    hasher.add(derived.name).add(derived.expression.text());
  }
  for (const Expression& constraint : impl_->definition.constraints) hasher.add(constraint.text());
  return to_hex(hasher.digest());
}

// ---- the cursor
// -----------------------------------------------------------------------------------

SpaceCursor::SpaceCursor(const SearchSpace& space, ConfigIndex index)
    : positions_(space.parameters().size()) {
  if (index >= space.size()) return;
  valid_ = true;
  space.positions(index, positions_);
  for (const detail::NumberedDiagram& group : space.groups()) {
    if (group.diagram->size() == 1) continue;  // never moves
    std::uint32_t node = group.diagram->root();
    for (std::size_t level = 0; level < group.diagram->levels().size(); ++level) {
      Place place;
      place.diagram = group.diagram;
      place.level = level;
      place.parameter = group.diagram->levels()[level].parameter;
      const auto runs = group.diagram->runs(level, node);
      place.end = runs.data() + runs.size();
      const std::uint32_t position = positions_[place.parameter];
      const detail::Run* run = group.diagram->find(level, node, position);
      set_run(place, run, position - run->start);
      node = run->child;
      places_.push_back(place);
    }
  }
  // Nothing can move in a space of one configuration.
  if (places_.empty()) places_.emplace_back();
}

void SpaceCursor::set_run(Place& place, const detail::Run* run, std::uint32_t offset) {
  place.run = run;
  place.offset = offset;
  place.length = run->length;
  positions_[place.parameter] = run->start + offset;
}

void SpaceCursor::enter(Place& place, std::uint32_t node) {
  const auto runs = place.diagram->runs(place.level, node);
  place.end = runs.data() + runs.size();
  set_run(place, runs.data(), 0);
}

// The fastest level has used up its run: find the slowest level that must move, then start over
// below it.
void SpaceCursor::advance() {
  std::size_t at = places_.size() - 1;
  --places_[at].offset;
  for (;;) {
    Place& place = places_[at];
    if (place.offset + 1 < place.length) {
      ++place.offset;
      ++positions_[place.parameter];
      break;
    }
    if (place.run != nullptr && place.run + 1 != place.end) {
      set_run(place, place.run + 1, 0);
      break;
    }
    if (at == 0) {
      valid_ = false;
      return;
    }
    --at;
  }
  for (++at; at < places_.size(); ++at) {
    Place& place = places_[at];
    enter(place, place.level == 0 ? place.diagram->root() : places_[at - 1].run->child);
  }
}

}  // namespace tuner
