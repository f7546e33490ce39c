#pragma once
// A host program of KTT's: what its calls of a ktt::Tuner say about its kernels.

#include "tuner/drafting/tuner_script.h"

namespace tuner {

// Reads it as source text, and neither compiles nor runs it. The launch of each kernel that has
// parameters is the program itself with "kernel<<<grid, block>>>(arguments);" in it, so that its
// variables and its vectors are read like those of any host code.
ReadScript read_ktt_program(const SourceText& program);

}  // namespace tuner
