// `tuner verify-export`: runs on this machine what an exported file selects.

#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/objective.h"
#include "tuner/run/device_run.h"
#include "tuner/run/devices.h"
#include "tuner/run/export_check.h"
#include "tuner/run/identity.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct Counts {
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t unsupported = 0;
};

void verify_size(MeasuringDevice& device, const Study& study, const std::string& reference_text,
                 const TunedTable& table, const ProblemSize& size, Counts& counts) {
  const Selection chosen = select(study, table, device.facts(), size);
  const std::string head = fmt::format("{:<28} {:<12} {:>8.2f}  ", size.label(),
                                       name_of(chosen.how), std::sqrt(chosen.log2_distance_sq));
  if (chosen.how == Match::kUnsupported) {
    ++counts.unsupported;
    std::cout << head << "no configuration of the export is valid here\n";
    return;
  }
  const Configuration& configuration = table.configurations[chosen.configuration];
  const Trial trial = measure_alone(device, study, reference_text, configuration, size);
  const bool right = is_valid(trial);
  ++(right ? counts.right : counts.wrong);
  std::cout << head
            << fmt::format("{:<12} {:>12}  {}{}\n", name_of(trial.state),
                           right ? fmt::format("{:.6g}", trial.timing.median) : "-",
                           for_terminal(configuration_text(study.parameters, configuration)),
                           right ? "" : "\n    " + lines_for_terminal(trial.message));
  std::cout.flush();
}

}  // namespace

int verify_export_command(const VerifyOptions& options) {
  const Study study = read_study(options.study);
  if (!study.runnable) {
    throw InputError(Complaint{{options.study, 0, 0}, "there is nothing to run in this study", ""});
  }
  const SourceTexts sources = read_sources(study);
  const ExportedChoices choices = read_exported(options.exported, study, sources);
  if (choices.sources_changed) {
    std::cerr << "note: the sources have changed since this was exported; what it selects is "
                 "verified with the sources as they are now\n";
  }
  const TunedTable& table = choices.exported.table;
  const std::vector<ProblemSize> sizes =
      sizes_to_check({options.sizes, options.random, options.seed, options.largest}, study, table);

  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const Devices devices =
      open_devices(device_settings(options, study), program, catalogue, [](const std::string&) {});
  const ArtifactShelf shelf;
  if (!shelf.trouble().empty()) std::cerr << shelf.trouble() << "\n";
  const std::string compiler = devices.compilers->identity();
  PooledDevice device({sources.kernel, shelf.library(compiler, sources), *devices.compilers},
                      *devices.workers.front(), interrupt);

  std::cout << fmt::format("{} on {} ({})\n{:<28} {:<12} {:>8}  {:<12} {:>12}  configuration\n",
                           options.exported, for_terminal(device.facts().name), devices.backend,
                           "size", "how", "distance", "state", "time ms");
  Counts counts;
  for (const ProblemSize& size : sizes) {
    if (interrupt.count() > 0) return kExitInterrupted;
    verify_size(device, study, sources.reference, table, size, counts);
  }
  std::cout << fmt::format("{} right, {} wrong, {} without a valid configuration\n", counts.right,
                           counts.wrong, counts.unsupported);
  return counts.wrong == 0 && counts.right > 0 ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
