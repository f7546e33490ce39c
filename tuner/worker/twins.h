#pragma once
// Variants that are one and the same program: the compiler made the same bytes of them, and they
// are launched alike. A parameter that this form of the kernel does not use makes them. Measuring
// one measures all.

#include <map>
#include <string>
#include <utility>
#include <vector>

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
  // Places of parameters that make no other program: wherever two of their values were tried with
  // the same values of all others, which has happened to each value that was tried.
  std::vector<std::size_t> idle() const;

 private:
  bool is_idle(std::size_t parameter) const;

  std::map<std::string, Trial> measured_;
  std::vector<std::pair<Configuration, std::string>> programs_;  // of all trials
  std::size_t answered_ = 0;
};

}  // namespace tuner
