// `tuner export`: collects the results to export and writes what the format makes of them.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <set>

#include "tuner/base/atomic_file.h"
#include "tuner/check/checked_study.h"
#include "tuner/commands/commands.h"
#include "tuner/deploy/domain_table.h"
#include "tuner/deploy/launcher_variants.h"
#include "tuner/deploy/registry.h"
#include "tuner/deploy/worst_case.h"
#include "tuner/files/ranked_files.h"
#include "tuner/files/ranked_table.h"
#include "tuner/files/results_json.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/run/output_guard.h"
#include "tuner/source/device_part.h"
#include "tuner/source/known_sources.h"
#include "tuner/source/source_bundle.h"
#include "tuner/study/unverified.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {

std::vector<RankedResults> results_to_export(const std::filesystem::path& folder,
                                             const Study& study, const ResultFilter& filter) {
  Store store = Store::open(folder, Store::Access::kRead);
  std::vector<RankedResults> current;
  for (StoredResults& results : newest_of_each(stored_results(store, &study, filter))) {
    const std::string place = results.ranked.size.label() + " on " + results.ranked.device.name;
    if (!results.stale.empty()) {
      tell(
          fmt::format("left out, measured before a change ({}): {}", results.stale.front(), place));
      continue;
    }
    if (!results.imported.empty()) {
      tell(fmt::format("imported from {}, not measured here: {}", results.imported, place));
    }
    if (results.ranked.outside > 0) tell(outside_text(results.ranked) + ": " + place);
    current.push_back(std::move(results.ranked));
  }
  return current;
}

namespace {

ExportOptions parse_export(const Strings& words) {
  ExportOptions o;
  OptionTable add;
  add("format", o.format, "NAME[:option=value,...]; see 'tuner list exporters'");
  add("output,o", o.output,
      "file, or '-' for standard output; launcher: a folder, or the files' path without extension");
  add.force(o.force);
  add.results(o.results);
  add("from", o.from,
      "ranked CSV files (one, a folder or a .tar.gz of them) instead of the results' store; of "
      "several studies a folder with one, KERNEL or KERNEL.tar.gz, for each");
  add("also", o.also,
      "results folder of another machine with the same device: each size gets the configuration "
      "with the smallest worst loss on all of them; may be repeated");
  add("device", o.filter.device, "only this device (part of its name)");
  add("size", o.filter.size, "only this problem size");
  add.t1(o);
  add("evaluate", o.evaluate,
      "write nothing; leave out each tuned size in turn, and print what would be selected for it "
      "and how much slower that is");
  add("max-configs", o.max_configs, "header, launcher: at most this many different configurations");
  std::string within;
  add("within", within,
      "header, launcher: few configurations, of which one is no slower than the best by more than "
      "this at each size, such as 5%");
  add.plugin_dirs(o.plugin_dirs);
  const auto values = add.parse(words, "tuner export STUDY... --format FORMAT -o FILE");
  o.others = inputs(values);
  if (o.others.empty()) wrong_usage("which study? Give its path (see --help)");
  o.study = o.others.front();
  o.others.erase(o.others.begin());
  if (!o.others.empty() && (o.format != "launcher" || o.evaluate)) {
    wrong_usage(
        "several studies become one launcher (--format launcher); others are exported one "
        "at a time");
  }
  if (!within.empty()) o.within = parse_share("--within", within);
  return o;
}

// Finds what --from has of a study: the path as it is, or, of several studies, the folder or
// the archive in it that is named after the kernel.
std::filesystem::path files_of(const ExportOptions& options, const Study& study) {
  std::filesystem::path from = options.from;
  if (options.others.empty()) return from;
  const std::filesystem::path archive = from / (study.kernel.name + ".tar.gz");
  std::error_code ignored;
  return std::filesystem::exists(archive, ignored) ? archive : from / study.kernel.name;
}

// Those of ranked CSV files: one, or a folder of them. Throws InputError.
std::vector<RankedResults> results_of_files(const ExportOptions& options, const Study& study) {
  std::vector<std::string> notes;
  auto results = read_ranked_files(files_of(options, study), study, notes);
  std::erase_if(results, [&](const RankedResults& one) {
    return !fits(one.device, one.size, options.filter);
  });
  const std::string unverified = unverified_text(study);
  for (RankedResults& one : results) {
    if (!unverified.empty()) one.unverified = unverified;
  }
  for (const std::string& note : notes) tell(note);
  return results;
}

// The kernel's source with all that it includes in one text, for a launcher.
LauncherSource launcher_source(const Study& study) {
  if (study.kernel.runs_on_host()) {
    throw InputError({Complaint{study.kernel.where,
                                study.kernel.subject == Subject::kCommand
                                    ? "a program is what is tuned, and it is not launched"
                                    : "this study's own launcher is what is tuned",
                                "a header names its configuration"}},
                     study.text);
  }
  if (!study.kernel.units.empty()) {
    throw InputError(
        {Complaint{study.kernel.where, "a launcher holds one source, and 'sources' names several",
                   "a header names the configuration, and your build links them"}},
        study.text);
  }
  refuse_what_no_launcher_has(study);  // before a source is read that it may not have
  CompileRequest request;
  request.source = device_text(study, study.kernel.source);
  request.source_name = study.kernel.source.string();
  request.include_dirs = include_dirs_for(study, study.kernel.source);
  request.options = study.kernel.options;
  FlatSource flat = flat_source(request.source, request.source_name, include_dirs_of(request));
  const auto relevant = [bundle = bundle_of(request)](const CompileRequest& one) {
    return relevant_defines(one, bundle);
  };
  std::vector<std::string> entries{study.kernel.entry};
  for (const NextLaunchSpec& next : study.then) entries.push_back(next.entry);
  for (std::string& one : entries) one = one.substr(0, one.find('<'));
  return {only_wanted_kernels(flat.text, entries), std::move(flat.headers), std::move(flat.macros),
          relevant};
}

ExportSettings settings_of(const ExportOptions& options) {
  ExportSettings settings;
  settings.max_configurations = options.max_configs;
  settings.within = options.within;
  settings.version = TUNER_VERSION;
  settings.source_digest = [](const Study& study) {
    return study.is_runnable() ? read_sources(study).digest : std::string();
  };
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
  wrong_usage("there is no format '" + name + "'; see 'tuner list exporters'",
              catalogue.hint_for(name, known));
}

// Throws InputError where nothing is stored.
std::vector<RankedResults> stored_in(const std::string& folder, const ExportOptions& options,
                                     const Study& study) {
  const std::filesystem::path path = folder;
  if (!std::filesystem::exists(path / "tuner.sqlite")) {
    wrong_usage("there are no results in '" + folder + "': run 'tuner run " +
                shell_word(options.study) + "' first");
  }
  auto results = results_to_export(path, study, options.filter);
  if (results.empty() && !holds_trials(path, study.kernel.name)) {
    wrong_usage(fmt::format("there are no results of '{}' in '{}': run 'tuner run {}' first",
                            study.kernel.name, folder, shell_word(options.study)));
  }
  return results;
}

}  // namespace

std::vector<RankedResults> exported_results(const ExportOptions& options, const Study& study) {
  std::vector<RankedResults> results = options.from.empty()
                                           ? stored_in(options.results, options, study)
                                           : results_of_files(options, study);
  std::vector<RankedResults> others;
  for (const std::string& folder : options.also) {
    for (RankedResults& other : stored_in(folder, options, study)) {
      others.push_back(std::move(other));
    }
  }
  std::cerr << lines_for_terminal(
      worst_case_report(study, prefer_worst_case(study, others, results)));
  return results;
}

namespace {

// Whether there is a valid result, which exporting and evaluating need; else prints what there is
// instead.
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
void write_all(const std::vector<ExportedFile>& files, const std::vector<ExportedStudy>& studies,
               const ExportOptions& options) {
  OutputGuard guard(options.force);
  guard.protect_store(options.results);
  for (const std::string& folder : options.also) guard.protect_store(folder);
  if (!options.from.empty()) guard.protect(options.from, "is read by this export");
  std::set<std::string> devices;
  std::size_t sizes = 0;
  for (const ExportedStudy& exported : studies) {
    guard.protect(exported.study);
    for (const RankedResults& one : exported.results) {
      if (one.ranked == 0) continue;
      devices.insert(one.device.name);
      ++sizes;
    }
  }
  for (const ExportedFile& file : files) guard.check(file.path);
  for (const ExportedFile& file : files) {
    if (file.path == "-") {
      std::cout << file.text;
      continue;
    }
    guard.write(file.path, file.text);
    std::cerr << fmt::format("wrote {}: {}, {}\n", for_terminal(file.path),
                             count_text(sizes, "problem size"),
                             count_text(devices.size(), "device"));
  }
}

}  // namespace

int export_command(const Strings& words) { return export_results(parse_export(words)); }

int export_results(const ExportOptions& options) {
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const auto exporter = find_exporter(options, catalogue);
  Strings files{options.study};
  files.insert(files.end(), options.others.begin(), options.others.end());
  std::vector<ExportedStudy> studies;
  for (const std::string& file : files) {
    ExportOptions own = options;
    own.study = file;
    Study study = with_t1_options(read_study(file), own);
    std::vector<RankedResults> results = exported_results(own, study);
    if (!anything_valid(study, results)) return kExitNothingValid;
    studies.push_back({std::move(study), std::move(results)});
  }
  const auto& [study, results] = studies.front();
  if (options.evaluate) {
    const TableOptions table{options.max_configs, options.within, nullptr};
    constexpr std::size_t kDrawn = 20;
    std::cout << lines_for_terminal(study.domain ? domain_report(study, results, table, kDrawn)
                                                 : report(leave_one_out(study, results, table)));
    return kExitDone;
  }
  write_all(studies.size() == 1 ? exporter->write(study, results, options.output)
                                : family_files(settings_of(options), studies, options.output),
            studies, options);
  return kExitDone;
}

}  // namespace tuner
