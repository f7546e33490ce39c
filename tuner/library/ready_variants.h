#pragma once
// Configurations of one size with their compiled kernels, ready to be launched.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tuner/base/interrupt.h"
#include "tuner/library/served_launch.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/space/search_space.h"
#include "tuner/worker/compilers.h"

namespace libtuner {

class ReadyVariants {
 public:
  // All outlive this. Throws Error for a size of which the study makes no sense.
  ReadyVariants(const tuner::Study& study, const tuner::ProblemSize& size,
                const tuner::DeviceFacts& facts, const tuner::Toolchain& tools);

  // Valid configurations.
  std::uint64_t count() const;
  // Null where its artifact is not at hand. `compile`: it is made then, unless that fails or
  // somebody wants the end; the pool must have no other work.
  std::shared_ptr<const ReadyVariant> variant(const tuner::Configuration& configuration,
                                              bool compile, const tuner::StopRequest& stop) const;

 private:
  std::optional<tuner::Artifact> compiled(const std::string& key,
                                          const tuner::CompileRequest& request,
                                          const tuner::StopRequest& stop) const;

  const tuner::Study& study_;
  const tuner::DeviceFacts& facts_;
  const tuner::Toolchain& tools_;
  tuner::SearchSpace space_;
  tuner::SizePlan plan_;
};

}  // namespace libtuner
