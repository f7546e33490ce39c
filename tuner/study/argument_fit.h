#pragma once
// Whether one argument of a study is what one parameter of a kernel takes.

#include <string>

#include "tuner/model/study.h"
#include "tuner/source/signature.h"

namespace tuner {

struct Fit {
  enum class Kind { kFits, kDoubtful, kWrong };
  Kind kind = Kind::kFits;
  std::string advice{};
};

// With the best of the types that the parameter may have.
Fit fit_of(const ArgumentSpec& argument, const SignatureParameter& parameter);

}  // namespace tuner
