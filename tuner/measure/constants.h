#pragma once
// The study's `__constant__` symbols: what they hold for a set of inputs, and how a loaded variant
// gets that.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/seals.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// How a variant has one of them.
struct BoundConstant {
  std::string symbol;             // lowered; empty: it does not use this one
  std::vector<std::byte> scalar;  // its value where it is one
};

class Constants {
 public:
  // All outlive this; `problem` may be null.
  Constants(Backend& backend, const SizePlan& plan, Problem* problem)
      : backend_(backend), memory_(backend.memory(), problem), plan_(plan) {}

  // From now on they hold what they do in this set of inputs.
  DeviceResult<Ok> fill(std::uint32_t set);
  // Of what they hold.
  const Seals& seals() const { return seals_; }
  // As SizePlan::constants: contents of arrays.
  const std::vector<std::vector<std::byte>>& bytes() const { return bytes_; }
  // In the order of SizePlan::constants.
  std::vector<BoundConstant> bind(const VariantPlan& variant) const;
  // Gives a loaded variant what they hold now.
  DeviceResult<Ok> set(KernelId kernel, const std::vector<BoundConstant>& bound);

 private:
  Backend& backend_;
  GuardedMemory memory_;
  const SizePlan& plan_;
  std::vector<std::vector<std::byte>> bytes_;
  Seals seals_;
};

// A warning for each array that is larger in the reference than what it is given.
std::vector<std::string> partly_set(Backend& backend, const SizePlan& plan,
                                    const Artifact& reference);

}  // namespace tuner
