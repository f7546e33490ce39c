// `tuner results`: prints the rankings that the store holds.

#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/colours.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/exporters/failure_report.h"
#include "tuner/exporters/ranked_csv.h"
#include "tuner/exporters/ranked_table.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/stored_results.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/run_worker.h"

namespace tuner {
namespace {

// What shows all failures of what is shown now.
std::string failures_command(const ResultsOptions& options) {
  std::string text = "tuner results";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + value;
  };
  add(" ", options.target);
  if (options.no_verify) text += " --no-verify";
  if (options.results != ResultsOptions().results) add(" --results ", options.results);
  add(" --size ", options.size);
  add(" --device ", options.device);
  return text + " --failures";
}

void print(const StoredResults& results, const ResultsOptions& options) {
  const Colours colours(options.color, stdout);
  std::cout << for_terminal(fmt::format("{} on {}, {}  ({})", results.kernel,
                                        results.ranked.device.name, results.ranked.size.label(),
                                        results.ranked.date))
            << "\n";
  if (!results.imported.empty()) {
    std::cout << "  imported from " << for_terminal(results.imported) << "\n";
  }
  for (const std::string& reason : results.stale) {
    std::cout << "  " << colours.doubtful("stale")
              << ", will be measured anew: " << for_terminal(reason) << "\n";
  }
  if (!results.plain) std::cout << "  measured with " << results.options << "\n";
  for (const std::string& other : results.others) {
    std::cout << "  not shown (--all shows it): " << other << "\n";
  }
  if (options.failures) {
    std::cout << failure_report(results.ranked, results.parameters, colours) << "\n";
    return;
  }
  std::cout << ranked_table(results.ranked, results.parameters, options.top, colours)
            << failure_summary(results.ranked, results.parameters, failures_command(options),
                               colours)
            << "\n";
}

void write_csv(const ResultsOptions& options, const std::vector<StoredResults>& all,
               const OutputGuard& guard) {
  const std::string& path = options.csv;
  if (all.size() != 1) {
    std::string which;
    for (const StoredResults& r : all) {
      which +=
          fmt::format("\n  {} on {}, {}", r.kernel, r.ranked.device.name, r.ranked.size.label());
    }
    throw InputError(
        Complaint{{}, "--csv takes one ranking; choose with --device and --size:" + which, ""});
  }
  const std::string text = ranked_csv(all.front().ranked, all.front().parameters);
  if (path == "-") {
    std::cout << text;
  } else {
    guard.check(path);
    write_file_atomically(path, text);
  }
}

// Asked in children: a driver is never loaded here. What is not there is not compared.
Machine this_machine(const std::string& backend) {
  const WorkerProgram program{executable_path(), {}};
  Machine machine;
  try {
    machine.compiler = CompilePool(program, {backend, 1, 60, ""}).identity();
    machine.devices = RunWorker::probe(program, backend);
  } catch (const UnavailableError& error) {
    std::cerr << lines_for_terminal(error.what()) << "\n";
  }
  return machine;
}

}  // namespace

int results_command(const ResultsOptions& options) {
  namespace fs = std::filesystem;
  const bool folder = !options.target.empty() && fs::is_directory(options.target);
  const fs::path directory = folder ? options.target : options.results;
  std::optional<Study> study;
  if (!options.target.empty() && !folder) study = read_study(options.target);
  if (study && options.no_verify) study = unverified_study(std::move(*study));
  if (!fs::exists(directory / "tuner.sqlite")) {
    throw InputError(Complaint{{},
                               "there are no results in '" + directory.string() +
                                   "': run 'tuner run' first, or name their folder with "
                                   "--results",
                               ""});
  }
  Store store = Store::open(directory, Store::Access::kRead);
  for (const std::string& note : store.notes()) std::cerr << for_terminal(note) << "\n";
  ResultFilter filter{options.device, options.size, {}};
  if (options.here) filter.machine = this_machine;
  auto all = stored_results(store, study ? &*study : nullptr, filter);
  if (!options.all) all = newest_of_each(std::move(all));
  if (all.empty()) {
    std::cerr << "nothing has been measured that fits\n";
    return kExitNothingValid;
  }
  if (!options.csv.empty()) {
    OutputGuard guard(options.force);
    if (study) guard.protect(*study);
    guard.protect_store(directory);
    write_csv(options, all, guard);
  } else {
    for (const StoredResults& results : all) print(results, options);
  }
  bool any = false;
  for (const StoredResults& results : all) any = any || results.ranked.ranked > 0;
  return any ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
