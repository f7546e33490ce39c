#pragma once
// NVRTC's functions, resolved at run time.

#include <nvrtc.h>

#include <string>
#include <vector>

namespace tuner::cuda {

#define TUNER_NVRTC_FUNCTIONS(ROW)                 \
  ROW(version, nvrtcVersion)                       \
  ROW(get_error_string, nvrtcGetErrorString)       \
  ROW(create_program, nvrtcCreateProgram)          \
  ROW(destroy_program, nvrtcDestroyProgram)        \
  ROW(add_name_expression, nvrtcAddNameExpression) \
  ROW(compile_program, nvrtcCompileProgram)        \
  ROW(get_lowered_name, nvrtcGetLoweredName)       \
  ROW(get_log_size, nvrtcGetProgramLogSize)        \
  ROW(get_log, nvrtcGetProgramLog)                 \
  ROW(get_cubin_size, nvrtcGetCUBINSize)           \
  ROW(get_cubin, nvrtcGetCUBIN)                    \
  ROW(get_ptx_size, nvrtcGetPTXSize)               \
  ROW(get_ptx, nvrtcGetPTX)

struct NvrtcApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses
#define TUNER_ROW(member, function) decltype(&::function) member = nullptr;
  TUNER_NVRTC_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  std::string file;  // that it was loaded from
};

// Candidates for dlopen: sonames for the loader's own search, then the toolkits named by
// $CUDA_HOME, $CUDA_PATH and the customary place.
std::vector<std::string> nvrtc_candidates();

// Throws sdk::Error with the reason.
NvrtcApi load_nvrtc();

// Include directories of the toolkit that this NVRTC belongs to; empty when it came alone.
std::vector<std::string> toolkit_includes(const NvrtcApi& api);

}  // namespace tuner::cuda
