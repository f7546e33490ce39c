#pragma once
// A CUDA source without kernels that nobody asks for: compilers translate every kernel of a file,
// and most of the time for a small variant may be that of the reference beside it.

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tuner {

// Blanks stand for the kernels at namespace scope that none of `entries` names, so that no line or
// column moves. A kernel stays where it may be needed all the same: its name occurs a second time,
// or in a directive, or among `words_elsewhere`, those of what the source includes; it has
// directives in it, is a template, or is declared with words that may mean anything. All stay where
// an entry is no function of this text, is only known for a configuration ("k_{FORM}"), or where
// macros make names.
std::string wanted_kernels(const std::string& source, const std::vector<std::string>& entries,
                           const std::set<std::string, std::less<>>& words_elsewhere = {});

}  // namespace tuner
