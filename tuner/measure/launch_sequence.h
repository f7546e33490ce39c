#pragma once
// A plan's launches as a backend takes them.

#include <cstdint>
#include <functional>
#include <vector>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// By argument: whose buffer is passed for it in this round. Its own, where nothing was swapped.
using Places = std::vector<std::uint32_t>;

// What is passed for this argument of SizePlan::arguments.
using Binder = std::function<LaunchArgument(std::uint32_t argument, const Places& places)>;

// All rounds, for a size with so many arguments. `zeros` is done before the first launch of each.
LaunchSequence launch_sequence(const SequencePlan& plan, const LoadedKernel& kernel,
                               std::size_t arguments, const Binder& bind,
                               const std::vector<Zeros>& zeros = {});

}  // namespace tuner
