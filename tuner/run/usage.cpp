// Adds up where the time and memory of a run went.

#include "tuner/run/usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tuner/base/process_state.h"
#include "tuner/model/statistics.h"

namespace tuner {
namespace {

constexpr double kNotableDrift = 0.03;
constexpr double kShortestStraggler = 10;  // seconds
constexpr double kTimesTheMedian = 10;

// Something begins, or ends.
struct Change {
  double at = 0;
  int compilers = 0;
  int stragglers = 0;
  int device = 0;
};

double straggler_seconds(const std::vector<BusySpan>& compiling) {
  std::vector<double> seconds;
  for (const BusySpan& span : compiling) seconds.push_back(span.end - span.begin);
  if (seconds.empty()) return kShortestStraggler;
  return std::max(kShortestStraggler, kTimesTheMedian * median(std::move(seconds)));
}

// Lists the load's changes in the order of time, none outside of it.
std::vector<Change> changes_of(const Load& load, double begin, double end) {
  std::vector<Change> out{{begin}, {end}};
  const auto add = [&](const BusySpan& span, int compilers, int stragglers, int device) {
    const double from = std::clamp(span.begin, begin, end);
    const double to = std::clamp(span.end, begin, end);
    if (from >= to) return;
    out.push_back({from, compilers, stragglers, device});
    out.push_back({to, -compilers, -stragglers, -device});
  };
  const double long_one = straggler_seconds(load.compiling);
  for (const BusySpan& span : load.compiling) {
    add(span, 1, span.end - span.begin > long_one ? 1 : 0, 0);
  }
  for (const DeviceLoad& device : load.on_devices) {
    for (const BusySpan& span : device.busy) add(span, 0, 0, 1);
  }
  std::ranges::stable_sort(out, {}, &Change::at);
  return out;
}

// Adds a stretch in which nothing changed.
void add_stretch(const Change& now, double share, Utilization& utilization) {
  if (now.compilers >= static_cast<int>(utilization.workers)) {
    utilization.all_compile += share;
  } else if (now.device > 0 && now.device >= static_cast<int>(utilization.devices.size())) {
    utilization.device_only += share;
  } else if (now.compilers > 0 || now.device > 0) {
    utilization.few_compile += share;
    if (now.device == 0 && now.stragglers == now.compilers) utilization.stragglers += share;
  } else {
    utilization.nothing += share;
  }
}

// Shares of each quarter; `most` can be at work at the same time.
std::array<double, 4> by_quarter(const std::vector<BusySpan>& spans, double begin, double end,
                                 double most) {
  std::array<double, 4> out{};
  const double quarter = (end - begin) / 4;
  for (std::size_t q = 0; q < out.size(); ++q) {
    const double from = begin + static_cast<double>(q) * quarter;
    for (const BusySpan& span : spans) {
      const double both = std::min(span.end, from + quarter) - std::max(span.begin, from);
      out[q] += std::max(0.0, both) / quarter;
    }
    out[q] = std::min(out[q], most);
  }
  return out;
}

double mean(const std::array<double, 4>& quarters) {
  return std::accumulate(quarters.begin(), quarters.end(), 0.0) / 4;
}

// One that was lost before, and did nothing, is not counted.
void add_devices(const Load& load, double begin, double end, Utilization& utilization) {
  std::array<double, 4> sum{};
  for (const DeviceLoad& device : load.on_devices) {
    const auto busy = by_quarter(device.busy, begin, end, 1);
    if (mean(busy) > 0) utilization.devices.push_back({device.device, mean(busy)});
    for (std::size_t q = 0; q < sum.size(); ++q) sum[q] += busy[q];
  }
  const double count = std::max(1.0, static_cast<double>(utilization.devices.size()));
  for (std::size_t q = 0; q < sum.size(); ++q) utilization.device[q] = sum[q] / count;
}

std::string percents(const std::array<double, 4>& quarters) {
  return fmt::format("{:.0f} % ({:.0f}, {:.0f}, {:.0f}, {:.0f})", 100 * mean(quarters),
                     100 * quarters[0], 100 * quarters[1], 100 * quarters[2], 100 * quarters[3]);
}

}  // namespace

Utilization utilization_of(const Load& load, double begin, double end) {
  Utilization utilization;
  utilization.seconds = end - begin;
  utilization.workers = std::max(1U, load.compile_workers);
  if (utilization.seconds <= 0) return utilization;
  utilization.compilers = by_quarter(load.compiling, begin, end, utilization.workers);
  for (double& share : utilization.compilers) share /= utilization.workers;
  add_devices(load, begin, end, utilization);
  const std::vector<Change> changes = changes_of(load, begin, end);
  Change now;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    now.compilers += changes[i].compilers;
    now.stragglers += changes[i].stragglers;
    now.device += changes[i].device;
    add_stretch(now, (changes[i + 1].at - changes[i].at) / utilization.seconds, utilization);
  }
  return utilization;
}

Bottleneck bottleneck_of(const Utilization& utilization, unsigned usable, bool is_default) {
  const double most = std::max({utilization.all_compile, utilization.device_only,
                                utilization.few_compile, utilization.nothing});
  // If all of one kind were at work for most of the time, the others wait for the busier kind.
  const bool one_is_full = utilization.all_compile == most || utilization.device_only == most;
  if (one_is_full && mean(utilization.compilers) >= mean(utilization.device)) {
    return {fmt::format("compiling, {} worker{} {:.0f} % busy", utilization.workers,
                        utilization.workers == 1 ? "" : "s", 100 * mean(utilization.compilers)),
            usable > utilization.workers ? fmt::format("--jobs {}", usable)
                                         : "more cores, not more --jobs"};
  }
  if (one_is_full) {
    return {fmt::format("the device{}, busy {:.0f} % of the time",
                        utilization.devices.size() > 1 ? "s" : "", 100 * mean(utilization.device)),
            ""};
  }
  if (utilization.few_compile == most && utilization.stragglers > utilization.few_compile / 2) {
    return {fmt::format("stragglers: for {:.0f} % of the time all waited for compilations that "
                        "take far longer than the others",
                        100 * utilization.stragglers),
            "a shorter --timeout, not more --jobs"};
  }
  if (utilization.few_compile == most) {
    return {
        fmt::format("the strategy: for {:.0f} % of the time it waited for results while compile "
                    "workers and the device were free",
                    100 * utilization.few_compile),
        is_default ? "" : "a strategy that proposes more at a time, as 'default' does"};
  }
  return {fmt::format("neither compiling nor the device: for {:.0f} % of the time both were free",
                      100 * utilization.nothing),
          ""};
}

void Usage::trial(const Trial& trial, double now) {
  if (trial.from_store) return;
  if (first_ < 0) first_ = now;
  if (trial.state == TrialState::kDropped) dropped_ += trial.cost_seconds - trial.compile_ms / 1000;
}

std::optional<Utilization> Usage::utilization(double seconds) const {
  if (first_ < 0 || seconds <= 0) return std::nullopt;
  return utilization_of(device_.load(), begin_, begin_ + seconds);
}

std::string Usage::text(const Utilization& utilization) const {
  const std::size_t count = std::max<std::size_t>(1, utilization.devices.size());
  const double device = mean(utilization.device) * utilization.seconds * static_cast<double>(count);
  const std::uint64_t bytes = device_.load().peak_bytes + peak_resident_bytes(::getpid());
  return fmt::format(
      "  {:.1f} s, first result after {:.2f} s; busy (and by quarter of the time): {} compile "
      "worker{} {}, {} {}; dropped variants took {:.0f} % of the device time; peak memory of all "
      "processes {:.2f} GiB",
      utilization.seconds, first_, utilization.workers, utilization.workers == 1 ? "" : "s",
      percents(utilization.compilers), count == 1 ? "device" : fmt::format("{} devices", count),
      percents(utilization.device), device > 0 ? 100 * dropped_ / device : 0.0,
      static_cast<double>(bytes) / (1 << 30));
}

std::string cancelled_text(const LoopResult& loop, double seconds) {
  if (loop.cancelled == 0) return {};
  const bool one = loop.cancelled == 1;
  const std::string some = fmt::format("{} configuration{}", loop.cancelled, one ? "" : "s");
  if (loop.evaluations > 0) {
    return fmt::format("  cancelled to end in time: {}; the same command resumes with {}", some,
                       one ? "it" : "them");
  }
  return fmt::format(
      "  nothing was {} in time; {} {} cancelled after {:g} seconds: allow more with --budget",
      loop.compiled > 0 ? "measured" : "compiled", some, one ? "was" : "were", seconds);
}

std::string stragglers_text(const LoopResult& loop) {
  if (loop.stragglers == 0) return {};
  return fmt::format(
      "  cancelled: {} compilation{} that took more than ten times as long as the median",
      loop.stragglers, loop.stragglers == 1 ? "" : "s");
}

std::string devices_text(const std::vector<DeviceShare>& devices) {
  const auto idle = [](const DeviceShare& one) { return one.trials == 0; };
  if (devices.size() < 2 || std::ranges::all_of(devices, idle)) return {};
  std::string text = "  measured by";
  for (const DeviceShare& one : devices) {
    text += fmt::format("{} {}: {}", &one == &devices.front() ? "" : ",", text_of(one.device),
                        one.trials);
    if (!one.lost.empty()) text += " until it was lost";
  }
  std::vector<double> ratios;
  std::string scaled;
  for (const DeviceShare& one : devices) {
    if (!one.ratio) continue;
    ratios.push_back(*one.ratio);
    if (one.factor == 1) continue;
    scaled +=
        fmt::format("{}{} by {:.4f}", scaled.empty() ? "" : ", ", text_of(one.device), one.factor);
  }
  if (ratios.size() < 2) return text + "; they were not compared with each other";
  const auto [least, most] = std::ranges::minmax(ratios);
  text += fmt::format("; one variant took up to {:.1f} % longer on one of them than on another",
                      100 * (most / least - 1));
  if (scaled.empty()) return text + "; times stay as measured";
  return text + ", so times of the search are scaled: " + scaled;
}

std::string drift_text(const Drift& drift) {
  const auto [low, high] = drift;
  if (std::max(high - 1, 1 - low) < kNotableDrift) return {};
  return fmt::format(
      "  the device's speed changed during the run: the time of one variant, measured again every "
      "few seconds, moved by {:+.1f} % to {:+.1f} %; finalists are measured alternately",
      100 * (low - 1), 100 * (high - 1));
}

std::string duplicates_text(const DuplicateTally& duplicates,
                            const std::vector<Parameter>& parameters) {
  if (duplicates.not_run == 0) return {};
  std::string text = fmt::format("  {} not run: compiled to the same program as another variant",
                                 duplicates.not_run);
  for (const std::size_t parameter : duplicates.idle) {
    text += fmt::format(
        "\n  {} changes nothing: all values that were tried give the same program and launch",
        parameters.at(parameter).name);
  }
  return text;
}

}  // namespace tuner
