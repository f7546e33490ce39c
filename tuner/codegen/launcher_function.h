#pragma once
// The function of an exported launcher that picks a variant and launches it.

#include <string>

#include "tuner/codegen/launcher_signature.h"
#include "tuner/codegen/launcher_variants.h"

namespace tuner {

// constexpr functions in the header's namespace: scratch_bytes_of and, in detail, what is computed.
std::string launcher_computations(const HeaderModel& model, const LauncherSignature& signature);

// The function's definition, and what it needs.
std::string launcher_function(const HeaderModel& model, const LauncherSignature& signature,
                              const LauncherVariants& variants);

}  // namespace tuner
