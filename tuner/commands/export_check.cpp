// Reads an export's table again, and measures single configurations of it.

#include "tuner/commands/export_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/choice/random_sizes.h"
#include "tuner/choice/size_sampler.h"
#include "tuner/codegen/header.h"
#include "tuner/resolve/resolve.h"
#include "tuner/run/bench.h"
#include "tuner/run/device_run.h"
#include "tuner/study/size_check.h"

namespace tuner {
namespace {

std::vector<ProblemSize> drawn_sizes(const CheckedSizes& wanted, const Study& study,
                                     const TunedTable& table) {
  if (!study.domain) return random_sizes(table, wanted.random, wanted.seed, wanted.largest);
  SizeDomain domain = *study.domain;
  for (ExtentRange& range : domain.extents) {
    if (wanted.largest > 0) range.high = std::clamp(wanted.largest, range.low, range.high);
  }
  return distinct_sizes(domain, wanted.random, wanted.seed);
}

// Throws FatalError when it is interrupted.
Trial measure_alone(MeasuringDevice& device, const Study& study, const std::string& reference_text,
                    const Configuration& configuration, const ProblemSize& size) {
  const SearchSpace space =
      SearchSpace::build(definition_of_one(study, configuration, size, device.facts()));
  SizeTask task{study, space, size, device.facts()};
  plan_preparation(reference_text, task);
  const auto evaluator = device.evaluator(std::move(task));
  evaluator->submit(0);
  auto trial = evaluator->next(kNoEnd);
  if (!trial) throw FatalError("interrupted");
  return std::move(*trial);
}

// A file that is not there is a mistake of whoever named it.
std::string text_of_export(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) reject(file, "there is no such file");
  if (std::filesystem::is_directory(file, unknown)) reject(file, "is a folder, not an export");
  return read_file(file);
}

}  // namespace

ExportedChoices read_exported(const std::filesystem::path& file, const Study& study,
                              const SourceTexts& sources) {
  ExportedTable exported = read_table_comment(text_of_export(file), file.string());
  if (exported.kernel != study.kernel.name) {
    reject(file, fmt::format("is about the kernel '{}', the study about '{}'", exported.kernel,
                             study.kernel.name));
  }
  std::vector<std::string> dimensions;
  if (!study.sizes.empty()) {
    for (const auto& [name, extent] : study.sizes.front().dims) dimensions.push_back(name);
  }
  if (exported.parameters != parameter_names(study.parameters) ||
      exported.dimensions != dimensions) {
    reject(file,
           "has other parameters or dimensions than the study, which must have changed since");
  }
  HeaderOptions now;
  now.source_text = sources.digest;
  const bool changed = exported.source_hash != source_hash(now);
  return {std::move(exported), changed};
}

std::vector<ProblemSize> sizes_to_check(const CheckedSizes& wanted, const Study& study,
                                        const TunedTable& table) {
  std::vector<ProblemSize> sizes;
  for (const std::string& text : wanted.named) sizes.push_back(parse_size_option(text, study));
  for (ProblemSize& size : drawn_sizes(wanted, study, table)) sizes.push_back(std::move(size));
  if (!sizes.empty()) return sizes;
  for (const TunedEntry& entry : table.entries) {
    if (std::ranges::find(sizes, entry.size) == sizes.end()) sizes.push_back(entry.size);
  }
  return sizes;
}

void check_export(const DeviceSettings& settings, const Study& study, const TunedTable& table,
                  const std::vector<ProblemSize>& sizes, const WorkerProgram& program,
                  const Catalogue& catalogue, const Interrupt& interrupt,
                  const CheckListener& tell) {
  Bench bench(settings, study, {program, catalogue, interrupt, [](const std::string&) {}});
  for (const std::string& text : bench.notes()) tell.note(text);
  WorkingDevice first{bench.models().front().front().get()};
  PooledDevice device = bench.device({&first, 1});
  tell.begin(device.facts(), bench.backend());
  for (const ProblemSize& size : sizes) {
    if (interrupt.count() > 0) return;
    CheckedSelection checked{size, select(study, table, device.facts(), size), {}, {}};
    if (checked.chosen.how != Match::kUnsupported) {
      checked.configuration = table.configurations[checked.chosen.configuration];
      checked.trial =
          measure_alone(device, study, bench.sources().reference, checked.configuration, size);
    }
    tell.size(checked);
  }
}

}  // namespace tuner
