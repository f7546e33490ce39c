#pragma once
// More launches of a variant that was timed: some kernels are wrong now and then only, or with
// another order of threads, or leave other bits each time.

#include <optional>

#include "tuner/engine/session.h"
#include "tuner/engine/workspace.h"
#include "tuner/ports/backend.h"

namespace tuner {

// For what may win: some launches in the usual order of threads, then two in others, where the
// backend can choose it.
std::optional<Verdict> wrong_now_and_then(Backend& backend, Session& session, Workspace& workspace,
                                          Admitted& admitted);

// Compares several launches' outputs bit by bit, other orders of threads among them, because a GPU
// chooses its own. The verdict is `ok` where all are the same; nothing: there is no room for
// copies.
std::optional<Verdict> compare_bits(Backend& backend, Session& session, Workspace& workspace,
                                    const Admitted& admitted);

}  // namespace tuner
