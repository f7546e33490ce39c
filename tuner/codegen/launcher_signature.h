#pragma once
// What the callers of an exported launcher give, and what it computes itself.

#include <string>
#include <utility>
#include <vector>

#include "tuner/codegen/header_model.h"

namespace tuner {

// How one argument of the kernel, or one __constant__ symbol, comes to its value.
struct LauncherArgument {
  enum class From { kCaller, kComputed, kScratch, kWorkspace, kMap };
  const ArgumentSpec* spec = nullptr;
  From from = From::kCaller;
  std::string type;  // of the element: "float", "__half"
  std::string name;  // of the caller's parameter or of a local variable
};

struct LauncherSignature {
  std::string function;
  std::vector<LauncherArgument> arguments;  // in the kernel's order
  std::vector<LauncherArgument> constants;
  std::vector<std::pair<std::string, std::string>> sizes;  // dimension -> text of its value
  std::vector<std::string> more_sizes;                     // parameters for dimensions without one
  bool has_scratch = false;
  bool has_workspaces = false;
  bool has_maps = false;

  bool has_computed() const;
  bool keeps_constants() const;  // some are arrays, which are set once
  // "const float* A, ..., cudaStream_t stream" with or without default values.
  std::string parameters(bool with_defaults) const;
};

// No parameter has one of the `reserved` names, which are the function's own.
LauncherSignature launcher_signature(const HeaderModel& model,
                                     const std::vector<std::string>& reserved = {});

// Whether all its extents are numbers: the same for all sizes and devices.
bool has_fixed_shape(const ArgumentSpec& spec);

// Bytes of a buffer with this shape, as a `num` expression; a failure where it has none.
std::string bytes_expression(const HeaderModel& model, const ArgumentSpec& spec);

}  // namespace tuner
