#pragma once
// Formulas of a kernel's numbers that give the grids of all captured launches.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/drafting/found_source.h"
#include "tuner/model/captured_launch.h"

namespace tuner {

using Launches = std::vector<CapturedLaunch>;
using Column = std::vector<std::int64_t>;  // a number of each launch
using Named = std::pair<std::string, Column>;

inline bool is_constant(const Column& column) {
  return std::ranges::all_of(column, [&](std::int64_t one) { return one == column.front(); });
}

template <typename Of>
Column column_of(const Launches& launches, const Of& of) {
  Column out;
  for (const CapturedLaunch& one : launches) out.push_back(static_cast<std::int64_t>(of(one)));
  return out;
}

// Whether it is a whole number.
bool is_whole(const FoundArgument& one);
std::int64_t whole_of(const std::vector<std::byte>& bytes, bool is_signed_type);
Column numbers_at(const FoundArgument& one, std::size_t place, const Launches& launches);

// Finds the first product of the kernel's whole numbers, or multiple of one, that has these values:
// "rows * cols". Nothing where none fits.
std::optional<std::string> plain_formula(const FoundKernel& kernel, const Launches& launches,
                                         const Column& wanted);

// "16" and "float" of "void k<float, 16>(float*)".
std::vector<std::string> template_arguments(const CapturedLaunch& launch);
// The value of a template parameter that is a number.
std::optional<std::int64_t> template_number(const FoundKernel& kernel, std::size_t place,
                                            const std::vector<std::string>& arguments);

struct CapturedGrid {
  std::vector<std::string> axes;
  std::vector<Named> extents;  // that no number of the kernel is
  bool is_found = true;        // formulas of the kernel's numbers
};
// The grid as a function of the kernel's numbers and of the block of the first launch.
CapturedGrid grid_of(const FoundKernel& kernel, const Launches& launches);

}  // namespace tuner
