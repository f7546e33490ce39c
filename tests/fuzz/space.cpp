#include <chrono>
#include <cmath>

#include "tests/fuzz/targets.h"
#include "tuner/base/error.h"
#include "tuner/study/t1_reader.h"

namespace tuner::fuzz {
namespace {

constexpr double kFewEnoughToCount = 500;

bool satisfied(const SpaceDefinition& space, const Bindings& names) {
  for (const Expression& constraint : space.constraints) {
    const auto value = constraint.evaluate(names);
    if (!value || !truth(*value)) return false;
  }
  return true;
}

std::uint64_t brute_force(const SpaceDefinition& space, Bindings& names, std::size_t depth) {
  if (depth == space.parameters.size()) return satisfied(space, names) ? 1 : 0;
  std::uint64_t count = 0;
  for (const Value& value : space.parameters[depth].values) {
    names[space.parameters[depth].name] = value;
    count += brute_force(space, names, depth + 1);
  }
  return count;
}

void check(const SpaceDefinition& definition) {
  const auto begin = std::chrono::steady_clock::now();
  BuildOptions options;
  options.memory_limit = std::size_t{64} << 20;
  options.cancelled = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(300);
  };
  const SearchSpace built = SearchSpace::build(definition, options);
  double cartesian = 1;
  for (const Parameter& parameter : definition.parameters) {
    cartesian *= static_cast<double>(parameter.values.size());
  }
  if (cartesian > kFewEnoughToCount) return;
  Bindings names;
  require(built.size() == brute_force(definition, names, 0),
          "a space has its valid configurations");
  for (std::uint64_t i = 0; i < built.size(); ++i) {
    const auto configuration = built.configuration(i);
    require(built.index_of(configuration) == i, "a configuration's index leads back to it");
  }
}

}  // namespace

void space(const std::string& bytes) {
  try {
    check(parse_space_json(bytes, "space.json"));
  } catch (const InputError& error) {
    require(!error.complaints().empty(), "who refuses a space says why");
  } catch (const FatalError& error) {  // too large, or cancelled
    require(*error.what() != '\0', "who refuses a space says why");
  }
}

}  // namespace tuner::fuzz
