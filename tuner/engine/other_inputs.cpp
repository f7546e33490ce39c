// Compares answers on other inputs than those that were timed.

#include "tuner/engine/other_inputs.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/engine/input_sets.h"

namespace tuner {
namespace {

// Neither says anything of a variant: a reference without an answer, and no memory.
bool says_nothing(const DeviceFailure& failure) {
  return failure.error == DeviceError::kInvalid || failure.error == DeviceError::kOutOfMemory;
}

std::optional<WrongElsewhere> wrong_on_set(Session& session, Workspace& workspace,
                                           const std::vector<Timed>& timed, std::uint32_t set) {
  session.announce(Phase::kInputs);
  if (auto done = workspace.use_inputs(set); !done) {
    if (says_nothing(done.error())) return std::nullopt;
    return WrongElsewhere{0, verdict_of(done.error())};
  }
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (auto done = workspace.compute_answer(timed[i].variant->answer); !done) {
      if (says_nothing(done.error())) continue;
      return WrongElsewhere{i, verdict_of(done.error())};
    }
    auto wrong = session.verify_on_other_inputs(*timed[i].admitted);
    if (!wrong) continue;
    if (wrong->state == TrialState::kCorrectness) {
      wrong->message = fmt::format("right for one set of inputs, wrong for {}: {}",
                                   name_of_set(workspace.plan(), set), wrong->message);
    }
    return WrongElsewhere{i, std::move(*wrong)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<WrongElsewhere> wrong_elsewhere(Session& session, Workspace& workspace,
                                              const std::vector<Timed>& timed) {
  const std::uint32_t sets = timed.empty() ? 1 : input_sets(workspace.plan());
  std::optional<WrongElsewhere> found;
  for (std::uint32_t set = 1; set < sets && !found; ++set) {
    found = wrong_on_set(session, workspace, timed, set);
  }
  if (sets <= 1 || (found && found->verdict.context_dead)) return found;
  session.announce(Phase::kInputs);
  auto back = workspace.use_inputs(0);
  // It worked before, so the device is at fault.
  if (!back && !found) found = WrongElsewhere{0, verdict_of(back.error())};
  return found;
}

}  // namespace tuner
