#pragma once
// How a variant is launched: its kernels with their arguments, round by round, and what the
// study's `__constant__` symbols hold then.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/input_sets.h"
#include "tuner/measure/protection.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// By argument: whose buffer is passed for it in this round; its own, where nothing was swapped.
using Places = std::vector<std::uint32_t>;

// Returns the value or buffer to pass for this argument of SizePlan::arguments.
using Binder = std::function<LaunchArgument(std::uint32_t argument, const Places& places)>;

// All rounds, for a size with so many arguments. `zeros` is done before the first launch of each.
LaunchSequence launch_sequence(const SequencePlan& plan, const LoadedKernel& kernel,
                               std::size_t arguments, const Binder& bind,
                               const std::vector<Zeros>& zeros = {});

// How a variant has a constant.
struct BoundConstant {
  std::string symbol;             // lowered; empty: it does not use this one
  std::vector<std::byte> scalar;  // its value where it is one
};

// A variant's kernels with their arguments, ready to launch.
struct BoundLaunch {
  LaunchSequence sequence;
  std::vector<BoundConstant> constants;  // in the order of SizePlan::constants
  std::vector<std::uint64_t> bytes;      // of each buffer argument; 0 for scalars
  std::vector<BufferRange> buffers;      // of each: its contents
  std::vector<Restore> restores;         // what one time changes and the next one reads
  std::vector<ByteFill> zeros{};         // the same, of scratch buffers
  std::vector<ByteFill> poisons{};       // of outputs
  std::vector<WorkspaceArgument> workspaces{};
  std::uint32_t answer = 0;  // VariantPlan::answer

  // Whether a launch needs its buffers as they were before the last one.
  bool is_used_up() const { return !restores.empty() || !zeros.empty(); }
  // Whether anything is done to them before a sample.
  bool begins_anew() const { return is_used_up() || !poisons.empty(); }
  // Returns the fills to do, with the restores, before each sample, so that it finds what a checked
  // launch finds.
  std::vector<ByteFill> fills() const {
    std::vector<ByteFill> all = zeros;
    all.insert(all.end(), poisons.begin(), poisons.end());
    return all;
  }
};

// Does the restores and the fills of a launch now.
DeviceResult<Ok> begin_anew(DeviceMemory& memory, const BoundLaunch& bound);

class Constants {
 public:
  // All outlive this; `problem` may be null.
  Constants(Backend& backend, const SizePlan& plan, Problem* problem)
      : backend_(backend), memory_(backend.memory(), problem), plan_(plan) {}

  // Makes the constants hold the values of this set of inputs from now on.
  DeviceResult<Ok> fill(const InputSet& set);
  // Seals of the constants' contents.
  const Seals& seals() const { return seals_; }
  // Contents of arrays, by constant of SizePlan::constants.
  const std::vector<std::vector<std::byte>>& bytes() const { return bytes_; }
  // Returns how the variant has each constant of SizePlan::constants, in that order.
  std::vector<BoundConstant> bind(const VariantPlan& variant) const;
  // Gives a loaded variant what they hold now.
  DeviceResult<Ok> set(KernelId kernel, const std::vector<BoundConstant>& bound);

 private:
  Backend& backend_;
  GuardedMemory memory_;
  const SizePlan& plan_;
  std::vector<std::vector<std::byte>> bytes_;
  std::uint32_t set_ = 0;  // of inputs: its number
  Seals seals_;
};

// A warning for each array that is larger in the reference than what it is given.
std::vector<std::string> partly_set(Backend& backend, const SizePlan& plan,
                                    const Artifact& reference);

}  // namespace tuner
