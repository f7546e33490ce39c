// `tuner verify-export`: runs on this machine what an exported file selects.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/resolve.h"
#include "tuner/engine/size_sampler.h"
#include "tuner/exporters/header.h"
#include "tuner/exporters/random_sizes.h"
#include "tuner/exporters/selection.h"
#include "tuner/exporters/table_text.h"
#include "tuner/run/device_run.h"
#include "tuner/run/devices.h"
#include "tuner/run/identity.h"
#include "tuner/run/sources.h"
#include "tuner/study/size_check.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

[[noreturn]] void reject(const std::string& file, const std::string& reason) {
  throw InputError(Complaint{{file, 0, 0}, reason, ""});
}

// The table, if it is one of this study.
ExportedTable read_exported(const VerifyOptions& options, const Study& study,
                            const SourceTexts& sources) {
  ExportedTable exported = read_table_comment(read_file(options.exported), options.exported);
  if (exported.kernel != study.kernel.name) {
    reject(options.exported, fmt::format("is about the kernel '{}', the study about '{}'",
                                         exported.kernel, study.kernel.name));
  }
  std::vector<std::string> dimensions;
  if (!study.sizes.empty()) {
    for (const auto& [name, extent] : study.sizes.front().dims) dimensions.push_back(name);
  }
  if (exported.parameters != parameter_names(study.parameters) ||
      exported.dimensions != dimensions) {
    reject(options.exported,
           "has other parameters or dimensions than the study, which must have changed since");
  }
  HeaderOptions now;
  now.source_text = sources.digest;
  if (exported.source_hash != source_hash(now)) {
    std::cerr << "note: the sources have changed since this was exported; what it selects is "
                 "verified with the sources as they are now\n";
  }
  return exported;
}

// Of the domain, where the study has one; else around what was tuned.
std::vector<ProblemSize> drawn_sizes(const VerifyOptions& options, const Study& study,
                                     const TunedTable& table) {
  if (!study.domain) return random_sizes(table, options.random, options.seed, options.largest);
  SizeDomain domain = *study.domain;
  for (ExtentRange& range : domain.extents) {
    if (options.largest > 0) range.high = std::clamp(options.largest, range.low, range.high);
  }
  return distinct_sizes(domain, options.random, options.seed);
}

std::vector<ProblemSize> sizes_of(const VerifyOptions& options, const Study& study,
                                  const TunedTable& table) {
  std::vector<ProblemSize> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(parse_size_option(text, study));
  for (ProblemSize& size : drawn_sizes(options, study, table)) sizes.push_back(std::move(size));
  if (!sizes.empty()) return sizes;
  for (const TunedEntry& entry : table.entries) {
    if (std::ranges::find(sizes, entry.size) == sizes.end()) sizes.push_back(entry.size);
  }
  return sizes;
}

// Compiles, verifies and measures one configuration as a run does.
Trial verify(MeasuringDevice& device, const Study& study, const std::string& reference_text,
             const Configuration& configuration, const ProblemSize& size) {
  SpaceDefinition alone = space_definition(study, size, device.facts());
  for (std::size_t p = 0; p < alone.parameters.size(); ++p) {
    alone.parameters[p].values = {configuration.at(p)};
  }
  const SearchSpace space = SearchSpace::build(std::move(alone));
  SizeTask task{study, space, size, device.facts()};
  plan_preparation(reference_text, task);
  const auto evaluator = device.evaluator(std::move(task));
  evaluator->submit(0);
  auto trial = evaluator->next(kNoEnd);
  if (!trial) throw FatalError("interrupted");
  return std::move(*trial);
}

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
  const Trial trial = verify(device, study, reference_text, configuration, size);
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
  if (!study.runnable) reject(options.study, "there is nothing to run in this study");
  const SourceTexts sources = read_sources(study);
  const ExportedTable exported = read_exported(options, study, sources);
  const std::vector<ProblemSize> sizes = sizes_of(options, study, exported.table);

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
    verify_size(device, study, sources.reference, exported.table, size, counts);
  }
  std::cout << fmt::format("{} right, {} wrong, {} without a valid configuration\n", counts.right,
                           counts.wrong, counts.unsupported);
  return counts.wrong == 0 && counts.right > 0 ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
