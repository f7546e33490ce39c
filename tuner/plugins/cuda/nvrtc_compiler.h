#pragma once
// NVRTC as the compiler of this backend.

#include <string>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/nvrtc_api.h"

namespace tuner::cuda {

// Source to cubin with NVRTC (to PTX for an architecture "compute_..."). Needs no GPU.
class NvrtcCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "cuda";
  static constexpr const char* kSummary = "NVIDIA NVRTC";

  NvrtcCompiler();  // throws sdk::Error when NVRTC is not there
  std::string identity() override;
  sdk::CompileResult compile(const sdk::CompileRequest& request) override;

 private:
  // Fills in what the log and the image say.
  void build(const sdk::CompileRequest& request, sdk::CompileResult& result) const;

  NvrtcApi api_;
  std::vector<std::string> includes_;
  bool watched_;  // whether NVRTC's calls can be seen
};

}  // namespace tuner::cuda
