#pragma once
// The function of an exported launcher that picks a variant and launches it.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/codegen/launcher_signature.h"

namespace tuner {

// constexpr functions in the header's namespace: scratch_bytes_of and, in detail, what is computed.
std::string launcher_computations(const HeaderModel& model, const LauncherSignature& signature);

// What the regions of the .cu file hold.
struct LauncherKernels {
  std::vector<std::size_t> variant_of_configuration;
  std::vector<std::vector<std::size_t>> next;  // by variant: places in study.then that it has
};

// The function's definition, and what it needs.
std::string launcher_function(const HeaderModel& model, const LauncherSignature& signature,
                              const LauncherKernels& kernels);

}  // namespace tuner
