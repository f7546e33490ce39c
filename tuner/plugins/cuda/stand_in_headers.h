#pragma once
// Small stand-ins for the headers of the C and C++ libraries that kernels include out of habit:
// NVRTC compiles without a host compiler's folders and would stop at the first <math.h>.

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace tuner::cuda {

extern const std::string_view kStandInHeaders;  // stand_in_headers.txt

// Name and text of each. Those that need the toolkit's C++ library (<cuda/std/...>) or stand for
// some of its own headers are there as `has_toolkit` says. A file of the same name in a folder in
// which the request looks for includes is the user's: it has no stand-in.
std::vector<std::pair<std::string, std::string>> stand_in_headers(
    const sdk::CompileRequest& request, bool has_toolkit);

// Over all texts: what was compiled with others is something else.
std::string stand_in_revision();

// The stand-ins that define what a compilation has missed. nvcc knows these names without an
// include, because it includes headers of the host by itself.
std::set<std::string> headers_missed_in(const std::string& log, bool has_toolkit);

// Returns a hint for "cannot open source file" in a log of NVRTC; empty when it is not there.
std::string missing_header_hint(const std::string& log, bool has_toolkit);

}  // namespace tuner::cuda
