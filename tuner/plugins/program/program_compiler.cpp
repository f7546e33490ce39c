// Builds a variant in an empty folder that has the study's sources.

#include "tuner/plugins/program/program_compiler.h"

#include <filesystem>

#include "tuner/plugins/program/file_tree.h"
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
    fs::copy_file(fs::path(command.study_folder) / source, to,
                  fs::copy_options::overwrite_existing);
  }
}

}  // namespace

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

}  // namespace tuner::program
