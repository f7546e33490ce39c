#pragma once
// Whether the arguments of a study are what its kernels take.

#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/study.h"
#include "tuner/source/signature.h"

namespace tuner {

struct SignatureComplaints {
  std::vector<Complaint> errors;    // what no reading of the source allows, in any configuration
  std::vector<Complaint> warnings;  // what is right only if the kernel means it so
};

// For the kernel, those that follow it and the reference, at the places of the arguments. `kernel`:
// its source and what that includes; `reference`: the same where it has a source of its own.
SignatureComplaints check_signatures(const Study& study, std::vector<SourceText> kernel,
                                     std::vector<SourceText> reference);

}  // namespace tuner
