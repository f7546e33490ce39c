#pragma once
// Two ranked configurations and one that does not compile, as text is made of them.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"

namespace tuner {

inline const std::vector<std::string> kNames{"BM", "SHARED"};

inline Trial valid_trial(std::int64_t bm, const std::string& shared, double ms) {
  Trial trial;
  trial.configuration = {bm, shared};
  trial.timing.samples = {ms, ms};
  trial.timing.median = ms;
  trial.timing.ci_low = ms * 0.99;
  trial.timing.ci_high = ms * 1.01;
  trial.timing.min = ms * 0.98;
  trial.metrics = {{"gflops", 2.0 / ms}};
  trial.geometry.dynamic_shared_bytes = 512;
  trial.compile_ms = 80;
  return trial;
}

inline RankedResults ranked_rows() {
  RankedResults results;
  results.device.name = "NVIDIA H200";
  results.size.dims = {{"M", 10}, {"N", 20}};
  results.trials = {valid_trial(64, "static", 0.5), valid_trial(32, "static", 0.50125)};
  results.trials[0].resources.registers = 40;
  results.trials[0].resources.static_shared_bytes = 0;
  results.trials[0].resources.spill_bytes = 4;
  results.trials[0].occupancy = 0.5;
  results.trials[0].max_error = 0;
  results.trials[0].cache_hit = true;
  results.ranked = 2;
  results.tied = {true, true};
  Trial failed;
  failed.configuration = {std::int64_t{128}, "a, \"b\""};
  failed.state = TrialState::kCompile;
  failed.message = "line 1\nsaid \"no\"";
  results.trials.push_back(failed);
  return results;
}

// The winner by the final, whose time is another one than the search's.
inline RankedResults with_final() {
  RankedResults results = ranked_rows();
  FinalResult& final = results.trials[0].final.emplace();
  final.samples = {0.54, 0.55, 0.56};
  final.median_ms = FinalFigure(0.55);
  final.ci_low_ms = FinalFigure(0.54);
  final.ci_high_ms = FinalFigure(0.56);
  final.metrics = {{"gflops", 3.6}};
  return results;
}

}  // namespace tuner
