#pragma once
// Sizes, numbers, buffers and grids of a study, from captured launches of its kernel.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/drafting/draft_context.h"
#include "tuner/model/captured_launch.h"

namespace tuner {

// The name of the function in which captured_code() launches the kernel.
inline constexpr const char* kCapturedLaunch = "captured_launch";

// The name of its kernel without namespaces, template arguments and parameters.
std::string base_name(const CapturedLaunch& launch);
// Whether it is a launch of the kernel, by that name.
bool is_launch_of(const CapturedLaunch& launch, const std::string& kernel);

// Writes the launches as host code: the numbers of the first one, with the grid as a function of
// the kernel's numbers and of its block wherever one fits all launches. Throws InputError where
// they have another number of parameters than the kernel.
std::string captured_code(const FoundKernel& kernel, const DraftRequest& request);

// The type of a parameter as the kernel's symbol has it: "__half" of "void k(__half*, int)".
std::string parameter_type(const CapturedLaunch& launch, std::size_t place);

// Whether both are of one problem size: all that is passed but addresses is equal, and so are the
// grids where the blocks are.
bool are_as_large(const CapturedLaunch& a, const CapturedLaunch& b);

// Finds the parameters that point to what any of the launches changed; reads their memory.
std::set<std::size_t> changed_parameters(const std::vector<CapturedLaunch>& launches);

// Whether a number that the kernel takes differs between the launches.
bool differs(const FoundKernel& kernel, const std::vector<CapturedLaunch>& launches,
             const std::string& argument);

// Extents that the grid of the launches follows and that no number of the kernel is, by launch.
std::vector<std::pair<std::string, std::vector<std::int64_t>>> captured_extents(
    const FoundKernel& kernel, const DraftRequest& request);

// Whether a launch reaches memory otherwise than by a pointer to numbers, so that all of it has to
// be where it was.
bool needs_captured_memory(const DraftContext& context);

// An argument as it was captured: a number, a buffer that begins where the launch's did, or bytes.
// `drafted`: what the source says of a buffer.
DraftedArgument captured_argument(DraftContext& context, const FoundArgument& one,
                                  std::size_t place, DraftedArgument drafted);

// Adds the sizes of all launches, and says what was found in them.
void draft_captured(DraftContext& context);

}  // namespace tuner
