#pragma once
// Builds a variant's program, and makes an image of the folder in which it lies then.

#include <string>

#include "tuner/plugin/sdk.h"

namespace tuner::program {

class ProgramCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "program";
  static constexpr const char* kSummary = "runs the command that builds a variant";

  ProgramCompiler();
  std::string identity() override { return "program 1"; }
  sdk::CompileResult compile(const sdk::CompileRequest& request) override;

 private:
  static void build(const sdk::CompileRequest& request, sdk::CompileResult& result);
};

}  // namespace tuner::program
