// Compares what the parts of a device did with the most that they can do.

#include "tuner/model/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tuner {
namespace {

// A part that is at work for so much of the time leaves little to gain; where none is, the kernel
// waits.
constexpr double kBusy = 60;  // per cent
constexpr std::size_t kShown = 3;

struct Part {
  std::string_view by;
  std::string_view name;
  const char* counter;  // per cent of what is possible
};

constexpr std::array<Part, 7> kParts{{
    {"memory", "DRAM", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"cache", "L2 cache", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"cache", "L1 cache and shared memory", "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"tensor cores", "tensor cores",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"arithmetic", "FMA pipes", "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"arithmetic", "FP64 pipes", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"issue", "issue slots", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed"},
}};
constexpr const char* kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active";

std::optional<double> value_of(const Metrics& counters, std::string_view name) {
  for (const auto& [counter, value] : counters) {
    if (counter == name) return value;
  }
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& bound_counters() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> all;
    for (const Part& part : kParts) all.emplace_back(part.counter);
    all.emplace_back(kWarps);
    return all;
  }();
  return kAll;
}

std::optional<BoundBy> bound_of(const Metrics& counters) {
  std::vector<std::pair<double, const Part*>> busy;
  for (const Part& part : kParts) {
    if (const auto value = value_of(counters, part.counter)) busy.emplace_back(*value, &part);
  }
  if (busy.size() < kShown) return std::nullopt;
  std::ranges::stable_sort(busy, std::greater<>(), &std::pair<double, const Part*>::first);
  const bool waits = busy.front().first < kBusy;
  BoundBy bound{waits ? "latency" : busy.front().second->by, {}};
  bound.text = fmt::format("bound by {}: ", bound.by);
  const auto warps = value_of(counters, kWarps);
  const std::size_t parts = waits && warps ? kShown - 1 : kShown;
  for (std::size_t i = 0; i < parts; ++i) {
    bound.text += fmt::format("{}{} {:.0f} %{}", i == 0 ? "" : ", ", busy[i].second->name,
                              busy[i].first, i == 0 ? " of the most" : "");
  }
  if (waits && warps) bound.text += fmt::format(", {:.0f} % of the warps there", *warps);
  return bound;
}

}  // namespace tuner
