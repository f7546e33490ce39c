#pragma once
// Plugins that a study leaves work to. A problem fills inputs, knows right answers and judges, on
// the host; an observer looks at a variant and gives further values of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/artifact.h"
#include "tuner/model/data_type.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/model/trial.h"
#include "tuner/plugin/sdk_problem.h"

namespace tuner {

// An argument or a constant of the kernel, as the problem sees it.
struct ProblemArray {
  std::string name;
  DataType type = DataType::kFloat32;
  std::vector<std::uint64_t> extents;  // empty: a scalar
  std::uint64_t elements = 1;
  std::vector<std::byte> data{};  // empty where it is to be written
};

using Judgement = sdk::Judgement;

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

// ---- observer -----------------------------------------------------------------------------------

// A variant that was timed and found right. All outlive the call.
struct Observed {
  const DeviceFacts& device;
  const Artifact& artifact;
  const LaunchGeometry& geometry;
  const Resources& resources;
  const std::vector<double>& milliseconds;
};

// Errors are sentences that name the observer.
class Observer {
 public:
  virtual ~Observer() = default;
  // How often the variant is to be launched between begin() and end().
  virtual std::uint32_t launches() const = 0;
  // Prepares to observe the variant. Returns what went wrong, or nothing.
  virtual std::optional<std::string> begin(const Observed& variant) = 0;
  // The metrics that it has values of.
  virtual Expected<Metrics, std::string> end(const Observed& variant) = 0;
};

}  // namespace tuner
