#pragma once
// A script of Kernel Tuner's: what its call of tune_kernel() says about a kernel, as far as it is
// literal.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/source/signature.h"

namespace tuner {

struct TunerScript {
  std::string kernel, place;  // place: "line 40 of tune.py"
  SourceText host;            // the same launch as host code in CUDA C++
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> parameters;
  std::vector<std::string> unknown;  // parameters whose values are not literal
  std::vector<std::string> restrictions;
  std::vector<std::string> left_out;  // all that is there and is not literal
};

// The first call for one of these kernels.
std::optional<TunerScript> read_tuner_script(const SourceText& script,
                                             const std::vector<std::string>& kernels);

// A value for each of its parameters, so that its restrictions hold as far as they can be read.
std::vector<std::int64_t> first_valid(const TunerScript& script);

// Names in quotes that end like sources of kernels.
std::vector<std::string> sources_named_in(const std::string& script);

// The first text in quotes that is a CUDA kernel; empty: there is none.
std::string kernel_written_in(const std::string& script);

}  // namespace tuner
