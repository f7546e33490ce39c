// `tuner check --compile`: prints what compiling for architectures came to.

#include "tuner/app/check_compile.h"

#include <fmt/format.h>

#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/exporters/csv.h"
#include "tuner/run/compile_check.h"

namespace tuner {
namespace {

std::string number(std::int64_t value) { return value < 0 ? "" : std::to_string(value); }

std::string line_of(const std::string& arch, const CheckedVariant& one) {
  return fmt::format("{},{},{},{},{},{},{},{},{:.1f},{}\n", arch, csv_row(one.configuration),
                     one.state, number(one.resources.registers),
                     number(one.resources.static_shared_bytes), one.geometry.dynamic_shared_bytes,
                     number(one.resources.spill_bytes),
                     one.occupancy < 0 ? "" : fmt::format("{:.3f}", one.occupancy),
                     one.milliseconds, csv_field(one.message));
}

}  // namespace

int check_compile(const Study& study, const ProblemSize& size, const CheckOptions& options) {
  if (!study.runnable) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "there is nothing to compile: 'kernel' and 'launch' are needed",
                               ""});
  }
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const ArtifactShelf shelf;
  if (!shelf.trouble().empty()) std::cerr << shelf.trouble() << "\n";
  Words archs = options.archs;
  if (archs.empty()) archs.push_back("sm_90");
  std::cout << "arch," << csv_header(study.parameters)
            << ",state,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,occupancy,"
               "compile_ms,message\n";
  bool all_good = true;
  for (const std::string& arch : archs) {
    const auto tell = [&](const CheckedVariant& one) { std::cout << line_of(arch, one); };
    const CompileCheckEnd end =
        check_compile(study, size, {arch, options.jobs, options.limit, options.seed}, program,
                      shelf, interrupt, tell);
    if (interrupt.count() > 0) return kExitInterrupted;
    std::cerr << fmt::format("{}: {} compiled, {} did not; {} different programs\n", arch,
                             end.compiled, end.failed, end.programs);
    if (end.compiled == 0) {
      all_good = false;
      std::cerr << "  " << lines_for_terminal(end.first_failure) << "\n";
    }
  }
  return all_good ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
