#pragma once
// The limits of a device: reasons not to launch, and how full a launch keeps it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/model/artifact.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/model/plan.h"

namespace tuner {

// Why this launch can never run on this device, or nothing. Before compiling: extents, threads,
// dynamic shared memory.
std::optional<std::string> over_limits(const LaunchGeometry& geometry, const DeviceFacts& device);

// After compiling: also static shared memory, registers, the kernel's own thread limit. Resources
// that are not known (-1) limit nothing.
std::optional<std::string> over_limits(const Resources& resources, const LaunchGeometry& geometry,
                                       const DeviceFacts& device);

// Checks all launches of a variant; a reason that is not the main launch's begins with whose it is.
// `kernels`: the main launch's first, then one for each of variant.then.
std::optional<std::string> over_limits(const VariantPlan& variant, const DeviceFacts& device);
std::optional<std::string> over_limits(const VariantPlan& variant,
                                       std::span<const Resources> kernels,
                                       const DeviceFacts& device);
// Lists the resources of an artifact's kernels as the compiler knows them.
std::vector<Resources> kernels_of(const Artifact& artifact);

// Resident threads over the multiprocessor's maximum, 0..1; 0 when not even one block fits; -1
// when the kernel's registers are not known.
double occupancy(const DeviceFacts& device, const Resources& resources,
                 const LaunchGeometry& geometry);

}  // namespace tuner
