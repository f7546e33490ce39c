// Evaluates again what has changed from one configuration to the next.

#include "tuner/resolve/names_at.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tuner/expression/expression_tree.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

// Whether no expression tells them apart: 0.0 and -0.0 are equal, but not the same.
bool is_same(const Value& a, const Value& b) {
  const auto* left = std::get_if<double>(&a);
  const auto* right = std::get_if<double>(&b);
  if (left == nullptr || right == nullptr) return a == b;
  return std::bit_cast<std::uint64_t>(*left) == std::bit_cast<std::uint64_t>(*right);
}

}  // namespace

class NamesAt::ValuesOfRule final : public detail::NameSource {
 public:
  ValuesOfRule(const NamesAt& all, const Rule& rule) : all_(all), rule_(rule) {}
  const Value* find(const Expression& /*expression*/, std::size_t name) const override {
    const Reference& one = rule_.names[name];
    if (one.place == Reference::kNone) return one.fact;
    const Place& place = all_.places_[one.place];
    return place.absent.empty() ? &place.at->second : nullptr;
  }

 private:
  const NamesAt& all_;
  const Rule& rule_;
};

NamesAt::NamesAt(const Study& study, const DeviceFacts& device, const ProblemSize& size)
    : names_(facts_of(size, device)), parameters_(study.parameters.size()) {
  std::map<std::string_view, std::size_t> known;
  const auto add = [&](const std::string& name) {
    known[name] = places_.size();
    places_.push_back({names_.try_emplace(name).first});
  };
  for (const Parameter& one : study.parameters) add(one.name);
  for (const NamedExpression& one : study.derived) {
    derived_.push_back(rule_of(one.expression, known));  // may name those before it
    add(one.name);
  }
  for (const Expression& one : study.constraints) constraints_.push_back(rule_of(one, known));
  for (const Expression& one : study.only) conditions_.push_back(rule_of(one, known));
}

NamesAt::Rule NamesAt::rule_of(const Expression& expression,
                               const std::map<std::string_view, std::size_t>& known) const {
  Rule rule{&expression};
  for (const std::string& name : expression.names()) {
    Reference& added = rule.names.emplace_back();
    const auto place = known.find(name);
    const auto fact = names_.find(name);
    if (place != known.end()) {
      added.place = place->second;
    } else if (fact != names_.end()) {
      added.fact = &fact->second;
    }
  }
  return rule;
}

void NamesAt::bind(const Configuration& configuration) {
  ++now_;
  for (std::size_t p = 0; p < parameters_; ++p) {
    Place& place = places_[p];
    const Value& value = configuration.at(p);
    if (place.changed > 0 && is_same(place.at->second, value)) continue;
    place.at->second = value;
    place.changed = now_;
  }
}

// Whether something that the rule names has changed since it was evaluated.
bool NamesAt::is_stale(const Rule& rule) {
  bool stale = rule.evaluated == 0;
  for (const Reference& one : rule.names) {
    if (one.place == Reference::kNone) continue;
    if (one.place >= parameters_) look_at(one.place);
    stale = stale || places_[one.place].changed > rule.evaluated;
  }
  return stale;
}

// False where it has no value.
bool NamesAt::evaluate(Rule& rule, Value& out) const {
  rule.evaluated = now_;
  const Expression& expression = *rule.expression;
  EvaluationError ignored;
  return !expression.empty() && detail::evaluate_tree(expression, *expression.root(),
                                                      ValuesOfRule(*this, rule), out, ignored);
}

// Brings a derived name up to date.
void NamesAt::look_at(std::size_t at) {
  Place& place = places_[at];
  if (place.looked_at == now_) return;
  place.looked_at = now_;
  Rule& rule = derived_[at - parameters_];
  if (!is_stale(rule)) return;
  Value value;
  const bool has_value = evaluate(rule, value);
  const bool had_one = place.absent.empty();
  if (!has_value && !had_one) return;
  if (has_value && had_one && place.changed > 0 && is_same(place.at->second, value)) return;
  place.changed = now_;
  if (!has_value) {
    place.absent = names_.extract(place.at);
    return;
  }
  if (!had_one) place.at = names_.insert(std::move(place.absent)).position;
  place.at->second = std::move(value);
}

const Bindings& NamesAt::of(const Configuration& configuration) {
  bind(configuration);
  for (std::size_t at = parameters_; at < places_.size(); ++at) look_at(at);
  return names_;
}

bool NamesAt::holds(Rule& rule) {
  if (!is_stale(rule)) return rule.holds;
  Value value;
  rule.holds = evaluate(rule, value) && truth(value);
  return rule.holds;
}

bool NamesAt::hold_constraints(const Configuration& configuration) {
  bind(configuration);
  return std::ranges::all_of(constraints_, [&](Rule& rule) { return holds(rule); });
}

bool NamesAt::hold(const Configuration& configuration) {
  return hold_constraints(configuration) &&
         std::ranges::all_of(conditions_, [&](Rule& rule) { return holds(rule); });
}

}  // namespace tuner
