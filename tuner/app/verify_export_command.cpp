// `tuner verify-export`: runs on this machine what an exported file selects.

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <vector>

#include "tuner/app/commands.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/objective.h"
#include "tuner/run/export_check.h"
#include "tuner/run/export_source.h"
#include "tuner/run/retune.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/terminal/export_check_text.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

// What all steps of one call share.
struct Place {
  const VerifyOptions& options;
  const Study& study;
  const WorkerProgram& program;
  const Catalogue& catalogue;
  const Interrupt& interrupt;
};

void note(const std::string& text) { std::cerr << lines_for_terminal(text) << "\n"; }

RunSettings settings_of(const VerifyOptions& options, const Budget& budget, const Study& study) {
  RunSettings settings{study};
  settings.devices = device_settings(options, study);
  settings.strategy = study.search.strategy;
  settings.strategy_options = study.search.options;
  settings.strategy_text = study.text;
  settings.budget = budget;
  settings.seed = options.seed;
  settings.results = options.results;
  return settings;
}

// A launcher is two files, and says in its header which the other is.
ExportOptions rewritten(const VerifyOptions& options) {
  ExportOptions out;
  out.study = options.study;
  out.per = options.per;
  out.results = options.results;
  out.plugin_dirs = options.plugin_dirs;
  out.output = options.exported;
  const std::filesystem::path source =
      std::filesystem::path(options.exported).replace_extension(".cu");
  const std::string belongs = "belongs to " + source.filename().string();
  if (read_file(options.exported).find(belongs) != std::string::npos) {
    out.format = "launcher";
    out.output = source.string();
  }
  return out;
}

// Searches each size beside what the export has, and writes the export anew where it loses.
int retune_all(const Place& at, const TunedTable& table,
               const std::vector<CheckedSelection>& checked) {
  const RunSettings settings = settings_of(at.options, at.options.retune.value(), at.study);
  std::cout << "what the export loses here:\n";
  bool lost = false;
  for (const CheckedSelection& one : checked) {
    const bool right = one.trial && is_valid(*one.trial);
    const RetunedSize found =
        retune(settings, one.size, right ? one.configuration : Configuration(), at.program,
               at.catalogue, at.interrupt, note);
    if (at.interrupt.count() > 0) return kExitInterrupted;
    std::cout << retuned_line(found) << std::flush;
    lost = lost || is_lost(found);
  }
  if (!lost) return kExitDone;
  const auto known = results_to_export(at.options.results, at.study, {}, note);
  const std::vector<std::string> beyond = entries_beyond(table, known);
  for (const std::string& entry : beyond) {
    std::cerr << fmt::format("not written anew: {} is of {}, of which '{}' holds nothing\n",
                             at.options.exported, for_terminal(entry), at.options.results);
  }
  if (!beyond.empty()) return kExitNothingValid;
  return export_command(rewritten(at.options));
}

}  // namespace

int verify_export_command(const VerifyOptions& options) {
  const Study study = study_with_answers_per(read_study(options.study), options.per);
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
  catalogue.check_study(study);
  std::size_t right = 0, wrong = 0;
  std::vector<CheckedSelection> checked;
  const auto tell = [&](const CheckedSelection& one) {
    std::cout << check_line(one, study) << std::flush;
    if (one.trial) ++(is_valid(*one.trial) ? right : wrong);
    checked.push_back(one);
  };
  const auto begin = [&](const DeviceFacts& device, const std::string& backend) {
    std::cout << check_header(options.exported, device, backend);
  };
  check_export(device_settings(options, study), study, table, sizes, program, catalogue, interrupt,
               {begin, tell, note});
  if (interrupt.count() > 0) return kExitInterrupted;
  std::cout << fmt::format("{} right, {} wrong, {} without a valid configuration\n", right, wrong,
                           checked.size() - right - wrong);
  if (options.retune) {
    return retune_all({options, study, program, catalogue, interrupt}, table, checked);
  }
  return wrong == 0 && right > 0 ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
