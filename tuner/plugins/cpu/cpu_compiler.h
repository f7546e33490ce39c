#pragma once
// The host's C++ compiler as the compiler of this backend.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cpu/host_compiler.h"
#include "tuner/plugins/programs/child_process.h"

namespace tuner::cpu {

using programs::excuse;
using programs::find_program;
using programs::kScratchMarker;
using programs::remove_abandoned_scratch;
using programs::run_child;
using programs::scratch_marker_text;
using programs::ScratchDirectory;

// Compiles a variant with the host's C++ compiler to a shared object.
class CpuCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "cpu";
  static constexpr const char* kSummary =
      "the host's C++ compiler ($TUNER_HOST_CXX, else c++, g++ or clang++)";
  static constexpr auto kReads = TUNER_OPTIONS_HOST;

  CpuCompiler();  // throws sdk::Error when there is no compiler

  std::string identity() override;
  sdk::CompileResult compile(const sdk::CompileRequest& request) override;

 private:
  // The function with all that C++ has, by the host's own rules.
  bool compile_host_function(const sdk::CompileRequest& request, const ScratchDirectory& scratch,
                             sdk::CompileResult& result) const;
  bool compile_object(const sdk::CompileRequest& request, const ScratchDirectory& scratch,
                      sdk::CompileResult& result) const;
  std::vector<std::string> arguments_for(const sdk::CompileRequest& request,
                                         const HostOptions& options,
                                         const ScratchDirectory& scratch) const;
  // Empty when it does not get that far. Leaves the rule of what was read.
  std::string preprocessed(std::vector<std::string> arguments,
                           const ScratchDirectory& scratch) const;
  static std::string in_one_sentence(const HostOptions& options, std::string log);
  // `opened` as in the result.
  bool compile_source(const sdk::CompileRequest& request, const HostOptions& options,
                      const ScratchDirectory& scratch,
                      std::optional<std::vector<std::string>>& opened, std::string& log) const;
  bool compile_with_empty_headers(const sdk::CompileRequest& request, HostOptions& options,
                                  const ScratchDirectory& scratch,
                                  std::optional<std::vector<std::string>>& opened,
                                  std::string& log) const;
  void find_system_folders();
  // Lists the files that the compiler has read, from the rule that it wrote; if it wrote none, the
  // compiler is run once more for it.
  std::optional<std::vector<std::string>> opened_files(const ScratchDirectory& scratch,
                                                       std::vector<std::string> arguments) const;
  bool is_its_own(const std::filesystem::path& file, const ScratchDirectory& scratch,
                  const std::vector<std::string>& arguments) const;
  bool link_image(const ScratchDirectory& scratch, sdk::CompileResult& result) const;

  std::string path_;
  std::string version_;
  std::vector<std::string> flags_;
  std::vector<std::filesystem::path> system_folders_;
};

}  // namespace tuner::cpu
