#pragma once
// The meanings of the names in a definition's expressions, and which of these expressions are
// integers.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/expression/expression_tree.h"
#include "tuner/space/search_space.h"

namespace tuner::detail {

// Whether values are integers in ascending order. Then no value is there twice, which nobody needs
// to check: a range may have a million.
bool are_ascending_integers(const std::vector<Value>& values);

struct Meaning {
  enum class Kind : std::uint8_t { kParameter, kDerived, kFact };
  Kind kind = Kind::kFact;
  std::uint32_t index = 0;  // of the parameter or derived expression
  const Value* fact = nullptr;
};

// Checks a definition and resolves every name once. The definition must outlive it, in place.
class NameTable {
 public:
  // Throws InputError with every complaint: unknown or doubled names, no values, equal values.
  explicit NameTable(const SpaceDefinition& definition);

  const Meaning& meaning(const Expression& expression, std::size_t name) const {
    return meanings_.find(&expression)->second[name];
  }

  // Parameters and derived expressions that a node depends on, also indirectly; ascending.
  struct Dependencies {
    std::vector<std::uint32_t> parameters;
    std::vector<std::uint32_t> derived;
  };
  Dependencies dependencies(const Expression& expression, const ExpressionNode& node) const;

 private:
  std::unordered_map<const Expression*, std::vector<Meaning>> meanings_;
  std::vector<Dependencies> of_derived_;
};

// Values of names for one configuration after another, for the tree evaluator.
class ConfigurationNames : public NameSource {
 public:
  ConfigurationNames(const SpaceDefinition& definition, const NameTable& table);

  // Binds parameters[i] to its value at positions[i], then evaluates the derived expressions.
  // Derived expressions that fail have no value.
  void bind(const NameTable::Dependencies& used, std::span<const std::uint32_t> positions);

  const Value* find(const Expression& expression, std::size_t name) const override;

 private:
  const SpaceDefinition& definition_;
  const NameTable& table_;
  std::vector<const Value*> parameters_;
  std::vector<Value> derived_;
  std::vector<bool> has_derived_;
};

// ---- whole numbers ------------------------------------------------------------------------------

class WholeNumbers {
 public:
  WholeNumbers(const SpaceDefinition& definition, const NameTable& names)
      : definition_(definition), names_(names), derived_(definition.derived.size()) {}

  // Whether the value, if there is one, is an integer or a boolean and never a float.
  bool is_whole(const Expression& expression, const ExpressionNode& node);

 private:
  const SpaceDefinition& definition_;
  const NameTable& names_;
  std::vector<std::optional<bool>> derived_;  // what is known already
};

}  // namespace tuner::detail
