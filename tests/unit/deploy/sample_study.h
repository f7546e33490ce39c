#pragma once
// A small study and what a run on two devices might have found out.

#include <string>
#include <vector>

#include "tuner/deploy/domain_table.h"
#include "tuner/deploy/launcher.h"
#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

inline NamedExpression named(const std::string& name, const std::string& text) {
  return {name, Expression::parse_or_throw(text)};
}

inline Study sample_study() {
  Study study;
  study.file = "matmul.yaml";
  study.kernel.name = "matmul";
  study.kernel.source = "/somewhere/matmul.cu";
  study.kernel.entry = "matmul";
  study.sizes = {{{{"M", 1024}, {"N", 1024}}}, {{{"M", 4096}, {"N", 2048}}}};
  study.parameters = {{"BM", {std::int64_t{16}, std::int64_t{32}, std::int64_t{128}}, {}},
                      {"VEC", {std::int64_t{1}, std::int64_t{4}}, {}},
                      {"SHARED", {"static", "dynamic"}, {}},
                      {"SCALE", {0.5, std::int64_t{1}}, {}},
                      {"FAST", {false, true}, {}}};
  study.derived = {named("threads", "BM * 4"), named("bytes", "BM * 1024 * (1 + FAST)")};
  for (const char* rule :
       {"32 <= threads <= device.max_threads_per_block", "VEC == 1 or N % VEC == 0",
        "bytes <= (49152 if SHARED == 'static' else device.max_shared_memory_per_block_optin)"}) {
    study.constraints.push_back(Expression::parse_or_throw(rule));
  }
  study.launch.grid = {Expression::parse_or_throw("ceil_div(M, BM)"),
                       Expression::parse_or_throw("N / 4 if N % 4 == 0 else N"),
                       {}};
  study.launch.block = {Expression::parse_or_throw("threads"), {}, {}};
  study.launch.dynamic_shared_bytes =
      Expression::parse_or_throw("bytes if SHARED == 'dynamic' else 0");
  study.kernel.subject = Subject::kKernel;
  return study;
}

inline DeviceFacts sample_device(const std::string& name, int compute_capability) {
  DeviceFacts device;
  device.backend = "cuda";
  device.name = name;
  device.compute_capability = compute_capability;
  device.arch = "sm_" + std::to_string(compute_capability);
  device.driver = "580.65";
  device.multiprocessors = compute_capability;
  device.max_shared_memory_per_block_optin = compute_capability >= 90 ? 232448 : 166912;
  return device;
}

inline Configuration sample_configuration(std::int64_t bm, std::int64_t vec,
                                          const std::string& shared, bool fast) {
  return {bm, vec, shared, 0.5, fast};
}

inline Trial sample_trial(const Configuration& configuration, double ms) {
  Trial trial;
  trial.configuration = configuration;
  trial.timing.samples = {ms, ms, ms};
  trial.timing.median = ms;
  trial.timing.ci_low = ms * 0.99;
  trial.timing.ci_high = ms * 1.01;
  trial.timing.min = ms * 0.98;
  trial.objective = SearchFigure(ms / 1000);
  trial.metrics = {{"gflops", 1 / ms}};
  return trial;
}

inline RankedResults sample_result(const DeviceFacts& device, std::int64_t m, std::int64_t n,
                                   const std::vector<Trial>& ranked) {
  RankedResults results;
  results.device = device;
  results.size.dims = {{"M", m}, {"N", n}};
  results.trials = ranked;
  results.ranked = ranked.size();
  results.tied.assign(ranked.size(), false);
  results.date = "2026-01-31T12:00:00Z";
  results.compiler = "NVRTC 13.0";
  return results;
}

// A buffer of M elements.
inline ArgumentSpec buffer(const std::string& name, Role role) {
  ArgumentSpec spec;
  spec.name = name;
  spec.shape = {Expression::parse_or_throw("M")};
  spec.role = role;
  return spec;
}

// H200: small sizes like BM = 32, large ones BM = 128; A100: BM = 16. VEC = 4 wins everywhere.
inline std::vector<RankedResults> sample_results() {
  const auto small = sample_configuration(32, 4, "static", false);
  const auto large = sample_configuration(128, 4, "dynamic", false);
  const auto old = sample_configuration(16, 4, "static", false);
  const auto plain = sample_configuration(16, 1, "static", false);
  const DeviceFacts h200 = sample_device("NVIDIA H200", 90);
  const DeviceFacts a100 = sample_device("NVIDIA A100", 80);
  return {
      sample_result(h200, 1024, 1024,
                    {sample_trial(small, 1.0), sample_trial(large, 1.3), sample_trial(old, 1.5),
                     sample_trial(plain, 3.0)}),
      sample_result(h200, 4096, 2048,
                    {sample_trial(large, 8.0), sample_trial(small, 10.0), sample_trial(old, 13.0),
                     sample_trial(plain, 30.0)}),
      sample_result(a100, 1024, 1024,
                    {sample_trial(old, 2.0), sample_trial(small, 2.2), sample_trial(plain, 5.0)})};
}

// Makes a table of these results, with the usual options.
inline std::string export_header(const Study& study, const std::vector<RankedResults>& results,
                                 const HeaderOptions& options = {}) {
  return export_header(study, exported_table(study, results, {}), options);
}

inline LauncherFiles export_launcher(const Study& study, const std::vector<RankedResults>& results,
                                     const LauncherOptions& options) {
  return export_launcher(study, exported_table(study, results, {}), options);
}

}  // namespace tuner
