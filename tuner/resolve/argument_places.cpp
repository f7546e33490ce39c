// Finds arguments by their names.

#include "tuner/resolve/argument_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tuner {

std::optional<std::uint32_t> position_of(const std::vector<ArgumentSpec>& arguments,
                                         const std::string& name, const Bindings& names) {
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name && is_there(arguments[i], names)) return i;
  }
  return std::nullopt;
}

bool is_there(const ArgumentSpec& argument, const Bindings& names) {
  if (!argument.choice) return true;
  const auto chosen = names.find(argument.choice->parameter);
  return chosen == names.end() || same_value(chosen->second, argument.choice->value);
}

Expected<std::vector<std::uint32_t>, std::string> positions_of(
    const std::vector<ArgumentSpec>& arguments, const std::vector<std::string>& wanted,
    const std::string& who, const Bindings& names) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; wanted.empty() && i < arguments.size(); ++i) {
    if (!arguments[i].is_beside && is_there(arguments[i], names)) places.push_back(i);
  }
  for (const std::string& name : wanted) {
    const std::size_t before = places.size();
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].name == name && is_there(arguments[i], names)) places.push_back(i);
    }
    if (places.size() > before) continue;
    return Unexpected{fmt::format("{}: there is no argument '{}'", who, name)};
  }
  return places;
}

std::vector<std::uint32_t> with_reached(const std::vector<ArgumentSpec>& arguments,
                                        std::vector<std::uint32_t> places) {
  const auto add = [&](const std::string& name) {
    for (std::uint32_t i = 0; !name.empty() && i < arguments.size(); ++i) {
      if (arguments[i].name != name || std::ranges::find(places, i) != places.end()) continue;
      places.push_back(i);
    }
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ArgumentSpec& holder = arguments[places[i]];
    if (holder.map) add(holder.map->of);
    if (!holder.record) continue;
    for (const MemberSpec& member : holder.record->members) add(member.of);
  }
  return places;
}

}  // namespace tuner
