// `tuner export`: collects the results to export and writes what the format makes of them.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <set>
#include <utility>

#include "tuner/app/commands.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/compile/artifact_key.h"
#include "tuner/compile/flat_source.h"
#include "tuner/engine/resolve.h"
#include "tuner/exporters/domain_table.h"
#include "tuner/exporters/leave_one_out.h"
#include "tuner/exporters/ranked_files.h"
#include "tuner/exporters/registry.h"
#include "tuner/exporters/results_json.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/sources.h"
#include "tuner/run/stored_results.h"
#include "tuner/study/unverified.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

LauncherSource launcher_source(const Study& study) {
  CompileRequest request;
  request.source = device_text(study, study.kernel.source);
  request.source_name = study.kernel.source.string();
  request.include_dirs = include_dirs_for(study, study.kernel.source);
  request.options = study.kernel.options;
  FlatSource flat = flat_source(request.source, request.source_name, include_dirs_of(request));
  const auto relevant = [bundle = bundle_of(request)](const CompileRequest& one) {
    return relevant_defines(one, bundle);
  };
  return {std::move(flat.text), std::move(flat.headers), std::move(flat.macros), relevant};
}

ExportSettings settings_of(const ExportOptions& options) {
  ExportSettings settings;
  settings.max_configurations = options.max_configs;
  settings.within = options.within;
  settings.version = TUNER_VERSION;
  settings.source_digest = [](const Study& study) { return read_sources(study).digest; };
  settings.launcher_source = launcher_source;
  settings.note = [](const std::string& lines) { std::cerr << lines_for_terminal(lines); };
  return settings;
}

// A built-in one, or a plugin's. Throws InputError for a format that is not known, with the
// nearest.
std::unique_ptr<Exporter> find_exporter(const ExportOptions& options, const Catalogue& catalogue) {
  const auto [name, given] = parse_choice("--format", options.format);
  if (auto built_in = make_exporter(name, settings_of(options))) {
    if (given.empty()) return built_in;
    throw InputError({Complaint{given.front().where, "format '" + name + "' has no options", ""}},
                     options.format);
  }
  if (catalogue.find(PluginKind::kExporter, name) != nullptr) {
    catalogue.check_options(PluginKind::kExporter, name, given, {}, options.format);
    return catalogue.make_exporter(name, results_json, given);
  }
  std::vector<std::string> known;
  for (const ExportFormat& format : export_formats()) known.emplace_back(format.name);
  for (const std::string& one : catalogue.names(PluginKind::kExporter)) known.push_back(one);
  throw InputError(Complaint{{},
                             "there is no format '" + name + "'; see 'tuner list exporters'",
                             did_you_mean(name, known)});
}

std::vector<RankedResults> results_from_csv(const ExportOptions& options, const Study& study) {
  std::vector<std::string> notes;
  auto results = read_ranked_files(options.from, study, notes);
  std::erase_if(
      results, [filter = ResultFilter{options.device, options.size, {}}](const RankedResults& one) {
        return !fits(one.device, one.size, filter);
      });
  const std::string unverified = unverified_text(study);
  for (RankedResults& one : results) {
    if (!unverified.empty()) one.unverified = unverified;
  }
  for (const std::string& note : notes) std::cerr << for_terminal(note) << "\n";
  return results;
}

// Results of the study as it is now; what an edit has made stale stays out, with a word about it.
std::vector<RankedResults> current_results(const ExportOptions& options, const Study& study) {
  const std::filesystem::path directory = options.results;
  if (!std::filesystem::exists(directory / "tuner.sqlite")) {
    throw InputError(Complaint{{},
                               "there are no results in '" + options.results +
                                   "': run 'tuner run " + options.study + "' first",
                               ""});
  }
  Store store = Store::open(directory, Store::Access::kRead);
  std::vector<RankedResults> current;
  for (StoredResults& results :
       newest_of_each(stored_results(store, &study, {options.device, options.size, {}}))) {
    if (results.stale.empty() && !results.imported.empty()) {
      std::cerr << for_terminal(fmt::format("imported from {}, not measured here: {} on {}",
                                            results.imported, results.ranked.size.label(),
                                            results.ranked.device.name))
                << "\n";
    }
    if (results.stale.empty()) {
      current.push_back(std::move(results.ranked));
      continue;
    }
    std::cerr << for_terminal(fmt::format("left out, measured before a change ({}): {} on {}",
                                          results.stale.front(), results.ranked.size.label(),
                                          results.ranked.device.name))
              << "\n";
  }
  return current;
}

// Exporting and evaluating need something valid; says what there is instead.
bool anything_valid(const Study& study, const std::vector<RankedResults>& results) {
  std::size_t failed = 0;
  for (const RankedResults& one : results) {
    if (one.ranked > 0) return true;
    failed += one.trials.size();
  }
  std::cerr << fmt::format("nothing to export: no valid result of '{}' fits{}\n",
                           for_terminal(study.kernel.name),
                           failed > 0 ? fmt::format("; failed trials: {}", failed) : "");
  return false;
}

// None of the files if one of them must not be written.
void write_all(const std::vector<ExportedFile>& files, const Study& study,
               const ExportOptions& options, const std::vector<RankedResults>& results) {
  OutputGuard guard(options.force);
  guard.protect(study);
  guard.protect_store(options.results);
  if (!options.from.empty()) guard.protect(options.from, "is read by this export");
  for (const ExportedFile& file : files) guard.check(file.path);
  std::set<std::string> devices;
  std::size_t sizes = 0;
  for (const RankedResults& one : results) {
    if (one.ranked == 0) continue;
    devices.insert(one.device.name);
    ++sizes;
  }
  for (const ExportedFile& file : files) {
    if (file.path == "-") {
      std::cout << file.text;
      continue;
    }
    write_file_atomically(file.path, file.text);
    std::cerr << fmt::format("wrote {}: {} problem size{}, {} device{}\n", for_terminal(file.path),
                             sizes, sizes == 1 ? "" : "s", devices.size(),
                             devices.size() == 1 ? "" : "s");
  }
}

}  // namespace

int export_command(const ExportOptions& options) {
  Study study = read_study(options.study);
  if (options.no_verify) study = unverified_study(std::move(study));
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const auto exporter = find_exporter(options, catalogue);
  const std::vector<RankedResults> results =
      options.from.empty() ? current_results(options, study) : results_from_csv(options, study);
  if (!anything_valid(study, results)) return kExitNothingValid;
  if (options.evaluate) {
    const TableOptions table{options.max_configs, options.within, nullptr};
    constexpr std::size_t kDrawn = 20;
    std::cout << lines_for_terminal(study.domain ? domain_report(study, results, table, kDrawn)
                                                 : report(leave_one_out(study, results, table)));
    return kExitDone;
  }
  write_all(exporter->write(study, results, options.output), study, options, results);
  return kExitDone;
}

}  // namespace tuner
