// Looks at pairs after each doubling.

#include "tuner/search/gate.h"

#include <algorithm>

namespace tuner {
namespace {

constexpr int kFirstRounds = 31;
constexpr int kMostRounds = 2000;  // in one go
// Fewer say nothing with this confidence.
constexpr std::size_t kFewestPairs = 16;

GateState state_of(const GateRule& rule, const std::vector<double>& base,
                   const std::vector<double>& head) {
  GateState state;
  state.pairs = std::min(base.size(), head.size());
  if (state.pairs == 0) return state;
  state.ratio = paired_ratio(head, base, rule.confidence);
  state.base_ms = median(base);
  state.head_ms = median(head);
  if (state.pairs < kFewestPairs) return state;
  const double most = 1 + rule.allow;
  if (state.ratio.interval.low > most) state.verdict = GateVerdict::kSlower;
  if (state.ratio.interval.high <= most) state.verdict = GateVerdict::kPassed;
  return state;
}

}  // namespace

std::string_view name_of(GateVerdict verdict) {
  return verdict == GateVerdict::kPassed   ? "passed"
         : verdict == GateVerdict::kSlower ? "slower"
                                           : "undecided";
}

GateState decide(const GateRule& rule, const MeasurePairs& measure,
                 const std::function<double()>& now) {
  std::vector<double> base;
  std::vector<double> head;
  GateState state;
  for (std::uint64_t look = 1; now() < rule.seconds; ++look) {
    const int rounds = std::clamp(static_cast<int>(base.size()), kFirstRounds, kMostRounds);
    const auto more = measure(rounds, look, rule.seconds - now());
    if (more.size() != 2 || more[0].empty() || more[0].size() != more[1].size()) break;
    base.insert(base.end(), more[0].begin(), more[0].end());
    head.insert(head.end(), more[1].begin(), more[1].end());
    state = state_of(rule, base, head);
    if (state.verdict != GateVerdict::kUndecided) break;
  }
  return state;
}

}  // namespace tuner
