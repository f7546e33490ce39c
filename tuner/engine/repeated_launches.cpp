// Launches again and again, and looks at the outputs each time.

#include "tuner/engine/repeated_launches.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "tuner/engine/difference.h"
#include "tuner/engine/kept_outputs.h"

namespace tuner {
namespace {

// On poisoned outputs. With a seed, in another order of threads; kUnsupported where that cannot be.
DeviceResult<Ok> launch_once(Backend& backend, Workspace& workspace, const Admitted& admitted,
                             std::optional<std::uint64_t> seed) {
  if (auto done = workspace.reset(admitted.bound, Outputs::kPoisoned); !done) return done;
  return seed ? backend.launch_shuffled(admitted.bound.sequence, *seed)
              : backend.launch(admitted.bound.sequence);
}

bool is_unsupported(const DeviceResult<Ok>& done) {
  return !done && done.error().error == DeviceError::kUnsupported;
}

std::optional<Verdict> wrong_in_some_launch(Session& session, Admitted& admitted) {
  constexpr int kMost = 16;
  constexpr std::chrono::milliseconds kLongest{50};
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kMost && std::chrono::steady_clock::now() - begin < kLongest; ++i) {
    session.announce(Phase::kVerify);
    auto wrong = session.launch_and_check(admitted);
    if (!wrong) continue;
    if (wrong->state == TrialState::kCorrectness) {
      wrong->message = fmt::format("{}: {}", kRightInSome, wrong->message);
    }
    return wrong;
  }
  return std::nullopt;
}

std::optional<Verdict> wrong_in_another_order(Backend& backend, Session& session,
                                              Workspace& workspace, Admitted& admitted) {
  constexpr std::chrono::seconds kSlow{1};  // one such launch is enough
  const auto begin = std::chrono::steady_clock::now();
  for (const std::uint64_t seed : {1U, 2U}) {
    if (std::chrono::steady_clock::now() - begin > kSlow) return std::nullopt;
    session.announce(Phase::kVerify);
    const auto done = launch_once(backend, workspace, admitted, seed);
    if (is_unsupported(done)) return std::nullopt;
    auto wrong = done ? session.recheck(admitted) : verdict_of(done.error());
    if (!wrong) continue;
    wrong->message = fmt::format("{}: {}", kRightInOneOrder, wrong->message);
    return wrong;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Verdict> wrong_now_and_then(Backend& backend, Session& session, Workspace& workspace,
                                          Admitted& admitted) {
  if (workspace.plan().checks.empty()) return std::nullopt;
  if (auto wrong = wrong_in_some_launch(session, admitted)) return wrong;
  return wrong_in_another_order(backend, session, workspace, admitted);
}

std::optional<Verdict> compare_bits(Backend& backend, Session& session, Workspace& workspace,
                                    const Admitted& admitted) {
  constexpr std::uint64_t kLaunches = 8;
  KeptOutputs kept(backend.memory(), workspace.plan());
  for (std::uint64_t i = 0; i < kLaunches; ++i) {
    session.announce(Phase::kVerify);
    auto done =
        launch_once(backend, workspace, admitted, i % 2 == 1 ? std::optional(i) : std::nullopt);
    if (is_unsupported(done)) done = launch_once(backend, workspace, admitted, std::nullopt);
    if (!done) return verdict_of(done.error());
    if (i == 0) {
      // No room for copies is not the variant's fault.
      if (kept.keep(workspace.buffers())) continue;
      return std::nullopt;
    }
    auto changed = kept.changed(workspace.buffers());
    if (!changed) return verdict_of(changed.error());
    if (!*changed) continue;
    Verdict verdict =
        verdict_of(TrialState::kCorrectness,
                   "leaves other bits in " + **changed +
                       " when launched again on the same inputs (verify: deterministic)");
    verdict.deterministic = false;
    return verdict;
  }
  Verdict same;
  same.deterministic = true;
  return same;
}

}  // namespace tuner
