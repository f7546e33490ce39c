#pragma once
// A program for another tuner, Kernel Tuner or KTT: what it says about a kernel, as far as it is
// literal.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
  std::vector<std::string> left_out;     // all that is there and is not literal
  std::vector<std::string> not_taken{};  // arguments of its call, "answer (reference)"
  std::vector<std::string> options{};    // of the compiler
  std::vector<std::string> remarks{};    // restrictions that are left out, as they stand
  std::set<std::size_t> inputs{};        // arguments of the kernel that it does not write
  std::string tolerance{};               // of all outputs, as a study says it; empty: not said
  // Places of parameters that have a call each: "AddParameter, line 16 of host.cpp".
  std::map<std::string, std::string> given{};
};

struct ReadScript {
  std::vector<std::string> sources;  // texts in it that end like names of kernels' sources
  std::string kernel;                // the first text that is a CUDA kernel; empty: there is none
  std::vector<TunerScript> calls;    // in the order of the script
  std::string problem;               // why it is not read; empty: it is
};

// Reads programs of KTT's, and has python3 read scripts of Kernel Tuner's: they are parsed, and
// never run. All at once, since an interpreter takes longer to start than to read.
std::vector<ReadScript> read_tuner_scripts(const std::vector<SourceText>& scripts);

// A value for each of its parameters, so that its restrictions hold as far as they can be read.
std::vector<std::int64_t> first_valid(const TunerScript& script);

}  // namespace tuner
