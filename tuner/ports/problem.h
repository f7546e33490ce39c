#pragma once
// What a study leaves to a plugin: to fill inputs, to know right answers, to judge. On the host.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/data_type.h"

namespace tuner {

// An argument or a constant of the kernel, as the problem sees it.
struct ProblemArray {
  std::string name;
  DataType type = DataType::kFloat32;
  std::vector<std::uint64_t> extents;  // empty: a scalar
  std::uint64_t elements = 1;
  std::vector<std::byte> data{};  // empty where it is to be written
};

struct Judgement {
  bool right = false;
  double error = 0;
  std::string why;
};

// Errors are sentences that name the problem.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual Expected<std::vector<std::byte>, std::string> fill(std::uint32_t set,
                                                             const ProblemArray& input) = 0;
  virtual Expected<std::vector<std::byte>, std::string> answer(
      std::uint32_t set, const std::vector<ProblemArray>& inputs, const ProblemArray& output) = 0;
  virtual Expected<Judgement, std::string> judge(std::uint32_t set, const ProblemArray& actual,
                                                 const ProblemArray& expected) = 0;
};

}  // namespace tuner
