// Finds launches that no device can run, and why a space is empty.

#include "tuner/check/geometry_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "tuner/resolve/argument_plans.h"
#include "tuner/resolve/compiler_options.h"
#include "tuner/resolve/resolve.h"
#include "tuner/study/extents.h"

namespace tuner {
namespace {

constexpr std::uint64_t kMaxLooks = 4096;  // configurations; milliseconds of evaluation

// One way in which launches fail, over all configurations that were looked at.
struct Fault {
  Position where;
  std::string example;  // the first one
  std::string first;    // and its configuration
  std::uint64_t count = 0;
};

// Faults of a study whatever the device is: values that no launch can have.
constexpr std::array<std::string_view, 5> kSenseless{"evaluation", "whole", "zero", "negative",
                                                     "argument"};

class GeometryCheck {
 public:
  GeometryCheck(const Study& study, const DeviceFacts& device, Bindings facts)
      : study_(study), device_(device), facts_(std::move(facts)) {}

  void look(const Configuration& configuration, Bindings names) {
    ++looks_;
    faulty_ = false;
    configuration_ = &configuration;
    for (const auto& [name, value] : facts_) names[name] = value;
    check(study_.launch, names);
    check_arguments(names);
    if (!study_.work.empty()) {
      extent(study_.work, "work", number(study_.work, names), INT64_MAX);
    }
    if (!study_.rounds.repeat.empty()) {
      extent(study_.rounds.repeat, "repeat", number(study_.rounds.repeat, names), kMostLaunches);
    }
    for (const NextLaunchSpec& next : study_.then) {
      const auto wanted = takes_part(next, names);
      if (!wanted) fault(next.when, "evaluation", wanted.error().message);
      if (wanted && *wanted) check(next.launch, names);
    }
    if (!faulty_) ++healthy_;
  }

  // Faults that some configurations have, for which the device is not to blame.
  std::vector<Complaint> warnings(bool looked_at_all) const {
    std::vector<Complaint> out;
    for (const auto& [key, fault] : faults_) {
      if (std::ranges::find(kSenseless, std::get<2>(key)) == kSenseless.end()) continue;
      out.push_back({fault.where,
                     fault.example + ", for " + std::to_string(fault.count) + " of the " +
                         std::to_string(looks_) + " configurations" +
                         (looked_at_all ? "" : " looked at") + ", as " + fault.first,
                     "these fail as 'launch'; a constraint leaves them out"});
    }
    return out;
  }

  // Faults that every configuration has, or, where each has its own, all of them.
  std::vector<Complaint> complaints(bool looked_at_all) const {
    if (healthy_ > 0 || looks_ == 0) return {};
    const bool any_everywhere = std::any_of(
        faults_.begin(), faults_.end(), [this](const auto& f) { return f.second.count == looks_; });
    std::vector<Complaint> out;
    for (const auto& [key, fault] : faults_) {
      if (any_everywhere && fault.count < looks_) continue;
      const std::string which =
          fault.count == looks_ && looked_at_all
              ? "for every configuration"
              : "for " + std::to_string(fault.count) + " of the " + std::to_string(looks_) +
                    " configurations " + (looked_at_all ? "" : "looked at, ") +
                    (fault.count == looks_ ? "all of them" : "and none can be launched");
      const bool is_quotient = fault.example.find("is not a whole number") != std::string::npos;
      out.push_back({fault.where, fault.example + ", " + which,
                     is_quotient ? "ceil_div(a, b) rounds a quotient up" : ""});
    }
    return out;
  }

 private:
  void fault(const Expression& expression, const std::string& kind, const std::string& example) {
    fault_at(expression.empty() ? study_.kernel.where : expression.origin(), kind, example);
  }

  void fault_at(Position where, const std::string& kind, const std::string& example) {
    Fault& found = faults_[{where.line, where.column, kind}];
    if (found.count == 0) {
      found = {std::move(where), example, configuration_text(study_.parameters, *configuration_),
               0};
    }
    ++found.count;
    faulty_ = true;
  }

  std::optional<std::int64_t> number(const Expression& expression, const Bindings& names) {
    const auto value = expression.evaluate(names);
    if (!value) {
      fault(expression, "evaluation", value.error().message);
      return std::nullopt;
    }
    const auto whole = whole_number(*value);
    if (!whole) {
      fault(expression, "whole", whole.error());
      return std::nullopt;
    }
    return *whole;
  }

  // The first example stands for the fault, with its value.
  void extent(const Expression& expression, const std::string& name,
              const std::optional<std::int64_t>& value, std::int64_t limit) {
    if (!value) return;
    const std::string shown = name + " is " + std::to_string(*value);
    if (*value < 1) fault(expression, "zero", shown);
    if (*value > limit) {
      fault(expression, "limit", shown + ", over the device's " + std::to_string(limit));
    }
  }

  void check(const LaunchSpec& launch, const Bindings& names) {
    check_block(launch, names);
    const std::array<const char*, 3> axes{"grid x", "grid y", "grid z"};
    for (std::size_t i = 0; i < 3; ++i) {
      const Expression& axis = launch.grid[i];
      extent(axis, axes[i], axis.empty() ? std::optional<std::int64_t>(1) : number(axis, names),
             device_.max_grid[i]);
    }
    check_shared(launch.dynamic_shared_bytes, names);
    check_attributes(launch.attributes, names);
  }

  // Scalars, and sizes of what only a variant uses.
  void check_arguments(const Bindings& names) {
    for (const auto* specs : {&study_.arguments, &study_.constants}) {
      for (const ArgumentSpec& spec : *specs) {
        if (!may_vary(spec) || !varies(spec, facts_)) continue;
        const auto plan = argument_plan(spec, study_.arguments, names);
        if (!plan) fault_at(spec.where, "argument", plan.error());
      }
    }
  }

  // Values that make no sense are a matter of each variant.
  void check_attributes(const LaunchAttributesSpec& spec, const Bindings& names) {
    if (device_.can(kSetsLaunchAttributes)) return;
    const auto asked = launch_attributes(spec, names);
    if (!asked || *asked == LaunchAttributes{}) return;
    const Expression* const all[] = {&spec.cluster[0], &spec.cooperative, &spec.carveout,
                                     &spec.scheduling, &spec.programmatic};
    const auto first = std::find_if(std::begin(all), std::end(all),
                                    [](const Expression* e) { return !e->empty(); });
    fault(**first, "attributes", "launch attributes are not supported by " + device_.backend);
  }

  void check_block(const LaunchSpec& launch, const Bindings& names) {
    const std::array<const char*, 3> axes{"block x", "block y", "block z"};
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const Expression& axis = launch.block[i];
      if (axis.empty()) continue;
      const auto value = number(axis, names);
      extent(axis, axes[i], value, device_.max_block[i]);
      const bool in_range = value && *value >= 1 && *value <= device_.max_block[i];
      threads *= in_range ? *value : 1;
    }
    if (threads > device_.max_threads_per_block) {
      fault(launch.block[0], "threads",
            "a block of " + std::to_string(threads) + " threads is over the device's " +
                std::to_string(device_.max_threads_per_block));
    }
  }

  void check_shared(const Expression& bytes, const Bindings& names) {
    if (bytes.empty()) return;
    const auto value = number(bytes, names);
    if (!value) return;
    const std::string shown = "dynamic_shared_bytes is " + std::to_string(*value);
    const std::int64_t limit = device_.max_shared_memory_per_block_optin;
    if (*value < 0) fault(bytes, "negative", shown);
    if (*value > limit) {
      fault(bytes, "limit", shown + ", over the device's " + std::to_string(limit));
    }
  }

  const Study& study_;
  const DeviceFacts& device_;
  const Bindings facts_;
  const Configuration* configuration_ = nullptr;
  std::map<std::tuple<int, int, std::string>, Fault> faults_;
  std::uint64_t looks_ = 0;
  std::uint64_t healthy_ = 0;
  bool faulty_ = false;
};

// Complains of ways to measure that the backend does not support.
std::vector<Complaint> check_abilities(const MeasureSpec& measure, const DeviceFacts& device) {
  std::vector<Complaint> out;
  if (measure.mode == LaunchMode::kGraph && !device.can(kTimesGraphs)) {
    out.push_back({measure.mode_where,
                   "'mode: graph' cannot be measured with " + device.backend +
                       ", which launches nothing from a graph",
                   "'mode: stream' can"});
  }
  if (measure.cache == CacheState::kRotate && !device.can(kRotatesBuffers)) {
    out.push_back({measure.cache_where,
                   "'cache: rotate' cannot be measured with " + device.backend +
                       ", which always launches on the same buffers",
                   "'cache: cold' and 'cache: hot' can"});
  }
  return out;
}

// Every configuration of a small space, an even sample of a large one. Whether these are all.
template <class Look>
bool look_around(const SearchSpace& space, Look look) {
  const ConfigIndex step = space.size() / kMaxLooks + (space.size() % kMaxLooks != 0 ? 1 : 0);
  for (ConfigIndex index = 0; index < space.size(); index += step) {
    const Configuration configuration = space.configuration(index);
    look(configuration, space.bindings(configuration));
    if (space.size() - index <= step) break;  // the next index could overflow
  }
  return step <= 1;
}

}  // namespace

GeometryReport check_options(const Study& study, const SearchSpace& space, const ProblemSize& size,
                             const DeviceFacts& device) {
  const auto depends = [](const std::string& text) { return text.find('{') != std::string::npos; };
  if (std::ranges::none_of(study.kernel.options, depends)) return {};
  const Bindings facts = facts_of(size, device);
  std::map<std::string, std::uint64_t> faults;
  std::uint64_t looks = 0;
  std::uint64_t healthy = 0;
  const bool all = look_around(space, [&](const Configuration&, Bindings names) {
    ++looks;
    names.insert(facts.begin(), facts.end());
    const auto options = resolved_options(study, names);
    if (options) ++healthy;
    if (!options) ++faults[options.error()];
  });
  std::vector<Complaint> found;
  for (const auto& [fault, count] : faults) {
    found.push_back({study.kernel.where,
                     fault + ", for " + std::to_string(count) + " of the " + std::to_string(looks) +
                         " configurations" + (all ? "" : " looked at"),
                     ""});
  }
  if (healthy == 0) return {std::move(found), {}};
  return {{}, std::move(found)};
}

GeometryReport check_geometry(const Study& study, const SearchSpace& space, const ProblemSize& size,
                              const DeviceFacts& device) {
  if (!study.is_runnable() || space.size() == 0) return {};
  std::vector<Complaint> unable = check_abilities(study.measure, device);
  if (!unable.empty()) return {std::move(unable), {}};
  GeometryCheck check(study, device, facts_of(size, device));
  const bool all = look_around(space, [&](const Configuration& configuration, Bindings names) {
    check.look(configuration, std::move(names));
  });
  return {check.complaints(all), check.warnings(all)};
}

std::vector<Complaint> check_not_empty(const Study& study, const SearchSpace& space) {
  if (space.size() > 0) return {};
  const std::vector<ConstraintReport>& reports = space.constraint_reports();
  const auto strictest = std::max_element(reports.begin(), reports.end(),
                                          [](const ConstraintReport& a, const ConstraintReport& b) {
                                            return a.removed_fraction < b.removed_fraction;
                                          });
  if (strictest == reports.end()) {
    return {{study.kernel.where, "the search space is empty", ""}};
  }
  if (strictest->removed_fraction < 1) {
    return {{strictest->where,
             "no configuration satisfies all constraints; this one alone removes " +
                 std::to_string(std::lround(strictest->removed_fraction * 100)) + "% of them",
             ""}};
  }
  const std::string reason =
      strictest->errors > 0 ? " (" + strictest->first_error + ")" : std::string();
  return {{strictest->where, "no configuration satisfies this constraint" + reason, ""}};
}

}  // namespace tuner
