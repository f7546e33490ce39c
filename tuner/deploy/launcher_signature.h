#pragma once
// Arguments of an exported launcher: what its callers give, and what it computes itself.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/deploy/embedded_text.h"
#include "tuner/deploy/header_model.h"

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
  std::vector<std::string> more_sizes;  // parameters for dimensions without an argument
  // Replacements that a launcher's texts share: the sizes of the problem; the arguments that the
  // caller does not give, by where they come from.
  Filling filling;

  bool has(LauncherArgument::From from) const;
  // Lists the caller's arguments and the sizes: "A, B, K, ".
  std::string call() const;
  // Declares them: "const float* A, float* B, long long K, ".
  std::string parameters() const;
  // Lists the names of all parameters and local variables.
  std::vector<std::string> names() const;
  // "{sizeof A, &A}, ": `spell` ("{sizeof @, &@}, ") of the arguments with these names in the
  // study; of all where there are none.
  std::string list(const std::vector<std::string>& wanted, std::string_view spell) const;
};

// No parameter has one of the `reserved` names, which are the function's own.
LauncherSignature launcher_signature(const HeaderModel& model,
                                     const std::vector<std::string>& reserved = {});

// Whether all its extents are numbers: the same for all sizes and devices.
bool has_fixed_shape(const ArgumentSpec& spec);

// Bytes of a buffer with this shape, as a `num` expression; a failure where it has none.
std::string bytes_expression(const HeaderModel& model, const ArgumentSpec& spec);

}  // namespace tuner
