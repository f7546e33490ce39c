#pragma once
// Input and output of the host's C++ compiler for a variant: its options, the source that it
// compiles, the files that it has read, and what makes of CUDA C++ something that it knows.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/programs/child_process.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cpu {

using programs::dependencies_in;
using programs::lies_in;
using programs::ScratchDirectory;

// A line of a file, counted from 1.
using Place = std::pair<std::string, std::size_t>;

// A study's compiler options, which are NVRTC's, in the host compiler's words.
struct HostOptions {
  std::vector<std::string> arguments;                        // for the host compiler
  std::vector<std::pair<std::string, std::string>> defines;  // name, replacement
  std::vector<std::string> undefines;
  std::vector<std::string> headers;        // included before the source
  std::set<std::string> system_headers{};  // before the definitions, too
  std::vector<std::string> dropped;        // without a meaning here
  std::set<Place> broken{};                // of host code that does not compile
  std::string missing{};                   // the first header that nothing stands in for
};

HostOptions translate_options(const std::vector<std::string>& options);

// Those of the options and of the request. They stand behind the header, which they therefore
// cannot change.
std::string definitions(const sdk::CompileRequest& request, const HostOptions& options);

std::string entry_name(std::size_t number);   // lowered name of the number-th kernel, from 0
std::string symbol_name(std::size_t number);  // lowered name of the number-th asked symbol

// Writes the source that the host compiler compiles: the header, the definitions, the source with
// its own name and line numbers, and the entries.
std::string variant_source(const sdk::CompileRequest& request, const HostOptions& options);

// The system's headers that define what a compilation has missed. nvcc knows these names without an
// include, because it includes such headers by itself.
std::set<std::string> headers_missed_in(const std::string& log);

// The folders of its own headers, from what it prints for -v: those where it looks without being
// told to, except /usr/local/include, where users put theirs.
std::vector<std::filesystem::path> system_folders_in(const std::string& messages);

// ---- headers that stand in for those of a CUDA toolkit ------------------------------------------

// The texts of runtime/, each a constant that the build makes.
extern const std::string_view kRuntimeHeader;      // what every variant begins with
extern const std::string_view kCooperativeGroups;  // <cooperative_groups.h>
extern const std::string_view kSmallFloats;        // what the three headers below share
extern const std::string_view kSixteenBits;
extern const std::string_view kHalf, kBFloat16, kFp8;
extern const std::string_view kComplexNumbers;      // <cuComplex.h>
extern const std::string_view kAsynchronousCopies;  // <cuda_pipeline.h>
extern const std::string_view kTensorCores;         // <mma.h>
extern const std::string_view kCub;                 // of <cub/cub.cuh> what kernels use most
extern const std::string_view kMoreFunctions;
extern const std::string_view kTextures;
extern const std::string_view kThrust;     // of Thrust what kernels use
extern const std::string_view kInlinePtx;  // what inline PTX becomes calls of
extern const std::string_view kAnything;   // what stands for names of the host's libraries

// Writes where a variant is compiled what its source may include, or all of them: files take their
// time, and most sources include nothing.
void write_stand_ins(const ScratchDirectory& scratch, std::string_view source, bool all);

// Compiler options that find them: some before all others, some only where nobody else has them.
std::vector<std::string> stand_in_options(const ScratchDirectory& scratch);

// A header that there is no stand-in for, if errors come of one; else empty.
std::string missing_header_in(const std::string& log);

// Writes what stands in for it, if only another header names it; else it as an empty one, with all
// others of its kind that the source names: most sources include them for their host code.
void write_empty_headers(const ScratchDirectory& scratch, const std::string& missing,
                         const std::string& source);

// The sentence about such a header, if errors speak of what it declares; else empty.
std::string refusal_for(const std::string& missing, const std::string& log);

// Their texts, for the compiler's identity.
std::string stand_in_texts();

inline constexpr const char* kMoreFunctionsHeader = "tuner_cpu_more_functions.h";
inline constexpr const char* kTexturesHeader = "tuner_cpu_textures.h";
inline constexpr const char* kAnythingHeader = "tuner_cpu_anything.h";
inline constexpr const char* kThrustHeader = "tuner_cpu_thrust.h";
inline constexpr const char* kInlinePtxHeader = "tuner_cpu_inline_ptx.h";

// ---- what only nvcc understands: launches, names of the host's CUDA libraries, inline PTX -------

// A word or a sign of a text.
struct Piece {
  std::size_t at = 0;
  std::string_view text;
};

// Lists those of a preprocessed text, which has no comments and whose directives are line markers.
std::vector<Piece> pieces_of(std::string_view preprocessed);

// The text with launches in C++'s words and declarations of what the host's libraries declare in
// front; host code passes a compiler with it. It keeps the text's line markers.
std::string with_host_code(const std::string& preprocessed);

// Finds the places of errors in a compiler's log.
std::set<Place> places_of_errors(const std::string& log);

// The text with blanks for the declarations at namespace scope in which these places are. Those
// stay of which `text_of` the file says that they are for a device, and those of the system.
std::string without_declarations(const std::string& preprocessed, const std::set<Place>& places,
                                 const std::function<std::string(const std::string&)>& text_of);

// The text with inline PTX in the words of kInlinePtxHeader. An instruction that it does not have
// becomes a call for which a compiler says `kNoInstruction` and its name.
std::string with_inline_ptx(const std::string& preprocessed);

inline constexpr std::string_view kNoInstruction = "the cpu backend has no PTX instruction '";

// Whether errors may be about one of these, a header, or a name that another header declares.
bool may_be_cured(const std::string& log);

}  // namespace tuner::cpu
