// Analysis of single constraints, for people who look for the mistake in their study.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "tuner/base/hash.h"
#include "tuner/base/stopwatch.h"
#include "tuner/space/construct.h"

namespace tuner::detail {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::uint64_t kMostTried = 4096;  // combinations evaluated for one constraint
constexpr std::uint64_t kFewestTried = 64;  // of one that lists thousands of combinations
constexpr std::uint64_t kMostParts = std::uint64_t{1} << 21;  // of syntax trees, in all
// Limits of one exact count. A single constraint can be harder than all of them together, because
// nothing else makes its space small.
constexpr std::size_t kMemory = std::size_t{256} << 20;
constexpr double kPatience = 0.3;  // seconds
constexpr double kAlmostAll = 1 - 0x1p-53;

cpp_int size_of(const Construction& construction) {
  cpp_int size = construction.empty ? 0 : 1;
  for (const auto& diagram : construction.diagrams) size *= diagram.exact_size();
  return size;
}

// The number of configurations that the given constraints leave; empty when that takes too long.
std::optional<cpp_int> count(const SpaceDefinition& definition, const NameTable& names,
                             const std::vector<std::uint32_t>& constraints) {
  const std::function<bool()> late = [since = Stopwatch()] { return since.seconds() > kPatience; };
  BuildMonitor monitor(kMemory, late);
  try {
    return size_of(construct(definition, names, constraints, monitor));
  } catch (const BuildStopped&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::uint64_t parts_of(const ExpressionNode& node) {
  std::uint64_t parts = 1;
  for (const auto& child : node.children) parts += parts_of(*child);
  return parts;
}

// Evaluates a constraint for all combinations of its own parameters, or for random ones.
class Trial {
 public:
  Trial(const SpaceDefinition& definition, const NameTable& names, const Expression& constraint,
        ConstraintReport& report)
      : definition_(definition),
        constraint_(constraint),
        report_(report),
        used_(names.dependencies(constraint, *constraint.root())),
        configuration_(definition, names) {}

  // The fraction that does not hold.
  double run() {
    const std::uint64_t most =
        std::clamp(kMostParts / parts_of(*constraint_.root()), kFewestTried, kMostTried);
    std::uint64_t all = 1;  // its combinations; counted no further than needed, against overflow
    for (std::uint32_t p : used_.parameters) {
      all = std::min(all * definition_.parameters[p].values.size(), most + 1);
    }
    report_.tried = std::min(all, most);
    std::uint64_t random = 0;
    std::uint64_t removed = 0;
    std::vector<std::uint32_t> positions(used_.parameters.size());
    for (std::uint64_t i = 0; i < report_.tried; ++i) {
      std::uint64_t rest = i;  // of the combination's number, whose digits are the positions
      for (std::size_t p = 0; p < positions.size(); ++p) {
        const std::uint64_t values = definition_.parameters[used_.parameters[p]].values.size();
        positions[p] =
            static_cast<std::uint32_t>((all <= most ? rest : splitmix64(random++)) % values);
        rest /= values;
      }
      if (!holds(positions)) ++removed;
    }
    return static_cast<double>(removed) / static_cast<double>(report_.tried);
  }

 private:
  bool holds(const std::vector<std::uint32_t>& positions) {
    configuration_.bind(used_, positions);
    Value value;
    EvaluationError error;
    if (evaluate_tree(constraint_, *constraint_.root(), configuration_, value, error)) {
      return truth(value);
    }
    if (report_.errors++ == 0) describe(positions, error);
    return false;
  }

  void describe(const std::vector<std::uint32_t>& positions, const EvaluationError& error) {
    std::string at;
    for (std::size_t p = 0; p < positions.size(); ++p) {
      const Parameter& parameter = definition_.parameters[used_.parameters[p]];
      at += fmt::format("{}{} = {}", p == 0 ? "" : ", ", parameter.name,
                        to_text(parameter.values[positions[p]]));
    }
    report_.first_error = fmt::format("{} at column {}{}{}", error.message, error.offset + 1,
                                      at.empty() ? "" : " with ", at);
  }

  const SpaceDefinition& definition_;
  const Expression& constraint_;
  ConstraintReport& report_;
  NameTable::Dependencies used_;
  ConfigurationNames configuration_;
};

// part / whole. Counts of configurations may be beyond what a double holds; then both lose the same
// number of low bits first.
double share(const cpp_int& part, const cpp_int& whole) {
  if (part == 0) return 0;
  const double ratio = part.convert_to<double>() / whole.convert_to<double>();
  if (std::isfinite(ratio)) return ratio;
  const auto surplus = msb(whole) > 60 ? msb(whole) - 60 : 0;
  const cpp_int shorter = part >> surplus;
  return std::max(shorter.convert_to<double>(), 1.0) /
         cpp_int(whole >> surplus).convert_to<double>();
}

}  // namespace

// Each constraint is looked at in two ways. Trying it shows evaluations that fail, which building
// the space hides: there they only mean "not valid". Building a space with this constraint alone
// counts exactly what it removes; where that takes too long, the share of the tries stands in.
std::vector<ConstraintReport> report_constraints(const SpaceDefinition& definition,
                                                 const NameTable& names) {
  cpp_int cartesian = 1;
  for (const Parameter& parameter : definition.parameters) cartesian *= parameter.values.size();
  std::vector<ConstraintReport> reports;
  for (std::uint32_t c = 0; c < definition.constraints.size(); ++c) {
    const Expression& constraint = definition.constraints[c];
    ConstraintReport& report = reports.emplace_back();
    report.text = constraint.text();
    report.where = constraint.origin();
    if (constraint.empty()) continue;
    report.removed_fraction = Trial(definition, names, constraint, report).run();
    const auto left = count(definition, names, {c});
    report.exact = left.has_value();
    const cpp_int removed =
        left ? cpp_int(cartesian - *left)
             : cpp_int(cartesian * static_cast<std::uint64_t>(report.removed_fraction * 1e6) /
                       1'000'000);
    if (left) report.removed_fraction = share(removed, cartesian);
    // A fraction that rounds to 1 is not 1 while any configuration is left.
    if (left && *left > 0) report.removed_fraction = std::min(report.removed_fraction, kAlmostAll);
    report.removed = removed.str();
  }
  return reports;
}

// Leaves out one constraint after the other. While the rest still leaves nothing, that one was not
// needed for the contradiction and stays out; what remains at the end contradicts itself, and every
// one of it is needed. The last constraints go first, so that the first ones written are blamed.
std::string why_empty(const SpaceDefinition& definition, const NameTable& names) {
  std::vector<std::uint32_t> culprits(definition.constraints.size());
  for (std::uint32_t c = 0; c < culprits.size(); ++c) culprits[c] = c;
  for (std::size_t i = culprits.size(); i-- > 0;) {
    auto fewer = culprits;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const auto left = count(definition, names, fewer);
    if (left && *left == 0) culprits = std::move(fewer);
  }
  std::string list;
  for (std::uint32_t c : culprits) {
    const Expression& constraint = definition.constraints[c];
    const Complaint complaint{constraint.origin(), fmt::format("'{}'", constraint.text()), ""};
    if (!list.empty()) list += "; ";
    list += render(complaint);
  }
  return fmt::format("no configuration satisfies {}{}", culprits.size() == 1 ? "" : "all of ",
                     list);
}

}  // namespace tuner::detail
