// Launches a variant between the two calls of each observer.

#include "tuner/engine/observation.h"

#include <utility>

#include "tuner/engine/verdict.h"

namespace tuner {
namespace {

// What a launch changes and the next one reads goes on from launch to launch.
DeviceResult<Ok> launch_observed(Observer& observer, Backend& backend, const Admitted& admitted) {
  for (std::uint32_t i = 0; i < observer.launches(); ++i) {
    if (auto done = backend.launch(admitted.bound.sequence); !done) return done;
  }
  return Ok{};
}

std::optional<Verdict> look(Observer& observer, Backend& backend, Workspace& workspace,
                            const Observed& seen, const Admitted& admitted, Metrics& out) {
  if (observer.launches() > 0) {
    auto ready = workspace.reset(admitted.bound, Outputs::kPoisoned);
    if (!ready) return verdict_of(ready.error());
  }
  if (const auto wrong = observer.begin(seen)) return verdict_of(TrialState::kLaunch, *wrong);
  const auto launched = launch_observed(observer, backend, admitted);
  auto values = observer.end(seen);  // also then: it may have begun to count
  if (!launched) return verdict_of(launched.error());
  if (!values) return verdict_of(TrialState::kLaunch, values.error());
  out.insert(out.end(), values->begin(), values->end());
  return std::nullopt;
}

}  // namespace

std::optional<Verdict> observe(const std::vector<std::unique_ptr<Observer>>& observers,
                               Backend& backend, const Session& session, Workspace& workspace,
                               const VariantPlan& variant, const Admitted& admitted,
                               Verdict& verdict) {
  const Observed seen{backend.facts(), variant.artifact, variant.geometry, verdict.resources,
                      verdict.timing.samples};
  for (const auto& observer : observers) {
    session.announce(Phase::kObserve);
    auto wrong = look(*observer, backend, workspace, seen, admitted, verdict.observed);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

}  // namespace tuner
