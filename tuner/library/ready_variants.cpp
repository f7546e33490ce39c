// Finds or compiles the kernel of a configuration.

#include "tuner/library/ready_variants.h"

#include <poll.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tuner/resolve/resolve.h"

namespace libtuner {

ReadyVariants::ReadyVariants(const tuner::Study& study, const tuner::ProblemSize& size,
                             const tuner::DeviceFacts& facts, const tuner::Toolchain& tools)
    : study_(study),
      facts_(facts),
      tools_(tools),
      space_(tuner::SearchSpace::build(tuner::space_definition(study, size, facts))) {
  auto plan = tuner::size_plan(study, size, facts, tuner::reference_cases(study, space_));
  if (!plan) throw Error(plan.error());
  plan_ = std::move(*plan);
}

std::uint64_t ReadyVariants::count() const {
  return static_cast<std::uint64_t>(
      std::min<tuner::ConfigIndex>(space_.size(), std::numeric_limits<std::uint64_t>::max()));
}

std::shared_ptr<const ReadyVariant> ReadyVariants::variant(
    const tuner::Configuration& configuration, bool compile, const tuner::StopRequest& stop) const {
  auto variant = tuner::variant_plan(study_, space_, configuration);
  if (!variant) return nullptr;
  const auto request = tuner::compile_request(study_, space_, configuration, variant->then, facts_,
                                              tools_.source_text);
  if (!request) return nullptr;
  const std::string key = tools_.library.key(*request);
  auto artifact = tools_.library.find(key);
  if (!artifact && compile) artifact = compiled(key, *request, stop);
  if (!artifact) return nullptr;
  variant->artifact = std::move(*artifact);
  return std::make_shared<const ReadyVariant>(ReadyVariant{plan_, std::move(*variant)});
}

std::optional<tuner::Artifact> ReadyVariants::compiled(const std::string& key,
                                                       const tuner::CompileRequest& request,
                                                       const tuner::StopRequest& stop) const {
  constexpr double kLookSeconds = 0.05;
  const std::uint64_t id = tools_.compilers.submit(key, request);
  while (stop.count() == 0) {
    tuner::PollSet awaited;
    awaited.sockets.push_back({stop.fd(), POLLIN, 0});
    tools_.compilers.watch(awaited);
    awaited.until(tuner::after(tuner::Clock::now(), kLookSeconds));
    awaited.wait();
    for (const tuner::CompileResult& result : tools_.compilers.handle()) {
      if (result.id != id) continue;
      return result.outcome ? std::optional(**result.outcome) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace libtuner
