// Tells stragglers by the median of what was compiled.

#include "tuner/engine/stragglers.h"

#include <algorithm>

#include "tuner/engine/statistics.h"

namespace tuner {
namespace {

constexpr double kTimesTheMedian = 10;
constexpr double kShortestSeconds = 10;
constexpr std::size_t kFewest = 5;  // compilations that a median says something of

}  // namespace

void Stragglers::heard(const Trial& trial) {
  if (!trial.from_store && trial.compile_ms > 0) {
    compile_seconds_.push_back(trial.compile_ms / 1000);
  }
}

std::optional<double> Stragglers::limit_seconds() const {
  if (compile_seconds_.size() < kFewest) return std::nullopt;
  return std::max(kShortestSeconds, kTimesTheMedian * median(compile_seconds_));
}

bool Stragglers::hold_all_up(const MachineState& machine) const {
  if (machine.under_way.empty()) return false;
  const bool compiling = std::ranges::all_of(
      machine.under_way, [](const UnderWay& one) { return one.stage == Stage::kCompiling; });
  const std::optional<double> limit = compiling ? limit_seconds() : std::nullopt;
  return limit && std::ranges::all_of(machine.under_way,
                                      [&](const UnderWay& one) { return one.in_stage > *limit; });
}

}  // namespace tuner
