#pragma once
// NVRTC as the compiler of this backend.

#include <nvrtc.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/opened_files.h"
#include "tuner/plugins/cuda/preamble.h"
#include "tuner/plugins/cuda/ptxas_log.h"

namespace tuner::cuda {

// ---- its functions, resolved at run time --------------------------------------------------------

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

// Since CUDA 12.8; without them headers are not precompiled.
#define TUNER_NVRTC_PREAMBLE_FUNCTIONS(ROW)           \
  ROW(set_pch_heap_size, nvrtcSetPCHHeapSize)         \
  ROW(get_pch_create_status, nvrtcGetPCHCreateStatus) \
  ROW(get_pch_heap_size_required, nvrtcGetPCHHeapSizeRequired)

struct NvrtcApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses
#define TUNER_ROW(member, function) decltype(&::function) member = nullptr;
  TUNER_NVRTC_FUNCTIONS(TUNER_ROW)
  TUNER_NVRTC_PREAMBLE_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  std::string file;  // that it was loaded from
};

// Looks where the loader does, then in toolkits(). Throws sdk::Error with the reason.
NvrtcApi load_nvrtc();

// Include directories of the toolkit that this NVRTC belongs to; empty when it came alone.
std::vector<std::string> toolkit_includes(const NvrtcApi& api);

// ---- the compiler -------------------------------------------------------------------------------

// Source to cubin with NVRTC (to PTX for an architecture "compute_..."). Needs no GPU.
class NvrtcCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "cuda";
  static constexpr const char* kSummary = "NVIDIA NVRTC";
  static constexpr auto kReads = TUNER_OPTIONS_NVRTC;

  NvrtcCompiler();  // throws sdk::Error when NVRTC is not there
  std::string identity() override;
  sdk::CompileResult compile(const sdk::CompileRequest& request) override;

 private:
  // The headers of the source that was compiled last: each worker has its own, since NVRTC reads
  // what it has precompiled in the same process only.
  struct Preamble {
    std::string key;
    sdk::CompileRequest first;           // was compiled without it
    sdk::CompileResult of_first;         // what that has become
    std::optional<SplitSource> split{};  // none: it is no use
    std::unique_ptr<NamelessFile> file{};
    std::vector<std::string> opened{};
  };

  // Compiles a request; fills in the log, the image and what they hold.
  void build(const sdk::CompileRequest& request, sdk::CompileResult& result) const;
  // The same with the preamble; false: without it, please.
  bool build_behind(const sdk::CompileRequest& request, sdk::CompileResult& result) const;
  bool make_preamble(const OpenedFiles& opened);
  bool precompile(const std::string& file) const;
  bool is_as_without() const;
  std::string note_of_versions() const;

  std::optional<Preamble> preamble_;
  NvrtcApi api_;
  std::vector<std::string> includes_;
  bool watched_;  // whether NVRTC's calls can be seen
};

}  // namespace tuner::cuda
