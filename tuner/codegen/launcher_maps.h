#pragma once
// Tensor maps in an exported launcher: made of the caller's matrices, the caller sees none of them.

#include <string>

#include "tuner/codegen/header_model.h"
#include "tuner/codegen/launcher_signature.h"

namespace tuner {

// detail::map_0 and so on: what the study says of each map, as functions of the names.
std::string map_functions(const HeaderModel& model, const LauncherSignature& signature);

// How a plan comes to what it keeps of the map in place n.
std::string map_step(int n);

// In the launcher's function: the map of a matrix, or a return with what is wrong.
std::string map_local(const LauncherSignature& signature, const LauncherArgument& map, int n);

}  // namespace tuner
