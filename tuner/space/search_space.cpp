#include "tuner/space/search_space.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "tuner/base/hash.h"

namespace tuner {
namespace {

using boost::multiprecision::cpp_int;
constexpr ConfigIndex kMaxIndex = ~ConfigIndex{0};

struct Edge {
  std::uint32_t position;
  std::uint32_t child;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

struct Node {
  std::vector<Edge> edges;
  std::vector<ConfigIndex> before;  // configurations below earlier edges
  ConfigIndex count = 0;
};

ConfigIndex saturating_add(ConfigIndex a, ConfigIndex b) {
  return a > kMaxIndex - b ? kMaxIndex : a + b;
}
ConfigIndex saturating_multiply(ConfigIndex a, ConfigIndex b) {
  return b != 0 && a > kMaxIndex / b ? kMaxIndex : a * b;
}

struct Rule {
  const Expression* expression;
  std::vector<std::uint32_t> parameters;  // that it depends on, through derived names too
};

// One set of parameters tied by constraints; nodes by level, the root is nodes[0].back().
struct Group {
  std::vector<std::uint32_t> parameters;
  std::vector<std::vector<Node>> levels;
  ConfigIndex count = 0;
  cpp_int exact = 0;
};

}  // namespace

struct SearchSpace::Impl {
  SpaceDefinition definition;
  SpaceReport report;
  std::vector<Group> groups;
  std::vector<Rule> rules;
  ConfigIndex size = 0;
  mutable std::once_flag reported;
  mutable std::vector<ConstraintReport> constraint_reports;

  void check();
  void analyse();
  void build_group(Group& group, const BuildOptions& options);
  std::optional<std::uint32_t> expand(Group& group, std::size_t level, Bindings& names,
                                      std::vector<std::map<std::vector<Edge>, std::uint32_t>>& seen,
                                      const BuildOptions& options);
  bool holds(const Rule& rule, const Bindings& names) const;
  void bind_derived(Bindings& names) const;
};

void SearchSpace::Impl::check() {
  std::vector<Complaint> complaints;
  std::vector<std::string> known;
  for (const auto& [name, value] : definition.facts) known.push_back(name);
  const auto introduce = [&](const std::string& name, const Position& where) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      complaints.push_back({where, "the name '" + name + "' is used twice", ""});
    }
    known.push_back(name);
  };
  const auto check_names = [&](const Expression& expression) {
    for (std::size_t i = 0; i < expression.names().size(); ++i) {
      const std::string& name = expression.names()[i];
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      Position where = expression.origin();
      where.column += static_cast<int>(expression.name_offsets()[i]);
      complaints.push_back({where, "unknown name '" + name + "'", did_you_mean(name, known)});
    }
  };
  for (const Parameter& parameter : definition.parameters) {
    introduce(parameter.name, parameter.where);
    if (parameter.values.empty()) {
      complaints.push_back(
          {parameter.where, "parameter '" + parameter.name + "' has no values", ""});
    }
  }
  for (const NamedExpression& derived : definition.derived) {
    check_names(derived.expression);
    introduce(derived.name, derived.expression.origin());
  }
  for (const Expression& constraint : definition.constraints) check_names(constraint);
  if (!complaints.empty()) throw InputError(std::move(complaints), "");
}

void SearchSpace::Impl::analyse() {
  std::map<std::string, std::set<std::uint32_t>, std::less<>> uses;
  for (std::uint32_t p = 0; p < definition.parameters.size(); ++p) {
    uses[definition.parameters[p].name] = {p};
  }
  const auto used_by = [&](const Expression& expression) {
    std::set<std::uint32_t> all;
    for (const std::string& name : expression.names()) {
      const auto found = uses.find(name);
      if (found != uses.end()) all.insert(found->second.begin(), found->second.end());
    }
    return all;
  };
  for (const NamedExpression& derived : definition.derived) {
    uses[derived.name] = used_by(derived.expression);
  }
  std::vector<std::uint32_t> leader(definition.parameters.size());
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&](std::uint32_t p) {
    while (leader[p] != p) p = leader[p];
    return p;
  };
  for (const Expression& constraint : definition.constraints) {
    const auto used = used_by(constraint);
    rules.push_back({&constraint, {used.begin(), used.end()}});
    for (std::uint32_t p : used) {
      const auto [low, high] = std::minmax({find(p), find(*used.begin())});
      leader[high] = low;
    }
  }
  std::map<std::uint32_t, std::size_t> group_of;
  for (std::uint32_t p = 0; p < leader.size(); ++p) {
    const auto [place, fresh] = group_of.emplace(find(p), groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].parameters.push_back(p);
  }
}

void SearchSpace::Impl::bind_derived(Bindings& names) const {
  for (const NamedExpression& derived : definition.derived) names.erase(derived.name);
  for (const NamedExpression& derived : definition.derived) {
    if (auto value = derived.expression.evaluate(names)) names[derived.name] = std::move(*value);
  }
}

bool SearchSpace::Impl::holds(const Rule& rule, const Bindings& names) const {
  const auto value = rule.expression->evaluate(names);
  return value && truth(*value);
}

std::optional<std::uint32_t> SearchSpace::Impl::expand(
    Group& group, std::size_t level, Bindings& names,
    std::vector<std::map<std::vector<Edge>, std::uint32_t>>& seen, const BuildOptions& options) {
  if (level == group.parameters.size()) return 0;
  if (options.cancelled && options.cancelled()) throw FatalError("building was cancelled");
  const std::uint32_t parameter = group.parameters[level];
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v < definition.parameters[parameter].values.size(); ++v) {
    names[definition.parameters[parameter].name] = definition.parameters[parameter].values[v];
    bind_derived(names);
    const bool valid = std::all_of(rules.begin(), rules.end(), [&](const Rule& rule) {
      return rule.parameters.empty() || rule.parameters.back() != parameter || holds(rule, names);
    });
    if (!valid) continue;
    if (const auto child = expand(group, level + 1, names, seen, options)) {
      edges.push_back({v, *child});
    }
  }
  names.erase(definition.parameters[parameter].name);
  if (edges.empty()) return std::nullopt;
  auto& nodes = group.levels[level];
  const auto [place, fresh] = seen[level].emplace(edges, static_cast<std::uint32_t>(nodes.size()));
  if (fresh) {
    Node node;
    for (const Edge& edge : edges) {
      node.before.push_back(node.count);
      const bool last = level + 1 == group.parameters.size();
      node.count = saturating_add(node.count, last ? 1 : group.levels[level + 1][edge.child].count);
    }
    node.edges = std::move(edges);
    nodes.push_back(std::move(node));
  }
  return place->second;
}

void SearchSpace::Impl::build_group(Group& group, const BuildOptions& options) {
  group.levels.resize(group.parameters.size());
  std::vector<std::map<std::vector<Edge>, std::uint32_t>> seen(group.parameters.size());
  Bindings names = definition.facts;
  expand(group, 0, names, seen, options);
  if (group.levels[0].empty()) return;
  group.count = group.levels[0].back().count;
  std::vector<cpp_int> below{1};
  for (std::size_t level = group.levels.size(); level-- > 0;) {
    std::vector<cpp_int> here;
    for (const Node& node : group.levels[level]) {
      cpp_int sum = 0;
      for (const Edge& edge : node.edges) sum += below[edge.child];
      here.push_back(sum);
    }
    below = std::move(here);
  }
  group.exact = below.back();
}

SearchSpace::SearchSpace() : impl_(std::make_unique<Impl>()) {}
SearchSpace::SearchSpace(SearchSpace&&) noexcept = default;
SearchSpace& SearchSpace::operator=(SearchSpace&&) noexcept = default;
SearchSpace::~SearchSpace() = default;

SearchSpace SearchSpace::build(SpaceDefinition definition, const BuildOptions& options) {
  SearchSpace space;
  Impl& impl = *space.impl_;
  const auto start = std::chrono::steady_clock::now();
  impl.definition = std::move(definition);
  impl.check();
  impl.analyse();
  cpp_int cartesian = 1;
  cpp_int valid = 1;
  for (const Parameter& p : impl.definition.parameters) cartesian *= p.values.size();
  impl.size = 1;
  for (const Rule& rule : impl.rules) {
    Bindings names = impl.definition.facts;
    impl.bind_derived(names);
    if (rule.parameters.empty() && !impl.holds(rule, names)) {
      impl.size = 0;
      valid = 0;
    }
  }
  for (Group& group : impl.groups) {
    impl.build_group(group, options);
    impl.size = saturating_multiply(impl.size, group.count);
    valid *= group.exact;
    impl.report.groups.emplace_back();
    for (std::uint32_t p : group.parameters) {
      impl.report.groups.back().push_back(impl.definition.parameters[p].name);
    }
  }
  impl.report.cartesian = cartesian.str();
  impl.report.valid = valid.str();
  impl.report.build_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return space;
}

const SpaceDefinition& SearchSpace::definition() const { return impl_->definition; }
const std::vector<Parameter>& SearchSpace::parameters() const {
  return impl_->definition.parameters;
}
const SpaceReport& SearchSpace::report() const { return impl_->report; }
ConfigIndex SearchSpace::size() const { return impl_->size; }

const std::vector<ConstraintReport>& SearchSpace::constraint_reports() const {
  std::call_once(impl_->reported, [&] {
    for (const Rule& rule : impl_->rules) {
      ConstraintReport report;
      report.text = rule.expression->text();
      report.where = rule.expression->origin();
      std::uint64_t state = 1;
      const int samples = 2000;
      int removed = 0;
      for (int i = 0; i < samples; ++i) {
        Bindings names = impl_->definition.facts;
        for (std::uint32_t p : rule.parameters) {
          const Parameter& parameter = impl_->definition.parameters[p];
          state = splitmix64(state);
          names[parameter.name] = parameter.values[state % parameter.values.size()];
        }
        impl_->bind_derived(names);
        const auto value = rule.expression->evaluate(names);
        if (!value && report.errors++ == 0) report.first_error = value.error().message;
        if (!value || !truth(*value)) ++removed;
      }
      report.exact = false;
      report.removed_fraction = static_cast<double>(removed) / samples;
      report.removed = cpp_int(cpp_int(impl_->report.cartesian) * removed / samples).str();
      impl_->constraint_reports.push_back(std::move(report));
    }
  });
  return impl_->constraint_reports;
}

void SearchSpace::positions(ConfigIndex index, std::span<std::uint32_t> out) const {
  for (std::size_t g = impl_->groups.size(); g-- > 0;) {
    const Group& group = impl_->groups[g];
    ConfigIndex rest = index % group.count;
    index /= group.count;
    std::uint32_t node = static_cast<std::uint32_t>(group.levels[0].size() - 1);
    for (std::size_t level = 0; level < group.levels.size(); ++level) {
      const Node& here = group.levels[level][node];
      const auto after = std::upper_bound(here.before.begin(), here.before.end(), rest);
      const auto edge = static_cast<std::size_t>(after - here.before.begin()) - 1;
      rest -= here.before[edge];
      out[group.parameters[level]] = here.edges[edge].position;
      node = here.edges[edge].child;
    }
  }
}

Configuration SearchSpace::configuration(ConfigIndex index) const {
  std::vector<std::uint32_t> places(parameters().size());
  positions(index, places);
  Configuration out;
  for (std::size_t p = 0; p < places.size(); ++p) out.push_back(parameters()[p].values[places[p]]);
  return out;
}

std::optional<ConfigIndex> SearchSpace::index_of(std::span<const std::uint32_t> places) const {
  if (size() == 0 || places.size() != parameters().size()) return std::nullopt;
  ConfigIndex index = 0;
  for (const Group& group : impl_->groups) {
    ConfigIndex digit = 0;
    std::uint32_t node = static_cast<std::uint32_t>(group.levels[0].size() - 1);
    for (std::size_t level = 0; level < group.levels.size(); ++level) {
      const Node& here = group.levels[level][node];
      const auto edge = std::lower_bound(
          here.edges.begin(), here.edges.end(), places[group.parameters[level]],
          [](const Edge& e, std::uint32_t position) { return e.position < position; });
      if (edge == here.edges.end() || edge->position != places[group.parameters[level]]) {
        return std::nullopt;
      }
      digit += here.before[static_cast<std::size_t>(edge - here.edges.begin())];
      node = edge->child;
    }
    index = index * group.count + digit;
  }
  return index;
}

std::optional<ConfigIndex> SearchSpace::index_of(const Configuration& configuration) const {
  if (configuration.size() != parameters().size()) return std::nullopt;
  std::vector<std::uint32_t> places;
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    const auto& values = parameters()[p].values;
    const auto found = std::find_if(values.begin(), values.end(), [&](const Value& value) {
      return same_value(value, configuration[p]);
    });
    if (found == values.end()) return std::nullopt;
    places.push_back(static_cast<std::uint32_t>(found - values.begin()));
  }
  return index_of(places);
}

void SearchSpace::neighbours(std::span<const std::uint32_t> places, Neighbourhood kind,
                             std::vector<ConfigIndex>& out) const {
  out.clear();
  std::vector<std::uint32_t> changed(places.begin(), places.end());
  for (std::size_t p = 0; p < changed.size(); ++p) {
    const Parameter& parameter = parameters()[p];
    const bool stepwise = kind == Neighbourhood::kAdjacent && parameter.ordered();
    for (std::uint32_t v = 0; v < parameter.values.size(); ++v) {
      const bool next = v + 1 == places[p] || v == places[p] + 1;
      if (v == places[p] || (stepwise && !next)) continue;
      changed[p] = v;
      if (const auto index = index_of(changed)) out.push_back(*index);
    }
    changed[p] = places[p];
  }
}

Bindings SearchSpace::bindings(const Configuration& configuration) const {
  Bindings names = impl_->definition.facts;
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    names[parameters()[p].name] = configuration[p];
  }
  impl_->bind_derived(names);
  return names;
}

std::optional<std::uint64_t> SearchSpace::valid_hash() const {
  const cpp_int limit = cpp_int(1) << 64;
  if (cpp_int(impl_->report.cartesian) > limit) return std::nullopt;
  std::vector<std::uint32_t> places(parameters().size());
  std::uint64_t sum = 0;
  for (ConfigIndex index = 0; index < size(); ++index) {
    positions(index, places);
    std::uint64_t number = 0;
    for (std::size_t p = 0; p < places.size(); ++p) {
      number = number * parameters()[p].values.size() + places[p];
    }
    sum += splitmix64(number);
  }
  return sum;
}

std::string SearchSpace::digest() const {
  Hasher hasher;
  for (const Parameter& parameter : parameters()) {
    hasher.add(parameter.name).add(parameter.values.size());
    for (const Value& value : parameter.values) hasher.add(value.index()).add(to_text(value));
  }
  for (const auto& [name, value] : impl_->definition.facts) hasher.add(name).add(to_text(value));
  for (const auto& derived : impl_->definition.derived) {
    hasher.add(derived.name).add(derived.expression.text());
  }
  for (const Expression& constraint : impl_->definition.constraints) hasher.add(constraint.text());
  return to_hex(hasher.digest());
}

}  // namespace tuner
