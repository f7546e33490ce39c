#pragma once
// A CUDA source without its unwanted parts: the code for the host, and kernels that no entry names.

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tuner {

struct DevicePart {
  std::string text;                   // blanks stand for what is left out: no line or column moves
  std::vector<std::string> left_out;  // "main", "<vector>", ...
};

// Leaves out functions at namespace scope that are declared neither __device__ nor __global__ nor
// constexpr (nor by a macro, which may say any of it), variables of the host's C++ library, and
// includes that only such code needs. `headers`: texts with definitions of macros; of a macro that
// is defined in none of them nothing is known.
DevicePart device_part(const std::string& source, const std::vector<std::string>& headers = {});

// ---- kernels that nobody asks for ---------------------------------------------------------------

// Blanks stand for the kernels at namespace scope that none of `entries` names, so that no line or
// column moves. A kernel stays where it may be needed all the same: its name occurs a second time,
// or in a directive, or among `words_elsewhere`, those of what the source includes; it has
// directives in it, is a template, or is declared with words that may mean anything. All stay where
// an entry is no function of this text, is only known for a configuration ("k_{FORM}"), or where
// macros make names.
std::string wanted_kernels(const std::string& source, const std::vector<std::string>& entries,
                           const std::set<std::string, std::less<>>& words_elsewhere = {});

// The text with the lines of those kernels, and of the comments above them, taken out: for a text
// that is read by people.
std::string only_wanted_kernels(const std::string& source, const std::vector<std::string>& entries);

}  // namespace tuner
