#pragma once
// One header that holds the winning variants' OpenCL source and a function that picks and launches
// (docs/opencl.md).

#include <string>
#include <vector>

#include "tuner/codegen/launcher.h"

namespace tuner {

// Throws InputError when there is nothing to export, and for studies that no such header can serve.
std::string export_opencl_launcher(const Study& study, const std::vector<RankedResults>& results,
                                   const LauncherOptions& options);

}  // namespace tuner
