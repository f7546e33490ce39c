#pragma once
// Hints for the user after a ranking: lists that end too early, parameters that make no difference,
// the command that exports.

#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

struct StudyHint {
  std::string text;
  bool needs_all = false;  // of several sizes: worth saying only if it holds at each of them
};

// Hints from a ranking of the study's configurations:
// - the winner's value is the first or last of a list of three numbers or more, the value beside it
//   is at least 1 % worse at best, and the next number beyond the list could be launched;
// - the best configurations with each value of a parameter are within 1 %.
// They compare figures of the search, since those of a final are known for a few alone.
std::vector<StudyHint> study_hints(const Study& study, const RankedResults& results);

// Joins the hints of several sizes as lines; those of most sizes first.
std::vector<std::string> hint_lines(const std::vector<std::vector<StudyHint>>& of_sizes);

// Writes the command that exports a header. `file` is the study as a word of a shell, `where` says
// which results: " --results DIR", or nothing.
std::string header_command(const Study& study, const std::string& file, const std::string& where);

}  // namespace tuner
