#pragma once
// A second look at answers: a kernel that keeps them from one launch to the next, or that knows
// them, is right for the inputs that it has seen and wrong for others.

#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/engine/session.h"
#include "tuner/engine/workspace.h"

namespace tuner {

// One that was admitted and timed.
struct Timed {
  const VariantPlan* variant;
  Admitted* admitted;
};

struct WrongElsewhere {
  std::size_t which = 0;  // of those given
  Verdict verdict;
};

// Launches each once on every other set of inputs and compares the answers with the reference's for
// them; the first that is wrong, or nothing. The inputs are the first set again afterwards. A set
// that does not fit into memory, or for which the reference itself has no answer, is left out.
std::optional<WrongElsewhere> wrong_elsewhere(Session& session, Workspace& workspace,
                                              const std::vector<Timed>& timed);

}  // namespace tuner
