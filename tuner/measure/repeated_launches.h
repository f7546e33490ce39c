#pragma once
// More launches of a variant that was timed: some kernels are wrong now and then only, or with
// another order of threads, or leave other bits each time. One that keeps answers from one launch
// to the next, or that knows them, is right for the inputs that it has seen and wrong for others.

#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/measure/device_buffers.h"
#include "tuner/measure/session.h"
#include "tuner/ports/backend.h"

namespace tuner {

// For what may win: some launches in the usual order of threads, then two in others, where the
// backend can choose it.
std::optional<Verdict> wrong_now_and_then(Session& session, Admitted& admitted);

// Compares several launches' outputs bit by bit, other orders of threads among them, because a GPU
// chooses its own. The verdict is `ok` where all are the same; nothing: there is no room for
// copies.
std::optional<Verdict> compare_bits(Session& session, const Admitted& admitted);

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
// that does not fit into memory, or for which the reference itself has no answer, is left out, and
// so are random sets where all of them were looked at on as many while they were timed.
std::optional<WrongElsewhere> wrong_elsewhere(Session& session, const std::vector<Timed>& timed);

}  // namespace tuner
