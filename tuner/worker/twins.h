#pragma once
// Variants that are one and the same program: the compiler made the same bytes of them, and they
// are launched alike. A parameter that this form of the kernel does not use makes them. Measuring
// one measures all.

#include <map>
#include <string>

#include "tuner/model/plan.h"
#include "tuner/model/trial.h"

namespace tuner {

// Equal for plans between which the device can see no difference.
std::string program_of(const VariantPlan& plan);

class Twins {
 public:
  void add(const std::string& program, const Trial& trial);
  // Gives `trial` the outcome of its twin, at no cost; metrics and objective are left, as they may
  // depend on the configuration. False when there is none.
  bool answer(const std::string& program, Trial& trial);
  std::size_t answered() const { return answered_; }

 private:
  std::map<std::string, Trial> measured_;
  std::size_t answered_ = 0;
};

}  // namespace tuner
