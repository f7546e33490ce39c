#pragma once
// What one problem size makes of a study's expressions, before any device is known.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/expected.h"
#include "tuner/model/study.h"

namespace tuner {

// A value that stands for a count: an integer, a whole float or a boolean. The message otherwise
// ("7.5 is not a whole number").
Expected<std::int64_t, std::string> whole_number(const Value& value);

// A size as people write it: 4096, 2**20, 1_000_000 or 1e6, which an expression without names makes
// a whole number. Empty for anything else.
std::optional<std::int64_t> extent_from(const std::string& text);
// Which number someone may have meant who wrote 2^20, 64k or "1,000": "2**20 is 1048576". Else
// nothing.
std::string meant_by(const std::string& text);

// Where an evaluation went wrong, in the file.
Position place_of(const Expression& expression, const EvaluationError& error);

// Whether the files that fill arguments, or hold right answers, have to be there and to fit. Where
// results of others are taken over, nobody reads them.
enum class DataFiles { kNeeded, kIgnored };

// Shapes and the reference's geometry must be positive whole numbers, tolerances must not be
// negative, scalars must fit their type, files must be large enough. Expressions that need more
// than the problem size are left to later.
std::vector<Complaint> check_size(const Study& study, const ProblemSize& size,
                                  DataFiles data = DataFiles::kNeeded);

// "M=1024,N=1024" from the command line: every dimension of the study once, in any order. Throws
// InputError, also for what check_size says.
ProblemSize parse_size_option(const std::string& text, const Study& study,
                              DataFiles data = DataFiles::kNeeded);

}  // namespace tuner
