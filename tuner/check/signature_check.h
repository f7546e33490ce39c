#pragma once
// Whether the arguments of a study are what its kernels take.

#include <string>
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

// ---- whether one argument of a study is what one parameter of a kernel takes --------------------

struct Fit {
  enum class Kind { kFits, kDoubtful, kWrong };
  Kind kind = Kind::kFits;
  std::string advice{};
};

// Compares the argument with the best of the types that the parameter may have.
Fit fit_of(const ArgumentSpec& argument, const SignatureParameter& parameter);

}  // namespace tuner
