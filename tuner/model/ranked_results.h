#pragma once
// What a ranking says about one device and problem size.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/trial.h"

namespace tuner {

// Ranked results of one device and problem size, best first; failures follow.
struct RankedResults {
  DeviceFacts device;
  ProblemSize size;
  std::vector<Trial> trials;
  std::size_t ranked = 0;  // trials[0..ranked) are valid and in order
  std::vector<bool> tied;  // of the ranked: not distinguishable from the best
  // Of the ranked, where several objectives are weighed: none of the others is as good in all of
  // them and better in one. Empty otherwise.
  std::vector<bool> front;
  // Why wrong answers may be among these, such as "nothing verifies 'y'"; empty: all were verified;
  // nothing: not known.
  std::optional<std::string> unverified{};
  std::string date;  // ISO 8601, of the newest trial
  std::string compiler;
};

}  // namespace tuner
