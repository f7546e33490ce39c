#pragma once
// Guesses from a kernel's names and from what it does with them.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/drafting/found_source.h"

namespace tuner {

// Whether a macro or template parameter of this name is a knob rather than a part of the problem.
bool looks_tunable(const std::string& name);
// Whether it is none, whatever a trial of other values shows: a limit, a mask.
bool is_no_knob(const std::string& name);

// Values to try for a knob, in order, the present one among them. `threads_of_axes`: how many axes
// the block has that it is an extent of; 0: it is none.
std::vector<std::int64_t> values_to_try(const std::string& name, std::int64_t present,
                                        int threads_of_axes);

// Whether this is a usual name of an extent: "rows", "N".
bool may_be_extent(const std::string& name);

// Whether a whole number that a kernel takes is an extent of its problem.
bool is_extent(const FoundKernel& kernel, const std::string& name);

// A kernel's use of a buffer.
struct Use {
  bool reads = false, writes = false;
  std::vector<Tokens> subscripts;  // with local variables as they stand
};
Use use_of(Tokens body, const std::string& buffer);

// The words of a subscript, local variables replaced by what they are set to.
std::set<std::string> words_in(Tokens subscript, Tokens body);

// Whether "a * word" stands in one of its subscripts, in any order, local variables seen through.
bool multiplies(const Use& use, Tokens body, const std::string& word);

// The first number that a kernel's switch over a variable names, or that it compares the variable
// with by name: "case kMean:", "mode == kMean". Of other values it may know nothing.
std::optional<std::int64_t> named_value(Tokens body, const std::string& variable,
                                        const std::map<std::string, std::int64_t>& numbers);

// Axes (0 to 2) of `index`, "threadIdx" or "blockIdx", that a kernel uses.
int axes_used(Tokens body, std::string_view index);

// The axis that an extent of this name is usually laid along: 'x' for "cols"; 0: none.
char axis_of_extent(const std::string& name);

// The share of the problem that a block takes along an axis: the factors, as pieces of a product,
// that the block's index is multiplied with; none where it is not multiplied. "(blockIdx.x * 256 +
// threadIdx.x) / 32" divides by 32: that many threads share an element.
struct ShareOfABlock {
  std::vector<std::string> factors;
  std::string divisor;  // empty: none
};
ShareOfABlock share_of_a_block(Tokens body, char axis);

// Whether a buffer holds where rows begin, as in compressed sparse rows: a[i] and a[i + 1] are
// read.
bool holds_offsets(const Use& use);

// Finds the extent that each axis of the grid, 'x' to 'z', runs along: "cols" for x where "c =
// blockIdx.x * 256 + threadIdx.x" is compared with cols, or is added to "r * cols". An axis without
// either is left out.

// By axis, 'x' to 'z': "cols" for x where "c = blockIdx.x * 256 + threadIdx.x" is compared with
// cols, or is what is added to "r * cols". An axis of which neither tells is not in it.
std::map<char, std::string> extents_of_axes(Tokens body, const std::set<std::string>& extents);

// Whether only the inside of a problem is computed: an index is compared with "nx - 1" or "> 0".
bool skips_borders(Tokens body, const std::set<std::string>& extents);

// The axis of the grid that each of these expressions of the body depends on; none where it is not
// one.
std::optional<char> axis_of(const std::vector<Tokens>& expressions, Tokens body);

}  // namespace tuner
