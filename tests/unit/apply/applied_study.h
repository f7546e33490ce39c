#pragma once
// Studies and results of one device, for tests of what a program's launches become.

#include <string>
#include <vector>

#include "tests/fakes/scratch_folder.h"
#include "tests/unit/deploy/sample_study.h"
#include "tuner/apply/choice.h"
#include "tuner/base/atomic_file.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {

inline Study study_of(const std::string& text) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "s.cu", "");
  const auto no_more_checks = [](const Study&) { return std::vector<Complaint>(); };
  return parse_study_text(folder.path() / "s.yaml", "schema: 1\n" + text,
                          {DataFiles::kIgnored, no_more_checks})
      .study;
}

inline Study study_with(const std::string& arguments, const std::string& more = {}) {
  return study_of(
      "kernel: {name: scale, source: s.cu, entry: scale}\n"
      "problem_sizes: [{H: 100, W: 64}, {H: 200, W: 64}, {H: 300, W: 32}]\n"
      "parameters: {BLOCK: [32, 64, 128]}\n"
      "launch: {block: [BLOCK], grid: [\"ceil_div(W, BLOCK)\", H]}\n"
      "arguments:\n" +
      arguments + more);
}

inline RankedResults results_of(std::int64_t h, std::int64_t w, std::int64_t best) {
  RankedResults out = sample_result(sample_device("NVIDIA H200", 90), h, w, {});
  out.size.dims = {{"H", h}, {"W", w}};
  for (const std::int64_t block : {best, std::int64_t{32}, std::int64_t{64}, std::int64_t{128}}) {
    if (block == best && !out.trials.empty()) continue;
    out.trials.push_back(sample_trial({block}, block == best ? 1.0 : 2.0));
  }
  out.ranked = out.trials.size();
  out.tied.assign(out.ranked, false);
  return out;
}

// BLOCK is 32, 64 and 128 at the study's sizes.
inline std::vector<RankedResults> tuned_results() {
  return {results_of(100, 64, 32), results_of(200, 64, 64), results_of(300, 32, 128)};
}

template <typename Number>
std::string bytes(Number number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

inline ProgramLaunch launch_of(std::uint32_t grid_x, std::uint32_t grid_y, std::uint32_t block,
                               std::vector<std::string> values) {
  return {{{grid_x, grid_y, 1}, {block, 1, 1}, 0, {}}, std::move(values)};
}

}  // namespace tuner
