#pragma once
// Headers that stand in for those of a CUDA toolkit.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugins/programs/child_process.h"

namespace tuner::cpu {

using programs::ScratchDirectory;

// The texts of runtime/, each a constant that the build makes.
extern const std::string_view kRuntimeHeader;      // what every variant begins with
extern const std::string_view kCooperativeGroups;  // <cooperative_groups.h>
extern const std::string_view kSmallFloats;        // what the three headers below share
extern const std::string_view kSixteenBits;
extern const std::string_view kHalf, kBFloat16, kFp8;
extern const std::string_view kComplexNumbers;      // <cuComplex.h>
extern const std::string_view kAsynchronousCopies;  // <cuda_pipeline.h>
extern const std::string_view kTensorCores;         // <mma.h>
extern const std::string_view kMoreFunctions;
extern const std::string_view kTextures;
extern const std::string_view kAnything;  // what stands for names of the host's libraries

// Writes where a variant is compiled what its source may include, or all of them: files take their
// time, and most sources include nothing.
void write_stand_ins(const ScratchDirectory& scratch, std::string_view source, bool all);

// Compiler options that find them: some before all others, some only where nobody else has them.
std::vector<std::string> stand_in_options(const ScratchDirectory& scratch);

// The sentence about a header that there is no stand-in for, if errors come of one; else empty.
std::string refused_header_in(const std::string& log);

// Their texts, for the compiler's identity.
std::string stand_in_texts();

inline constexpr const char* kMoreFunctionsHeader = "tuner_cpu_more_functions.h";
inline constexpr const char* kTexturesHeader = "tuner_cpu_textures.h";
inline constexpr const char* kAnythingHeader = "tuner_cpu_anything.h";

}  // namespace tuner::cpu
