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

// Depth first through all levels of all groups, with a number of differences left to spend.
class Vicinity {
 public:
  Vicinity(std::span<const std::uint32_t> positions, std::size_t limit,
           std::vector<ConfigIndex>& out)
      : positions_(positions), limit_(limit), out_(out) {}

  struct Stage {
    const detail::Diagram* diagram;
    std::size_t level;
    ConfigIndex stride;
  };
  void add(Stage stage) { stages_.push_back(stage); }

  void run(unsigned distance) {
    if (!stages_.empty()) visit(0, stages_[0].diagram->root(), 0, distance, distance);
  }

 private:
  void visit(std::size_t at, std::uint32_t node, ConfigIndex index, unsigned left,
             unsigned distance) {
    if (out_.size() >= limit_) return;
    if (at == stages_.size()) {
      if (left < distance) out_.push_back(index);
      return;
    }
    const Stage& stage = stages_[at];
    const std::uint32_t old = positions_[stage.diagram->levels()[stage.level].parameter];
    if (left == 0) {
      const detail::Run* run = stage.diagram->find(stage.level, node, old);
      if (run != nullptr) follow(at, *run, old - run->start, index, left, distance);
      return;
    }
    for (const detail::Run& run : stage.diagram->runs(stage.level, node)) {
      for (std::uint32_t offset = 0; offset < run.length && out_.size() < limit_; ++offset) {
        const bool same = run.start + offset == old;
        follow(at, run, offset, index, same ? left : left - 1, distance);
      }
    }
  }

  void follow(std::size_t at, const detail::Run& run, std::uint32_t offset, ConfigIndex index,
              unsigned left, unsigned distance) {
    const Stage& stage = stages_[at];
    index += stage.diagram->before(stage.level, run, offset) * stage.stride;
    const bool last = stage.level + 1 == stage.diagram->levels().size();
    const bool more = at + 1 < stages_.size();
    visit(at + 1, last ? (more ? stages_[at + 1].diagram->root() : 0) : run.child, index, left,
          distance);
  }

  std::span<const std::uint32_t> positions_;
  std::size_t limit_;
  std::vector<ConfigIndex>& out_;
  std::vector<Stage> stages_;
};

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

void SearchSpace::neighbours_within(std::span<const std::uint32_t> places, unsigned distance,
                                    std::size_t limit, std::vector<ConfigIndex>& out) const {
  out.clear();
  if (size() == 0 || places.size() != parameters().size()) return;
  Vicinity vicinity(places, limit, out);
  for (const Impl::Group& group : impl_->groups) {
    for (std::size_t level = 0; level < group.diagram->levels().size(); ++level) {
      vicinity.add({group.diagram, level, group.stride});
    }
  }
  vicinity.run(distance);
}

}  // namespace tuner
