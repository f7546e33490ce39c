#pragma once
// How a source begins: the includes that stand before all of its code.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::cuda {

struct LeadingInclude {
  std::string name;       // as it is written, without quotes; a macro's where it is one
  std::size_t end = 0;    // of the source's text up to its line's end
  std::size_t lines = 0;  // of that text
};

// Those with nothing before them but directives, comments and blank lines, and none of them in an
// #if that is still open there.
std::vector<LeadingInclude> leading_includes(std::string_view source);

using WordSet = std::set<std::string, std::less<>>;

// Finds where a text first has one of these words, in a comment or a string, too; npos: nowhere.
std::size_t first_mention(std::string_view text, const WordSet& names);

}  // namespace tuner::cuda
