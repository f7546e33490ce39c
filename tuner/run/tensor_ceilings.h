#pragma once
// What tensor cores do at most: the study whose kernels are made of their instructions alone.

#include <optional>
#include <string>
#include <vector>

namespace tuner {

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
