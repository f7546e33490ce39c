// The label of a problem size.

#include "tuner/model/problem_size.h"

namespace tuner {

std::string ProblemSize::label() const {
  std::string text;
  for (const auto& [name, extent] : dims) {
    if (!text.empty()) text += '_';
    text += name + std::to_string(extent);
  }
  return text.empty() ? "default" : text;
}

}  // namespace tuner
