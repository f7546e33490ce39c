#pragma once
// Ranked results for people and spreadsheets.

#include <filesystem>
#include <span>
#include <string>

#include "tuner/model/ranked_results.h"

namespace tuner {

// One line for each trial, best first, failures after the ranked:
//   rank,state,<parameters>,<dimensions>,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,<metrics>,tie,
//   registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,occupancy,compile_ms,cache_hit,
//   max_error,message,verified
// `verified` (of the ranked: true, false) says whether the study compares their answers with right
// ones. With several objectives `front` (true, false) stands before `tie`. What is not known is
// empty; times of failures too. `parameters` are the names of the values in Trial::configuration.
// Quoted after RFC 4180, lines end with "\n".
std::string ranked_csv(const RankedResults& results, std::span<const std::string> parameters);

// <results>/<kernel>/<device>/<size>.csv, each part made safe as a file name.
std::filesystem::path ranked_csv_path(const std::filesystem::path& results,
                                      const std::string& kernel, const DeviceFacts& device,
                                      const ProblemSize& size);

// Writes the file at its place, whole or not at all. Throws FatalError.
std::filesystem::path write_ranked_csv(const std::filesystem::path& results,
                                       const std::string& kernel, const RankedResults& ranked,
                                       std::span<const std::string> parameters);

// An aligned table of the best `top` for a terminal: time with the half width of its interval,
// metrics, and the parameters that vary; "=" marks those tied with the best, "*" those on the front
// of several objectives, all of which are shown. Two lines follow: what all shown have in common,
// and how many trials ended in which state.
std::string ranked_table(const RankedResults& results, std::span<const std::string> parameters,
                         std::size_t top = 10);

}  // namespace tuner
