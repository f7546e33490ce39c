// Resolves the names of a definition's expressions to parameters, facts and derived values.

#include "tuner/space/name_table.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "tuner/expression/expression_tree.h"

namespace tuner::detail {
namespace {

// Equal exactly for values that same_value() calls equal.
std::string identity(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + *text;
  if (const auto* number = std::get_if<double>(&value)) {
    if (*number == std::floor(*number) && std::fabs(*number) < 0x1p63) {
      return std::to_string(static_cast<std::int64_t>(*number));
    }
    return to_text(value);
  }
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  return to_text(value);
}

void check_values(const Parameter& parameter, std::vector<Complaint>& complaints) {
  if (parameter.values.empty()) {
    complaints.push_back({parameter.where, "parameter '" + parameter.name + "' has no values", ""});
  }
  if (detail::are_ascending_integers(parameter.values)) return;
  std::unordered_set<std::string> seen;
  for (const Value& value : parameter.values) {
    const auto* number = std::get_if<double>(&value);
    if (number != nullptr && std::isnan(*number)) {
      complaints.push_back({parameter.where,
                            "parameter '" + parameter.name + "' has a value that is no number",
                            ""});
    }
    if (!seen.insert(identity(value)).second) {
      complaints.push_back(
          {parameter.where,
           "parameter '" + parameter.name + "' has the value " + to_text(value) + " more than once",
           "remove the repeated value"});
    }
  }
}

void merge(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& more) {
  into.insert(into.end(), more.begin(), more.end());
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

// Gathers complaints while names are introduced in order.
class Resolver {
 public:
  explicit Resolver(const SpaceDefinition& definition) {
    for (const auto& [name, value] : definition.facts) {
      known_.emplace(name, Meaning{Meaning::Kind::kFact, 0, &value});
    }
  }

  void introduce(const std::string& name, Meaning meaning, const Position& where,
                 const char* what) {
    const auto [place, fresh] = known_.emplace(name, meaning);
    if (fresh) return;
    const char* other = place->second.kind == Meaning::Kind::kParameter ? "a parameter"
                        : place->second.kind == Meaning::Kind::kDerived
                            ? "a derived expression"
                            : "a problem size or device fact";
    complaints.push_back({where, std::string(what) + " '" + name + "' has the name of " + other,
                          "choose another name"});
  }

  std::vector<Meaning> resolve(const Expression& expression) {
    std::vector<Meaning> all;
    for (std::size_t i = 0; i < expression.names().size(); ++i) {
      const auto found = known_.find(expression.names()[i]);
      if (found != known_.end()) {
        all.push_back(found->second);
      } else {
        all.emplace_back();
        complain_unknown(expression, i);
      }
    }
    return all;
  }

  std::vector<Complaint> complaints;

 private:
  void complain_unknown(const Expression& expression, std::size_t i) {
    const std::string& name = expression.names()[i];
    std::vector<std::string> names;
    for (const auto& [known, meaning] : known_) names.emplace_back(known);
    std::sort(names.begin(), names.end());
    Position where = expression.origin();
    std::string context;
    if (where.line > 0) {
      where.column = std::max(1, where.column) + static_cast<int>(expression.name_offsets()[i]);
    } else {
      context = " in '" + expression.text() + "'";
    }
    complaints.push_back({std::move(where),
                          "'" + name +
                              "' is neither a parameter, a derived expression, a problem "
                              "size nor a device fact" +
                              context,
                          did_you_mean(name, names)});
  }

  std::unordered_map<std::string_view, Meaning> known_;
};

}  // namespace

bool are_ascending_integers(const std::vector<Value>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* number = std::get_if<std::int64_t>(&values[i]);
    if (number == nullptr) return false;
    if (i > 0 && *number <= std::get<std::int64_t>(values[i - 1])) return false;
  }
  return true;
}

NameTable::NameTable(const SpaceDefinition& definition) {
  Resolver resolver(definition);
  for (std::uint32_t p = 0; p < definition.parameters.size(); ++p) {
    const Parameter& parameter = definition.parameters[p];
    resolver.introduce(parameter.name, {Meaning::Kind::kParameter, p, nullptr}, parameter.where,
                       "the parameter");
    check_values(parameter, resolver.complaints);
  }
  for (std::uint32_t d = 0; d < definition.derived.size(); ++d) {
    const NamedExpression& derived = definition.derived[d];
    meanings_[&derived.expression] = resolver.resolve(derived.expression);
    resolver.introduce(derived.name, {Meaning::Kind::kDerived, d, nullptr},
                       derived.expression.origin(), "the derived expression");
    if (!resolver.complaints.empty()) continue;
    const ExpressionNode* root = derived.expression.root();
    of_derived_.push_back(root != nullptr ? dependencies(derived.expression, *root)
                                          : Dependencies{});
  }
  for (const Expression& constraint : definition.constraints) {
    meanings_[&constraint] = resolver.resolve(constraint);
  }
  if (!resolver.complaints.empty()) throw InputError(std::move(resolver.complaints), "");
}

NameTable::Dependencies NameTable::dependencies(const Expression& expression,
                                                const ExpressionNode& node) const {
  Dependencies all;
  for (const auto& child : node.children) {
    const Dependencies more = dependencies(expression, *child);
    merge(all.parameters, more.parameters);
    merge(all.derived, more.derived);
  }
  if (node.op != Op::kName) return all;
  const Meaning& meaning = this->meaning(expression, node.name);
  if (meaning.kind == Meaning::Kind::kParameter) return {{meaning.index}, {}};
  if (meaning.kind == Meaning::Kind::kDerived) {
    all = of_derived_[meaning.index];
    merge(all.derived, {meaning.index});
  }
  return all;
}

ConfigurationNames::ConfigurationNames(const SpaceDefinition& definition, const NameTable& table)
    : definition_(definition),
      table_(table),
      parameters_(definition.parameters.size(), nullptr),
      derived_(definition.derived.size()),
      has_derived_(definition.derived.size(), false) {}

void ConfigurationNames::bind(const NameTable::Dependencies& used,
                              std::span<const std::uint32_t> positions) {
  for (std::size_t i = 0; i < used.parameters.size(); ++i) {
    const std::uint32_t p = used.parameters[i];
    parameters_[p] = &definition_.parameters[p].values[positions[i]];
  }
  EvaluationError ignored;
  for (std::uint32_t d : used.derived) {
    const Expression& expression = definition_.derived[d].expression;
    has_derived_[d] = !expression.empty() &&
                      evaluate_tree(expression, *expression.root(), *this, derived_[d], ignored);
  }
}

const Value* ConfigurationNames::find(const Expression& expression, std::size_t name) const {
  const Meaning& meaning = table_.meaning(expression, name);
  if (meaning.kind == Meaning::Kind::kParameter) return parameters_[meaning.index];
  if (meaning.kind == Meaning::Kind::kFact) return meaning.fact;
  return has_derived_[meaning.index] ? &derived_[meaning.index] : nullptr;
}

// ---- whole numbers ------------------------------------------------------------------------------

bool WholeNumbers::is_whole(const Expression& expression, const ExpressionNode& node) {
  const auto integer = [](const Value& value) {
    return std::holds_alternative<bool>(value) || std::holds_alternative<std::int64_t>(value);
  };
  switch (node.op) {
    case Op::kConstant:
      return integer(node.value);
    case Op::kName: {
      const Meaning& meaning = names_.meaning(expression, node.name);
      if (meaning.kind == Meaning::Kind::kFact) return integer(*meaning.fact);
      if (meaning.kind == Meaning::Kind::kParameter) {
        return std::ranges::all_of(definition_.parameters[meaning.index].values, integer);
      }
      std::optional<bool>& known = derived_[meaning.index];
      const Expression& derived = definition_.derived[meaning.index].expression;
      if (!known) known = !derived.empty() && is_whole(derived, *derived.root());
      return *known;
    }
    case Op::kDivide:
    case Op::kFloat:
    case Op::kLog2:
    case Op::kLog:
    case Op::kExp:
    case Op::kSqrt:
      return false;
    case Op::kCompare:
    case Op::kNot:
    case Op::kCeil:
    case Op::kFloor:
    case Op::kInt:
    case Op::kRound:
    case Op::kCeilDiv:
    case Op::kInvert:
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
    case Op::kShiftLeft:
    case Op::kShiftRight:
      return true;
    default:  // as its operands; the condition of "if" does not matter
      return std::all_of(node.children.begin() + (node.op == Op::kIfElse ? 1 : 0),
                         node.children.end(),
                         [&](const auto& child) { return is_whole(expression, *child); });
  }
}

}  // namespace tuner::detail
