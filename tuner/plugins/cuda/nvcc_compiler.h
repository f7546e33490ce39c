#pragma once
// nvcc as a compiler for the CUDA backend: for sources that NVRTC does not take.

#include <string>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/nvcc_words.h"
#include "tuner/plugins/programs/child_process.h"

namespace tuner::cuda {

// Source to cubin with nvcc, which runs as a child and takes the file as it is, host code and all.
class NvccCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "nvcc";
  static constexpr const char* kSummary =
      "NVIDIA nvcc ($CUDA_HOME, $CUDA_PATH, PATH or /usr/local/cuda)";
  static constexpr const char* kSecondFor = "cuda";
  static constexpr auto kReads = TUNER_OPTIONS_NVCC;

  NvccCompiler();  // throws sdk::Error when there is no nvcc that works
  std::string identity() override { return identity_; }
  sdk::CompileResult compile(const sdk::CompileRequest& request) override;

 private:
  using Scratch = programs::ScratchDirectory;
  // A form that nvcc translates a text to.
  struct Form {
    std::vector<std::string> arguments;
    std::string ending;  // of its file
  };
  // Makes variant.cubin of the source and its units.
  bool build(const sdk::CompileRequest& request, const NvccOptions& options, const Scratch& scratch,
             sdk::CompileResult& result) const;
  // Translates a text; adds nvcc's messages and the files that it has read to the result.
  bool translate(const sdk::CompileRequest& request, const NvccOptions& options,
                 const std::string& text, const std::string& name, const Form& form,
                 const Scratch& scratch, sdk::CompileResult& result) const;
  sdk::CompileResult host_function(const sdk::CompileRequest& request, const NvccOptions& options,
                                   const Scratch& scratch) const;
  bool link(const std::vector<std::string>& names, const std::string& arch, const Scratch& scratch,
            sdk::CompileResult& result) const;
  void add_opened(const sdk::CompileRequest& request, const NvccOptions& options,
                  const std::vector<std::string>& read, const Scratch& scratch,
                  sdk::CompileResult& result) const;

  std::string path_;
  std::string toolkit_;  // its folder
  std::string identity_;
};

}  // namespace tuner::cuda
