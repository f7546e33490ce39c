#pragma once
// The compilers of OpenCL drivers.

#include <map>
#include <string>
#include <vector>

#include "tuner/plugins/opencl/image.h"

namespace tuner::opencl {

// Compiles OpenCL C with the driver of the device that the request's architecture stands for.
class OpenClCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "opencl";
  static constexpr const char* kSummary = "the compilers of OpenCL drivers";
  static constexpr auto kReads = TUNER_OPTIONS_OPENCL;

  OpenClCompiler();  // throws sdk::Error when there is no loader of drivers

  std::string identity() override;
  sdk::CompileResult compile(const sdk::CompileRequest& request) override;

 private:
  struct Target {
    Device device;
    Context context;
  };
  Target& target(const std::string& arch);

  std::map<std::string, Target> targets_;  // by architecture
};

// Definitions come before the source as lines, where they need no quotes.
std::string source_with_defines(const sdk::CompileRequest& request);
// NVIDIA's compiler calls the text "<kernel>", counts its lines from the first definition and heeds
// no #line. The same log with the file's name and its own lines.
std::string with_places_in_source(const std::string& log, const sdk::CompileRequest& request);
std::string build_options(const sdk::CompileRequest& request, const Device& device);
// Returns the reason why the device's compiler cannot compile a request; empty: none is known.
std::string refusal_of(const sdk::CompileRequest& request, const Device& device);
// Returns a kernel's registers from the log of NVIDIA's compiler; -1 where it has none.
std::int64_t registers_in(const std::string& log, const std::string& kernel);
// Removes the statistics of NVIDIA's compiler from a log, which leaves its messages on the source.
std::string without_statistics(const std::string& log);

}  // namespace tuner::opencl
