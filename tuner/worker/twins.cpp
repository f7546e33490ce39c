// Recognises variants that are the same program.

#include "tuner/worker/twins.h"

#include <nlohmann/json.hpp>

#include "tuner/base/hash.h"
#include "tuner/worker/messages.h"

namespace tuner {

std::string program_of(const VariantPlan& plan) {
  VariantPlan seen;
  seen.artifact.entry = plan.artifact.entry;
  seen.artifact.symbols = plan.artifact.symbols;
  seen.artifact.then = plan.artifact.then;
  seen.geometry = plan.geometry;
  seen.then = plan.then;
  seen.overrides = plan.overrides;
  seen.answer = plan.answer;
  const auto bytes = nlohmann::json::to_cbor(nlohmann::json(seen));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return to_hex(Hasher().add(plan.artifact.image).add(text).digest());
}

void Twins::add(const std::string& program, const Trial& trial) {
  measured_.insert_or_assign(program, trial);
}

bool Twins::answer(const std::string& program, Trial& trial) {
  const auto found = measured_.find(program);
  if (found == measured_.end()) return false;
  const Trial& twin = found->second;
  trial.state = twin.state;
  trial.timing = twin.timing;
  trial.max_error = twin.max_error;
  trial.watts = twin.watts;
  trial.observed = twin.observed;
  trial.conditions = twin.conditions;
  trial.device_uuid = twin.device_uuid;
  trial.device_scale = twin.device_scale;
  trial.deterministic = twin.deterministic;
  trial.resources = twin.resources;
  trial.occupancy = twin.occupancy;
  trial.message = twin.message;
  ++answered_;
  return true;
}

}  // namespace tuner
