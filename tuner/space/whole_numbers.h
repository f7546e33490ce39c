#pragma once
// Which expressions of a definition are integers, whatever the configuration: these have bits.

#include <optional>
#include <vector>

#include "tuner/space/name_table.h"

namespace tuner::detail {

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
