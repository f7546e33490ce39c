#pragma once
// The ceilings of a device: measured by plain kernels, as a study of the program's own.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/bench/bench.h"
#include "tuner/model/device_facts.h"

namespace tuner {

// Finds the ceilings of these devices, which are of one model, where the study says what has to be
// done at least, and sets them on the bench. Those that are kept, or measured now; with `again`
// they are measured once more, and the higher ones count. Returns whether any was raised. What does
// not compile or run leaves its ceiling unknown. Throws UnavailableError where the device is lost,
// FatalError where there is no room for the study that measures.
bool find_ceilings(Bench& bench, std::span<WorkingDevice> devices, bool again = false);

// A ceiling as one of the kernels showed it.
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

// Converts ceilings to the text that is kept, and back; nothing: the text is none of these.
std::string kept_text(const Ceilings& ceilings);
std::optional<Ceilings> ceilings_from(const std::string& text);

// An instruction of tensor cores. The study whose kernels are made of these alone shows how fast
// they are at most.
struct TensorForm {
  std::vector<std::string> types;  // that a study's work names
  double operations = 0;           // of one thread in one of the size's ROUNDS
};

struct TensorKernels {
  std::string study, source;      // texts
  std::vector<TensorForm> forms;  // by the value of the parameter FORM
};

// Makes the kernels; nothing: which instructions reach the full rate of this device is not known
// here.
std::optional<TensorKernels> tensor_kernels(int compute_capability);

}  // namespace tuner
