#pragma once
// Trials to store: every field different from its default, and a pure function of the number, so
// that a test can tell a stored trial from a damaged one.

#include <algorithm>

#include "tuner/store/store.h"

namespace tuner {

inline ContextKey sample_key() {
  ContextKey key;
  key.kernel = "matmul";
  key.device.backend = "cuda";
  key.device.name = "NVIDIA H200";
  key.device.arch = "sm_90";
  key.device.driver = "580.65";
  key.device.compute_capability = 90;
  key.device.max_shared_memory_per_block_optin = 232448;
  key.size.dims = {{"M", 1024}, {"N", 512}};
  key.parameters = {"BM", "SHARED", "SCALE", "PAD"};
  key.identity = {{"source", "abc"}, {"compiler", "nvrtc 13.0"}};
  return key;
}

inline Configuration sample_configuration(int number) {
  return {std::int64_t{number}, number % 2 == 0 ? "static" : "dynamic", 0.1 * number,
          number % 3 == 0};
}

inline std::optional<Trial> find(Store& store, const Context& context,
                                 const Configuration& configuration) {
  const auto trials = store.trials(context);
  const auto found = std::ranges::find(trials, configuration, &Trial::configuration);
  return found == trials.end() ? std::nullopt : std::optional(*found);
}

inline Trial sample_trial(int number) {
  Trial trial;
  trial.configuration = sample_configuration(number);
  trial.timing.samples = {1.0 / 3 + number, 2.5, 1e-9};
  trial.timing.median = 1.0 / 3 + number;
  trial.timing.ci_low = 0.1 + number;
  trial.timing.ci_high = 0.7 + number;
  trial.timing.min = 1e-9;
  trial.final.emplace().samples = {0.3 + number, 0.4};
  trial.final->objective = FinalFigure(1.0 / 7 + number);
  trial.final->metrics = {{"gflops", 1e-300}};
  trial.metrics = {{"gflops", 1e300 / (number + 1)}, {"a", 2.0}};
  trial.objective = SearchFigure(3e-4 * number);
  trial.geometry.grid = {7, 8, 9};
  trial.geometry.block = {32, 4, 2};
  trial.geometry.dynamic_shared_bytes = 65536;
  trial.resources = {40, 128, 16, 24, 8, 512};
  trial.occupancy = 0.75;
  trial.compile_ms = 82.5;
  trial.cache_hit = true;
  trial.max_error = 1e-7;
  trial.message = "note " + std::to_string(number);
  trial.cost_seconds = 0.25;
  return trial;
}

inline bool same_trial(const Trial& a, const Trial& b) {
  return a.configuration == b.configuration && a.state == b.state &&
         a.timing.samples == b.timing.samples && a.timing.median == b.timing.median &&
         a.timing.ci_low == b.timing.ci_low && a.timing.ci_high == b.timing.ci_high &&
         a.timing.min == b.timing.min && a.metrics == b.metrics &&
         a.final.has_value() == b.final.has_value() &&
         (!a.final ||
          (a.final->samples == b.final->samples && a.final->objective == b.final->objective &&
           a.final->metrics == b.final->metrics)) &&
         a.objective == b.objective && a.geometry.grid == b.geometry.grid &&
         a.geometry.block == b.geometry.block &&
         a.geometry.dynamic_shared_bytes == b.geometry.dynamic_shared_bytes &&
         a.resources.registers == b.resources.registers &&
         a.resources.static_shared_bytes == b.resources.static_shared_bytes &&
         a.resources.constant_bytes == b.resources.constant_bytes &&
         a.resources.local_bytes == b.resources.local_bytes &&
         a.resources.spill_bytes == b.resources.spill_bytes &&
         a.resources.max_threads == b.resources.max_threads && a.occupancy == b.occupancy &&
         a.compile_ms == b.compile_ms && a.cache_hit == b.cache_hit && a.max_error == b.max_error &&
         a.message == b.message && a.cost_seconds == b.cost_seconds;
}

}  // namespace tuner
