#pragma once
// Looks at a variant and gives further values of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/artifact.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/model/trial.h"

namespace tuner {

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
  // What went wrong, or nothing.
  virtual std::optional<std::string> begin(const Observed& variant) = 0;
  // The metrics that it has values of.
  virtual Expected<Metrics, std::string> end(const Observed& variant) = 0;
};

}  // namespace tuner
