// Adds up where the time and memory of a run went.

#include "tuner/run/usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "tuner/base/process_memory.h"

namespace tuner {
namespace {

constexpr double kNotableDrift = 0.03;
constexpr double kBusy = 0.8;

}  // namespace

void Usage::trial(const Trial& trial, double now) {
  if (trial.from_store) return;
  if (first_ < 0) first_ = now;
  if (trial.state == TrialState::kDropped) dropped_ += trial.cost_seconds - trial.compile_ms / 1000;
}

std::string Usage::text(double seconds) const {
  if (first_ < 0 || seconds <= 0) return {};
  const Load now = device_.load();
  const double device = now.device_seconds - before_.device_seconds;
  const double compile = now.compile_seconds - before_.compile_seconds;
  const std::uint64_t bytes = now.peak_bytes + peak_resident_bytes(::getpid());
  return fmt::format(
      "  first result after {:.2f} s, {:.1f} s in all; busy: {} compile workers {:.0f} %, device "
      "{:.0f} % (of that {:.0f} % for variants that were dropped); peak memory of all processes "
      "{:.2f} GiB",
      first_, seconds, now.compile_workers, 100 * compile / (seconds * now.compile_workers),
      100 * device / seconds, device > 0 ? 100 * dropped_ / device : 0.0,
      static_cast<double>(bytes) / (1 << 30));
}

std::string Usage::bound(double seconds) const {
  if (first_ < 0 || seconds <= 0) return {};
  const Load now = device_.load();
  const double device = (now.device_seconds - before_.device_seconds) / seconds;
  const double workers =
      (now.compile_seconds - before_.compile_seconds) / (seconds * now.compile_workers);
  if (std::max(device, workers) < kBusy) return {};
  if (device >= workers) return fmt::format("the device, {:.0f} % busy", 100 * device);
  return fmt::format("compiling, {} workers {:.0f} % busy", now.compile_workers, 100 * workers);
}

std::string drift_text(const Drift& drift) {
  const auto [low, high] = drift;
  if (std::max(high - 1, 1 - low) < kNotableDrift) return {};
  return fmt::format(
      "  the device's speed changed meanwhile: one variant, measured again every few seconds, took "
      "{:+.1f} % to {:+.1f} % of its first time; the finalists are compared side by side",
      100 * (low - 1), 100 * (high - 1));
}

std::string twins_text(std::size_t twins) {
  if (twins == 0) return {};
  return fmt::format("  {} not run: the compiler had made the same program of another variant",
                     twins);
}

}  // namespace tuner
