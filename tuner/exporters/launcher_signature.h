#pragma once
// What the callers of an exported launcher give, and what it computes itself.

#include <string>
#include <utility>
#include <vector>

#include "tuner/exporters/header_model.h"

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
  // "const float* A, ..., cudaStream_t stream" with or without default values.
  std::string parameters(bool with_defaults) const;
};

LauncherSignature launcher_signature(const HeaderModel& model);

}  // namespace tuner
