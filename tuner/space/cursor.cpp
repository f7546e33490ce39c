// Walks the valid configurations in the order of their indices.

#include "tuner/space/cursor.h"

namespace tuner {

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
