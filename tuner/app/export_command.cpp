#include <fmt/format.h>

#include <iostream>

#include "tuner/app/artifacts.h"
#include "tuner/app/commands.h"
#include "tuner/app/exporters.h"
#include "tuner/app/recorded_csv.h"
#include "tuner/app/stored_results.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/exporters/leave_one_out.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

std::vector<RankedResults> results_from_csv(const ExportOptions& options, const Study& study) {
  std::vector<std::string> notes;
  auto results = recorded_csv(options.from, study, {options.device, options.size, {}}, notes);
  for (const std::string& note : notes) std::cerr << note << "\n";
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
      std::cerr << fmt::format("imported from {}, not measured here: {} on {}\n", results.imported,
                               results.ranked.size.label(), results.ranked.device.name);
    }
    if (results.stale.empty()) {
      current.push_back(std::move(results.ranked));
      continue;
    }
    std::cerr << fmt::format("left out, measured before a change ({}): {} on {}\n",
                             results.stale.front(), results.ranked.size.label(),
                             results.ranked.device.name);
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
  std::cerr << fmt::format("nothing to export: no valid result of '{}' fits{}\n", study.kernel.name,
                           failed > 0 ? fmt::format("; failed trials: {}", failed) : "");
  return false;
}

}  // namespace

int export_command(const ExportOptions& options) {
  const Study study = read_study(options.study);
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const auto exporter = find_exporter(options, catalogue);
  const std::vector<RankedResults> results =
      options.from.empty() ? current_results(options, study) : results_from_csv(options, study);
  if (!anything_valid(study, results)) return kExitNothingValid;
  if (options.evaluate) {
    const TableOptions table{options.max_configs, options.within, nullptr};
    std::cout << report(leave_one_out(study, results, table));
    return kExitDone;
  }
  for (const ExportedFile& file : exporter(study, results)) {
    if (file.path == "-") {
      std::cout << file.text;
    } else {
      write_file_atomically(file.path, file.text);
    }
  }
  return kExitDone;
}

}  // namespace tuner
