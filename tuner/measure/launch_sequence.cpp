// Writes a sequence out: each round's launches with the buffers that stand in their places then.

#include "tuner/measure/launch_sequence.h"

#include <numeric>
#include <utility>

namespace tuner {

LaunchSequence launch_sequence(const SequencePlan& plan, const LoadedKernel& kernel,
                               std::size_t arguments, const Binder& bind,
                               const std::vector<Zeros>& zeros) {
  Places places(arguments);
  std::iota(places.begin(), places.end(), 0U);
  const std::vector<std::uint32_t> first = plan.arguments.value_or(places);
  LaunchSequence out;
  const auto add = [&](KernelId id, const LaunchGeometry& geometry,
                       const std::vector<std::uint32_t>& taken) {
    KernelLaunch& launch = out.emplace_back();
    launch.kernel = id;
    launch.geometry = geometry;
    for (const std::uint32_t argument : taken) launch.arguments.push_back(bind(argument, places));
  };
  for (std::uint32_t round = 0; round < plan.rounds; ++round) {
    add(kernel.id, plan.geometry, first);
    out.back().zeros = zeros;
    for (std::size_t i = 0; i < plan.then.size(); ++i) {
      add(kernel.then.at(i).id, plan.then[i].geometry, plan.then[i].arguments);
    }
    for (const auto& [one, other] : plan.swaps) std::swap(places.at(one), places.at(other));
  }
  return out;
}

}  // namespace tuner
