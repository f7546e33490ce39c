// `tuner report`: writes results as one HTML page.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/app/commands.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/report/page.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/report_source.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

bool is_study(const fs::path& target) {
  const std::string extension = target.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

std::string title_of(const std::vector<ReportSet>& sets) {
  std::vector<std::string> kernels;
  for (const ReportSet& set : sets) {
    if (std::ranges::find(kernels, set.kernel) == kernels.end()) kernels.push_back(set.kernel);
  }
  return fmt::format("{}", fmt::join(kernels, ", "));
}

// Where results are taken from, and the study where one is named.
struct Sources {
  std::optional<Study> study;
  std::vector<fs::path> places;
};

Sources sources_of(const ReportOptions& options) {
  Sources out;
  for (const std::string& target : options.targets) {
    if (!is_study(target)) {
      out.places.emplace_back(target);
      continue;
    }
    if (options.targets.size() > 1) {
      throw InputError(
          Complaint{{},
                    "a study stands alone, not beside other targets ('" + target + "')",
                    "several folders of results may be named"});
    }
    out.study = read_study(target);
  }
  if (out.places.empty()) out.places.emplace_back(options.results);
  for (const fs::path& place : out.places) {
    if (fs::exists(place)) continue;
    throw InputError(Complaint{{},
                               "there are no results in '" + place.string() +
                                   "': run 'tuner run' first, or name their folder" +
                                   (out.study ? " with --results" : ""),
                               ""});
  }
  return out;
}

}  // namespace

int report_command(const ReportOptions& options) {
  const Sources from = sources_of(options);
  const Study* const study = from.study ? &*from.study : nullptr;
  OutputGuard guard(options.force);
  if (study != nullptr) guard.protect(*study);
  for (const fs::path& place : from.places) {
    if (fs::is_directory(place)) guard.protect_store(place);
  }
  guard.check(options.output);
  std::vector<std::string> notes;
  ReportData data;
  for (const fs::path& place : from.places) {
    for (ReportSet& set :
         report_sets(result_sets(place, study, {options.device, options.size, {}}, notes))) {
      data.sets.push_back(std::move(set));
    }
  }
  for (const std::string& note : notes) std::cerr << for_terminal(note) << "\n";
  if (data.sets.empty()) {
    std::cerr << "nothing has been measured that fits\n";
    return kExitNothingValid;
  }
  data.title = options.title.empty() ? title_of(data.sets) : options.title;
  data.version = TUNER_VERSION;
  data.limits = options.limits;
  const std::string page = report_page(data);
  if (options.output == "-") {
    std::cout << page;
  } else {
    write_file_atomically(options.output, page);
    std::cerr << for_terminal(fmt::format("{}: {} rankings, {} KiB", options.output,
                                          data.sets.size(), page.size() / 1024))
              << "\n";
  }
  const bool any =
      std::ranges::any_of(data.sets, [](const ReportSet& set) { return set.ranked.ranked > 0; });
  return any ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
