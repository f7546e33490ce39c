#pragma once
// The function of an exported launcher that picks a variant and launches it: what its callers give,
// what it computes, and its text.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tuner/exporters/header_model.h"

namespace tuner {

// How one argument of the kernel, or one __constant__ symbol, comes to its value.
struct LauncherArgument {
  enum class From { kCaller, kComputed, kScratch };
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

  bool has_computed() const;
  // "const float* A, ..., cudaStream_t stream" with or without default values.
  std::string parameters(bool with_defaults) const;
};

LauncherSignature launcher_signature(const HeaderModel& model);

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
