// The plugin `program`; its compiler builds a variant in an empty folder that has the study's
// sources, and makes an image of the folder as it is then.

#include <filesystem>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/program/measured_values.h"
#include "tuner/plugins/program/program_backend.h"
#include "tuner/plugins/program/variant_folder.h"
#include "tuner/plugins/program/variant_text.h"
#include "tuner/plugins/programs/child_process.h"

namespace tuner::program {
namespace {

namespace fs = std::filesystem;

// Copies: a build may write to them.
void put_sources(const Command& command, const fs::path& folder) {
  for (const std::string& source : command.sources) {
    const fs::path to = folder / source;
    fs::create_directories(to.parent_path());
    fs::copy_file(fs::path(command.folder) / source, to, fs::copy_options::overwrite_existing);
  }
}

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

ProgramCompiler::ProgramCompiler() { programs::remove_abandoned_scratch(); }

sdk::CompileResult ProgramCompiler::compile(const sdk::CompileRequest& request) {
  sdk::CompileResult result;
  result.entry = request.entry;
  try {
    build(request, result);
  } catch (const fs::filesystem_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) {  // no room, above all
      throw sdk::Error(TUNER_DEVICE_LOST, std::string("temporary files: ") + error.what());
    }
    result.log = error.what();
  }
  return result;
}

void ProgramCompiler::build(const sdk::CompileRequest& request, sdk::CompileResult& result) {
  Image image{command_of(request), {}};
  const VariantFolder folder(image.command);
  put_sources(image.command, folder.path());
  if (!image.command.build.empty()) {
    result.log = folder.run(image.command.build, "the build");
    if (!result.log.empty()) {
      programs::excuse(result.log);
      return;
    }
  }
  image.files = packed(folder.path());
  result.image = text_of(image);
  result.compiled = true;
}

}  // namespace
}  // namespace tuner::program

TUNER_PLUGIN("program", "1.0", tuner::sdk::Backends<tuner::program::ProgramBackend>,
             tuner::sdk::Compilers<tuner::program::ProgramCompiler>,
             tuner::sdk::Observers<tuner::program::MetricObserver>);
