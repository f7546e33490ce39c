#pragma once
// The small export formats: -D lines, T4 and wisdom files.

#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

// The only result with a valid configuration. Throws InputError when there are several, listing
// them, or none.
const RankedResults& single_result(const std::vector<RankedResults>& results,
                                   const std::string& format);

// The best configuration as compiler options, one word a line: a response file for g++, clang
// (@FILE) and nvcc (-optf FILE). First "-DNAME=value" for each name that the kernel was tuned with,
// then the study's own options. Throws InputError when nothing is valid, or when a value cannot be
// quoted: control characters, '$' and backticks.
std::string export_defines(const Study& study, const RankedResults& results);

// The auto-tuning community's results format (T4, schema 1.1.0), all trials, times in milliseconds.
// Beside the schema's fields: times.compilation (the older name of compilation_time),
// times.benchmark (what a trial cost beyond compiling), metadata.kernel, metadata.problem_size,
// metadata.objective and metadata.objective_direction. No trial's objective is written as good as
// that of the one that ranks first: see beside_best().
std::string export_t4(const Study& study, const RankedResults& results,
                      const std::string& version = {});

// A wisdom file of Kernel Launcher (version 1.0): a line of JSON that names the kernel ("key") and
// the parameters, then one line for the best configuration of each device and problem size, times
// in milliseconds. Kernel Launcher looks for it as <key>.wisdom; characters of the key other than
// letters, digits and "_-." are "_" there. Throws InputError for more than three dimensions, which
// the format does not have, and when nothing is valid.
std::string export_wisdom(const Study& study, const std::vector<RankedResults>& results);

}  // namespace tuner
