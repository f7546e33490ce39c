// Collects stored or written results, and flattens the kernel's source for a launcher.

#include "tuner/commands/export_source.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/base/error.h"
#include "tuner/resolve/resolve.h"
#include "tuner/results/ranked_files.h"
#include "tuner/run/sources.h"
#include "tuner/source/known_sources.h"
#include "tuner/source/source_bundle.h"
#include "tuner/study/unverified.h"

namespace tuner {

std::vector<RankedResults> results_to_export(const std::filesystem::path& folder,
                                             const Study& study, const ResultFilter& filter,
                                             const std::function<void(const std::string&)>& tell) {
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
    current.push_back(std::move(results.ranked));
  }
  return current;
}

std::vector<RankedResults> results_of_files(const std::filesystem::path& from, const Study& study,
                                            const ResultFilter& filter,
                                            const std::function<void(const std::string&)>& tell) {
  std::vector<std::string> notes;
  auto results = read_ranked_files(from, study, notes);
  std::erase_if(results,
                [&](const RankedResults& one) { return !fits(one.device, one.size, filter); });
  const std::string unverified = unverified_text(study);
  for (RankedResults& one : results) {
    if (!unverified.empty()) one.unverified = unverified;
  }
  for (const std::string& note : notes) tell(note);
  return results;
}

LauncherSource launcher_source(const Study& study) {
  if (study.kernel.is_launcher) {
    throw InputError({Complaint{study.kernel.where,
                                study.kernel.language == "program"
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

}  // namespace tuner
