// Looks up values in the lists of a study, and checks its constraints.

#include "tuner/resolve/membership.h"

#include <algorithm>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/expression/expression_tree.h"

namespace tuner {
namespace {

bool uses_device(const Expression& expression, const std::set<std::string>& of_device) {
  return std::ranges::any_of(expression.names(), [&](const std::string& name) {
    return name.starts_with("device.") || of_device.contains(name);
  });
}

}  // namespace

// Numbers before text; equal where same_value() says so.
bool Membership::Earlier::operator()(const Value& a, const Value& b) const {
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  if (left != nullptr && right != nullptr) return *left < *right;
  if (left != nullptr || right != nullptr) return right != nullptr;
  return std::is_lt(detail::compare_numbers(a, b));
}

Membership::Membership(const Study& study) : study_(study) {
  for (const Parameter& one : study.parameters) {
    values_.emplace_back(one.values.begin(), one.values.end());
  }
  for (const NamedExpression& one : study.derived) {
    if (uses_device(one.expression, of_device_)) of_device_.insert(one.name);
  }
}

bool Membership::has(const Configuration& configuration, const Bindings& names,
                     bool device_known) const {
  if (configuration.size() != values_.size()) return false;
  for (std::size_t p = 0; p < values_.size(); ++p) {
    if (!values_[p].contains(configuration[p])) return false;
  }
  return std::ranges::all_of(study_.constraints, [&](const Expression& rule) {
    if (!device_known && uses_device(rule, of_device_)) return true;
    const auto value = rule.evaluate(names);
    return value && truth(*value);
  });
}

std::optional<SearchSpace> Membership::space_for(std::size_t count, Bindings facts,
                                                 bool device_known) const {
  constexpr double kMuch = 1e8;  // characters of rules: some tenths of a second
  BuildOptions options;
  options.memory_limit = std::size_t{256} << 20;
  double characters = 0;
  for (const Expression& rule : study_.constraints) {
    if (!device_known && uses_device(rule, of_device_)) return std::nullopt;
    characters += static_cast<double>(rule.text().size());
  }
  if (characters * static_cast<double>(count) < kMuch) return std::nullopt;
  try {
    return SearchSpace::build(
        {study_.parameters, study_.derived, study_.constraints, std::move(facts)}, options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string Membership::digest() const {
  Hasher hasher;
  for (const Parameter& one : study_.parameters) {
    hasher.add(one.name).add(std::uint64_t{one.values.size()});
    for (const Value& value : one.values) hasher.add(to_literal(value));
  }
  for (const NamedExpression& one : study_.derived) {
    hasher.add(one.name).add(one.expression.text());
  }
  for (const Expression& one : study_.constraints) hasher.add(one.text());
  return to_hex(hasher.digest());
}

}  // namespace tuner
