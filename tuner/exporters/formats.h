#pragma once
// The small export formats: each holds the results of one device and one problem size.

#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/ports/exporter.h"

namespace tuner {

// The only result there is. Throws InputError when there are several, listing them, or none.
const RankedResults& single_result(const std::vector<RankedResults>& results,
                                   const std::string& format);

// The best configuration as compiler options, one "-DNAME=value" a line: a response file for nvcc
// and g++. The names are those that the kernel was tuned with. Throws InputError when nothing is
// valid.
std::string export_defines(const Study& study, const RankedResults& results);

// The auto-tuning community's results format (T4, schema 1.1.0), all trials, times in milliseconds.
// Beside the schema's fields: times.compilation (the older name of compilation_time),
// times.benchmark (what a trial cost beyond compiling), metadata.kernel and metadata.problem_size.
std::string export_t4(const Study& study, const RankedResults& results,
                      const std::string& version = {});

}  // namespace tuner
