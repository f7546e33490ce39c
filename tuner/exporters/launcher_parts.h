#pragma once
// What the pieces of an exported launcher are made from.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/exporters/header_model.h"
#include "tuner/exporters/launcher.h"

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

std::string_view cpp_type_of(DataType type);

// constexpr functions in the header's namespace: scratch_bytes_of and, in detail, what is computed.
std::string launcher_computations(const HeaderModel& model, const LauncherSignature& signature);

// Bytes of a buffer with this shape, as a `num` expression; a failure where it has none.
std::string bytes_expression(const HeaderModel& model, const ArgumentSpec& spec);

// What the regions of the .cu file hold.
struct LauncherKernels {
  std::vector<std::size_t> variant_of_configuration;
  std::vector<std::vector<std::size_t>> next;  // by variant: places in study.then that it has
};

// The function's definition, and what it needs.
std::string launcher_function(const HeaderModel& model, const LauncherSignature& signature,
                              const LauncherKernels& kernels);

}  // namespace tuner
