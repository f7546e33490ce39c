#pragma once
// What stands in a preprocessed source that only nvcc understands: launches, names of the host's
// CUDA libraries, inline PTX.

#include <string>

namespace tuner::cpu {

// The text with launches in C++'s words and declarations of what the host's libraries declare in
// front; host code passes a compiler with it. It keeps the text's line markers.
std::string with_host_code(const std::string& preprocessed);

// "kernel.cu:12" of the first inline assembly of the text; empty when there is none.
std::string place_of_inline_assembly(const std::string& preprocessed);

// Whether errors may be about one of these, a header, or a name that another header declares.
bool may_be_cured(const std::string& log);

}  // namespace tuner::cpu
