// `tuner report`: writes results as one HTML page.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

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

}  // namespace

int report_command(const ReportOptions& options) {
  const fs::path target = options.target.empty() ? options.results : options.target;
  std::optional<Study> study;
  if (is_study(target)) study = read_study(target);
  const fs::path from = study ? fs::path(options.results) : target;
  if (!fs::exists(from)) {
    throw InputError(Complaint{{},
                               "there are no results in '" + from.string() +
                                   "': run 'tuner run' first, or name their folder" +
                                   (study ? " with --results" : ""),
                               ""});
  }
  OutputGuard guard(options.force);
  if (study) guard.protect(*study);
  if (fs::is_directory(from)) guard.protect_store(from);
  guard.check(options.output);
  std::vector<std::string> notes;
  ReportData data;
  data.sets = report_sets(
      result_sets(from, study ? &*study : nullptr, {options.device, options.size, {}}, notes));
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
