// `tuner verify-export`: reads an export's table again, and runs on this machine what it selects.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <optional>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/bench/bench.h"
#include "tuner/check/checked_study.h"
#include "tuner/check/size_check.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/export_check.h"
#include "tuner/deploy/header.h"
#include "tuner/deploy/selection.h"
#include "tuner/deploy/table_text.h"
#include "tuner/model/size_sampler.h"
#include "tuner/resolve/planned_task.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/run/tuning_run.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/trust/counters.h"
#include "tuner/worker/plugins.h"

namespace tuner {

namespace {

// Returns the domain that sizes are drawn from: a quarter of the smallest tuned extents to the
// largest. Half of the sizes are multiples of 32: vector accesses serve those and not the others.
SizeDomain around(const TunedTable& table, std::int64_t largest) {
  SizeDomain domain;
  std::string even;
  for (const auto& [name, extent] : table.entries.front().size.dims) {
    ExtentRange range{name, extent, extent};
    const std::size_t d = domain.extents.size();
    for (const TunedEntry& entry : table.entries) {
      range.low = std::min(range.low, entry.size.dims[d].second);
      range.high = std::max(range.high, entry.size.dims[d].second);
    }
    if (largest > 0) range.low = std::min(range.low, largest);
    range.low = std::max<std::int64_t>(1, range.low / 4);
    domain.extents.push_back(range);
    even += (even.empty() ? "" : " and ") + name + " % 32 == 0";
  }
  domain.kinds = {{Expression(), 1}, {*Expression::parse(even, {}), 1}};
  return domain;
}

std::vector<ProblemSize> drawn_sizes(const CheckedSizes& wanted, const Study& study,
                                     const TunedTable& table) {
  if (wanted.random == 0 || table.entries.empty()) return {};
  SizeDomain domain = study.domain ? *study.domain : around(table, wanted.largest);
  for (ExtentRange& range : domain.extents) {
    if (wanted.largest > 0) range.high = std::clamp(wanted.largest, range.low, range.high);
  }
  return distinct_sizes(domain, wanted.random, wanted.seed);
}

// A file that is not there is a mistake of whoever named it.
std::string text_of_export(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) reject(file, "there is no such file");
  if (std::filesystem::is_directory(file, unknown)) reject(file, "is a folder, not an export");
  return read_file(file);
}

// The table in an exported header or launcher. Throws InputError when it is not one of this study.
ExportedTable read_exported(const std::filesystem::path& file, const Study& study) {
  ExportedTable exported = read_table_comment(text_of_export(file), file.string());
  if (exported.kernel != study.kernel.name) {
    reject(file, fmt::format("is about the kernel '{}', the study about '{}'", exported.kernel,
                             study.kernel.name));
  }
  const std::vector<std::string> dimensions =
      dimension_names(study.sizes.empty() ? ProblemSize() : study.sizes.front());
  if (exported.parameters != parameter_names(study.parameters) ||
      exported.dimensions != dimensions) {
    reject(file,
           "has other parameters or dimensions than the study, which must have changed since");
  }
  return exported;
}

}  // namespace

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

namespace {

struct VerifyOptions : DeviceOptions, CheckedSizes {
  std::string exported;          // a header or launcher
  std::optional<Budget> retune;  // of a search at each of these sizes
};

VerifyOptions parse_verify(const Strings& words) {
  VerifyOptions o;
  std::string retune;
  OptionTable add;
  add("size", o.named,
      "verify what is selected for this size; may be repeated; default: the tuned sizes");
  add("random", o.random, "verify this many random sizes");
  add("seed", o.seed, "of the random sizes");
  add.t1(o, false);
  add("largest", o.largest, "extent of a random size; 0: the largest that was tuned");
  add("retune", retune,
      "then search each of these sizes with this budget, such as 30s, print how much slower the "
      "export is here, and write it again if it is slower");
  add("results", o.settings.results, "with --retune: folder of the results");
  add.device(o, "auto, or NAME[:option=value,...]; see 'tuner list NAME'");
  add.timeout(o.settings.timeout, "seconds for one size");
  add.jobs(o.settings.jobs);
  add.plugin_dirs(o.plugin_dirs);
  const auto values = add.parse(words, "tuner verify-export HEADER STUDY [options]");
  const Strings given = inputs(values);
  if (given.size() != 2) {
    wrong_usage("verify-export takes two files: the exported header, and the study");
  }
  o.exported = given[0];
  o.study = given[1];
  if (o.largest < 0) wrong_usage("--largest must not be negative");
  if (!retune.empty()) o.retune = parse_budget_text("--retune", retune);
  return o;
}

std::string check_header(const std::string& exported, const DeviceFacts& device,
                         const std::string& backend) {
  return fmt::format("{} on {} ({})\n{:<28} {:<12} {:>8}  {:<12} {:>12}  configuration\n", exported,
                     for_terminal(device.name), backend, "size", "how", "distance", "state",
                     "time ms");
}

// The configuration that the export selects for a size, and the result of its trial.
struct CheckedSelection {
  ProblemSize size;
  Selection chosen;
  Configuration configuration;  // empty: none of the export is valid here
  std::optional<Trial> trial;   // empty: likewise
};

std::string check_line(const CheckedSelection& checked, const Study& study) {
  const std::string head =
      fmt::format("{:<28} {:<12} {:>8.2f}  ", checked.size.label(), name_of(checked.chosen.how),
                  std::sqrt(checked.chosen.log2_distance_sq));
  if (!checked.trial) return head + "no configuration of the export is valid here\n";
  const Trial& trial = *checked.trial;
  const bool right = is_valid(trial);
  return head +
         fmt::format("{:<12} {:>12}  {}{}\n", name_of(trial.state),
                     right ? fmt::format("{:.6g}", trial.timing.median) : "-",
                     for_terminal(configuration_text(study.parameters, checked.configuration)),
                     right ? "" : "\n    " + lines_for_terminal(trial.message));
}

std::string retuned_line(const RetunedSize& one) {
  std::string what = "no valid configuration was found";
  if (one.gain) {
    what = fmt::format("loses {:.2f} % [{:.2f}, {:.2f}]{}", 100 * (one.gain->ratio - 1),
                       100 * (one.gain->low - 1), 100 * (one.gain->high - 1),
                       is_lost(one) ? "" : ", not significant");
  } else if (!one.best.empty()) {
    what = "selects nothing valid; the search found a valid configuration";
  }
  return fmt::format("{:<28} {}\n", one.size.label(), what);
}

// Throws FatalError when it is interrupted.
Trial measure_alone(MeasuringDevice& device, const Study& study, const std::string& reference_text,
                    const Configuration& configuration, const ProblemSize& size) {
  const SearchSpace space =
      SearchSpace::build(definition_of_one(study, configuration, size, device.facts()));
  auto trial = measure_one(device, planned_task(study, space, size, device.facts(), reference_text),
                           configuration);
  if (!trial) throw FatalError("interrupted");
  return std::move(*trial);
}

// Compiles, verifies and measures what is selected for each size, as a run does, on the first
// device, which is free again when this returns; ends early when it is interrupted. Throws
// UnavailableError when no device is to be had.
std::vector<CheckedSelection> check_export(const std::string& exported, const Settings& settings,
                                           const TunedTable& table,
                                           const std::vector<ProblemSize>& sizes,
                                           const Caller& caller) {
  const Study& study = settings.study;
  Bench bench(settings,
              {caller.program, caller.catalogue, caller.interrupt, [](const std::string&) {}});
  for (const std::string& text : bench.notes()) caller.note(text);
  WorkingDevice first{bench.models().front().front().get()};
  PooledDevice device = bench.device({&first, 1});
  std::cout << check_header(exported, device.facts(), bench.backend());
  std::vector<CheckedSelection> all;
  for (const ProblemSize& size : sizes) {
    if (caller.interrupt.count() > 0) break;
    CheckedSelection& one = all.emplace_back(
        CheckedSelection{size, select(study, table, device.facts(), size), {}, {}});
    if (one.chosen.how != Match::kUnsupported) {
      one.configuration = table.configurations[one.chosen.configuration];
      one.trial = measure_alone(device, study, bench.sources().reference, one.configuration, size);
    }
    std::cout << check_line(one, study) << std::flush;
  }
  return all;
}

// Returns the options to write the export anew. A launcher's header names the source that belongs
// to it; for OpenCL it is one file.
ExportOptions rewritten(const VerifyOptions& options) {
  ExportOptions out;
  static_cast<StudyOptions&>(out) = options;
  out.results = options.settings.results;
  out.plugin_dirs = options.plugin_dirs;
  out.output = options.exported;
  const std::filesystem::path source =
      std::filesystem::path(options.exported).replace_extension(".cu");
  const std::string belongs = "belongs to " + source.filename().string();
  const std::string text = read_file(options.exported);
  if (text.find(belongs) != std::string::npos) {
    out.format = "launcher";
    out.output = source.string();
  } else if (text.find("#include <CL/cl.h>") != std::string::npos) {
    out.format = "launcher";
  }
  return out;
}

// Searches each size beside what the export has, and writes the export anew where it loses.
int retune_all(const VerifyOptions& options, const Settings& settings, const Caller& caller,
               const TunedTable& table, const std::vector<CheckedSelection>& checked) {
  std::cout << "what the export loses here:\n";
  bool lost = false;
  for (const CheckedSelection& one : checked) {
    const bool right = one.trial && is_valid(*one.trial);
    const RetunedSize found =
        retune(settings, one.size, right ? one.configuration : Configuration(), caller);
    if (caller.interrupt.count() > 0) return kExitInterrupted;
    std::cout << retuned_line(found) << std::flush;
    lost = lost || is_lost(found);
  }
  if (!lost) return kExitDone;
  const auto known = results_to_export(settings.results, settings.study, {});
  const std::vector<std::string> beyond = entries_beyond(table, known);
  for (const std::string& entry : beyond) {
    std::cerr << fmt::format("not written again: {} contains {}, for which '{}' has no results\n",
                             options.exported, for_terminal(entry), settings.results);
  }
  if (!beyond.empty()) return kExitNothingValid;
  return export_results(rewritten(options));
}

}  // namespace

int verify_export_command(const Strings& words) {
  const VerifyOptions options = parse_verify(words);
  Settings settings = settings_with(options, with_t1_options(read_study(options.study), options));
  const Study& study = settings.study;
  if (!study.is_runnable()) {
    reject(options.study, "there is nothing to run in this study");
  }
  const ExportedTable exported = read_exported(options.exported, study);
  HeaderOptions now;
  now.source_text = read_sources(study).digest;
  if (exported.source_hash != source_hash(now)) {
    std::cerr << "note: the sources have changed since this was exported; what it selects is "
                 "verified with the sources as they are now\n";
  }
  const TunedTable& table = exported.table;
  const std::vector<ProblemSize> sizes = sizes_to_check(options, study, table);
  const Interrupt interrupt;
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  catalogue.check_study(study);
  const Caller caller{
      {executable_path(), options.plugin_dirs}, catalogue, interrupt, [](const std::string& text) {
        std::cerr << lines_for_terminal(text) << "\n";
      }};
  const auto checked = check_export(options.exported, settings, table, sizes, caller);
  if (interrupt.count() > 0) return kExitInterrupted;
  const auto count = [&](bool valid) {
    return std::ranges::count_if(checked, [&](const CheckedSelection& one) {
      return one.trial && is_valid(*one.trial) == valid;
    });
  };
  const auto right = count(true), wrong = count(false);
  std::cout << fmt::format("{} right, {} wrong, {} without a valid configuration\n", right, wrong,
                           std::ssize(checked) - right - wrong);
  if (options.retune) {
    settings.seed = options.seed;
    settings.study.search.budget = *options.retune;
    return retune_all(options, settings, caller, table, checked);
  }
  return wrong == 0 && right > 0 ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
