#pragma once
// Has observers look at a variant that was timed and found right.

#include <memory>
#include <optional>
#include <vector>

#include "tuner/engine/session.h"
#include "tuner/engine/workspace.h"
#include "tuner/ports/observer.h"

namespace tuner {

// Adds what they see to `verdict`. One that fails says nothing of the variant, but the study asks
// for its values: the variant is kLaunch then, as where the device measures no power.
std::optional<Verdict> observe(const std::vector<std::unique_ptr<Observer>>& observers,
                               Backend& backend, const Session& session, Workspace& workspace,
                               const VariantPlan& variant, const Admitted& admitted,
                               Verdict& verdict);

}  // namespace tuner
