// Parameters that are free only where a condition holds: {values: [..], when: .., otherwise: ..}.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tuner/study/sections.h"

namespace tuner {
namespace {

enum class ValueKind { kNumber, kBool, kText };

ValueKind kind_of_value(const Value& value) {
  if (std::holds_alternative<std::string>(value)) return ValueKind::kText;
  return std::holds_alternative<bool>(value) ? ValueKind::kBool : ValueKind::kNumber;
}

constexpr const char* kKindNames[] = {"numbers", "booleans", "text"};

// Each becomes a constraint, of which the space makes no more states than of a value that is fixed.
class WhenReader {
 public:
  explicit WhenReader(Reader& reader) : reader_(reader) {}

  void read(const YamlNode& parameters) {
    std::size_t place = 0;
    for (const auto& [key, node] : parameters.entries) {
      if (place >= reader_.study.parameters.size()) return;  // there were too many values
      Parameter& parameter = reader_.study.parameters[place++];
      if (node->is_map()) read_one(parameter, *node);
    }
    refuse_cycles();
  }

 private:
  void read_one(Parameter& parameter, const YamlNode& node) {
    const YamlNode* when = node.value_of("when");
    const YamlNode* otherwise = node.value_of("otherwise");
    if (when == nullptr && otherwise == nullptr) return;
    const YamlNode& given = when != nullptr ? *when : *otherwise;
    if (when == nullptr || otherwise == nullptr) {
      given.error("'when' and 'otherwise' of '" + parameter.name +
                  "' belong together: the value where it is not free");
      return;
    }
    const Expression condition = reader_.names.read(
        *when, "'when'", kSizeName | kDeviceFact | kParameterName, "'when' of a parameter");
    const auto value = read_value(*otherwise, "'otherwise'");
    if (condition.empty() || !value || parameter.values.empty()) return;
    conditions_.emplace_back(parameter.name, condition);
    const ValueKind kind = kind_of_value(parameter.values.front());
    if (kind_of_value(*value) != kind) {
      otherwise->error(fmt::format("'otherwise' of '{}' is {}, and its values are {}",
                                   parameter.name, otherwise->text,
                                   kKindNames[static_cast<std::size_t>(kind)]));
      return;
    }
    constrain(parameter, condition, *value);
  }

  void constrain(Parameter& parameter, const Expression& condition, const Value& otherwise) {
    const auto own = value_among(parameter, otherwise);
    const std::string pinned = parameter.name + " == " + to_literal(own.value_or(otherwise));
    std::string rule = fmt::format("({}) or {}", condition.text(), pinned);
    if (!own) {
      rule = fmt::format("({0}) and not {1} or not ({0}) and {1}", condition.text(), pinned);
      insert(parameter, otherwise);
    }
    if (auto parsed = Expression::parse(rule, condition.origin())) {
      reader_.study.constraints.push_back(std::move(*parsed));
    } else {
      reader_.error(condition.origin(), "'when' is too long for a condition");
    }
  }

  // Numbers that ascend still do.
  static void insert(Parameter& parameter, const Value& value) {
    std::vector<Value>& all = parameter.values;
    auto at = all.end();
    if (parameter.ordered() && std::ranges::is_sorted(all, {}, to_number)) {
      at = std::ranges::upper_bound(all, to_number(value), {}, to_number);
    }
    all.insert(at, value);
  }

  // A parameter whose freedom would depend on its own value.
  void refuse_cycles() {
    for (const auto& [name, condition] : conditions_) {
      std::vector<std::string> path{name};
      if (!leads_back(condition, path)) continue;
      reader_.error(condition.origin(),
                    path.size() == 1
                        ? "'when' of '" + name + "' cannot depend on '" + name + "' itself"
                        : "whether '" + name + "' is used depends on itself: " +
                              fmt::format("{}", fmt::join(path, " depends on ")) + " depends on " +
                              name);
      return;
    }
  }

  bool leads_back(const Expression& condition, std::vector<std::string>& path) const {
    for (const std::string& name : condition.names()) {
      if (name == path.front()) return true;
      const auto next = std::ranges::find(conditions_, name, &Named::first);
      if (next == conditions_.end() || std::ranges::find(path, name) != path.end()) continue;
      path.push_back(name);
      if (leads_back(next->second, path)) return true;
      path.pop_back();
    }
    return false;
  }

  using Named = std::pair<std::string, Expression>;
  Reader& reader_;
  std::vector<Named> conditions_;
};

}  // namespace

void read_conditions(Reader& reader, const YamlNode& parameters) {
  WhenReader(reader).read(parameters);
}

}  // namespace tuner
