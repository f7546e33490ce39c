#pragma once
// The ceilings of a device: measured by plain kernels, as a study of the program's own.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/ports/evaluator.h"
#include "tuner/run/sources.h"

namespace tuner {

// Compiles these sources for the device and runs them there.
using DeviceFor = std::function<std::unique_ptr<MeasuringDevice>(const SourceTexts&)>;

// What does not compile or run leaves its ceiling unknown. Throws UnavailableError where the device
// is lost, FatalError where there is no room for the study.
Ceilings measure_ceilings(const DeviceFor& device);

// The same, taken from what one of the kernels did.
struct CeilingSample {
  std::string what;   // "copy", "read", "nothing" or a type
  double ms = 0;      // the shortest of its samples
  double amount = 0;  // bytes or operations
  bool in_cache = false;
  bool tensor_cores = false;
};
Ceilings ceilings_of(const DeviceFacts& facts, const std::vector<CeilingSample>& samples);

// The higher one of each: a ceiling that was found on a busy device is too low.
Ceilings highest(const Ceilings& one, const Ceilings& other);

// As they are kept; nothing: the text is none of these.
std::string kept_text(const Ceilings& ceilings);
std::optional<Ceilings> ceilings_from(const std::string& text);

// What tensor cores do at most: the study whose kernels are made of their instructions alone.
struct TensorForm {
  std::vector<std::string> types;  // that a study's work names
  double operations = 0;           // of one thread in one of the size's ROUNDS
};

struct TensorKernels {
  std::string study, source;      // texts
  std::vector<TensorForm> forms;  // by the value of the parameter FORM
};

// Nothing: which instructions reach the full rate of this device is not known here.
std::optional<TensorKernels> tensor_kernels(int compute_capability);

}  // namespace tuner
