#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "tuner/app/artifacts.h"
#include "tuner/app/commands.h"
#include "tuner/app/identity.h"
#include "tuner/app/size_run.h"
#include "tuner/app/trace.h"
#include "tuner/base/error.h"
#include "tuner/engine/budget.h"
#include "tuner/store/ranked_csv.h"
#include "tuner/study/size_check.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

// Several devices must all be there before the first of them is tuned; `there` is only asked then,
// because a driver takes its time to start.
std::vector<unsigned> device_numbers(const std::string& text,
                                     const std::function<std::size_t()>& there) {
  std::vector<unsigned> numbers;
  if (text == "all") {
    for (unsigned i = 0; i < there(); ++i) numbers.push_back(i);
    return numbers;
  }
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    if (word.empty() || word.size() > 4 ||
        !std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); })) {
      throw InputError(
          Complaint{{}, "--device takes numbers such as 0,1 or 'all', not '" + text + "'", ""});
    }
    const auto number = static_cast<unsigned>(std::stoul(word));
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
      numbers.push_back(number);
    }
    at = comma + 1;
  }
  if (numbers.size() > 1) {
    const std::size_t count = there();
    const unsigned last = *std::max_element(numbers.begin(), numbers.end());
    if (last >= count) {
      throw UnavailableError(fmt::format("there is no device {}; the backend has {}", last, count));
    }
  }
  return numbers;
}

Words names_of(const Catalogue& catalogue, PluginKind kind) {
  Words names;
  for (const PluginItem& item : catalogue.items(kind)) names.push_back(item.name);
  return names;
}

// The run workers of one backend, the first of them with its device open.
struct Devices {
  std::string backend;
  std::string options_text;  // of the backend, for the identity of trials
  std::unique_ptr<CompilePool> compilers;
  std::vector<std::unique_ptr<RunWorker>> workers;
};

Devices open_devices(const RunOptions& options, const WorkerProgram& program,
                     const std::string& backend, Progress& progress) {
  Devices devices;
  devices.backend = backend;
  devices.compilers = std::make_unique<CompilePool>(
      program,
      CompilePoolOptions{backend, options.jobs, options.timeout, user_cache_directory().string(),
                         [&progress](const std::string& text) { progress.note(text); }});
  devices.compilers->warm_up();
  RunLimits limits;
  limits.configuration_seconds = options.timeout;
  OptionList backend_options;
  if (options.in_random_order) {
    backend_options.emplace_back("order", "random");
    devices.options_text = "order=random";
  }
  const auto count = [&] { return RunWorker::probe(program, backend).size(); };
  for (const unsigned number : device_numbers(options.device, count)) {
    devices.workers.push_back(
        std::make_unique<RunWorker>(program, backend, number, backend_options, limits));
  }
  devices.workers.front()->open();
  return devices;
}

// `auto` takes the first backend that works; the cpu is nobody's first choice.
Devices choose_devices(const RunOptions& options, const WorkerProgram& program,
                       const Catalogue& catalogue, Progress& progress) {
  Words names = names_of(catalogue, PluginKind::kBackend);
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return (a == "cpu") < (b == "cpu"); });
  if (options.backend != "auto") {
    if (std::find(names.begin(), names.end(), options.backend) == names.end()) {
      std::string known;
      for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
      throw UnavailableError("there is no backend '" + options.backend +
                             "'; there are: " + (known.empty() ? "none" : known));
    }
    names = {options.backend};
  }
  std::string reasons;
  for (const std::string& name : names) {
    try {
      return open_devices(options, program, name, progress);
    } catch (const UnavailableError& error) {
      if (names.size() == 1) throw;
      reasons += std::string("\n  ") + error.what();
      progress.note(std::string("backend ") + error.what());
    }
  }
  throw UnavailableError("no backend works:" + (reasons.empty() ? " none is installed" : reasons));
}

Study load_study(const RunOptions& options, Progress& progress) {
  StudyFile file = read_study_file(options.study);
  for (const Complaint& warning : file.warnings) {
    progress.note("warning: " + render(warning, file.study.text));
  }
  Study study = std::move(file.study);
  if (!study.runnable) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "there is nothing to run: 'kernel', 'launch' and 'arguments' are "
                               "needed beside the parameters",
                               ""});
  }
  if (!options.sizes.empty()) {
    std::vector<ProblemSize> sizes;
    for (const std::string& text : options.sizes) {
      const ProblemSize size = parse_size_option(text, study);
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    }
    study.sizes = std::move(sizes);
  }
  for (const std::string& text : options.where) {
    auto rule = Expression::parse(text, Position{"--where", 1, 1});
    if (!rule) throw InputError({rule.error()}, text);
    study.constraints.push_back(std::move(*rule));
  }
  return study;
}

Budget budget_of(const RunOptions& options, const Study& study) {
  if (options.budget.empty()) return study.search.budget;
  auto budget = parse_budget(options.budget);
  if (!budget) throw InputError(Complaint{{}, "--budget: " + budget.error(), ""});
  return *budget;
}

void choose_strategy(RunShared& shared) {
  const SearchSpec& search = shared.study->search;
  shared.strategy = search.strategy;
  shared.strategy_options = search.options;
  if (!shared.options->strategy.empty()) {
    std::tie(shared.strategy, shared.strategy_options) = parse_strategy(shared.options->strategy);
  }
  if (shared.strategy.empty()) shared.strategy = "default";
}

// Before anything is opened or built; its options are checked when it is made.
void check_strategy(const Catalogue& catalogue, const std::string& name) {
  if (catalogue.find(PluginKind::kStrategy, name) != nullptr) return;
  throw InputError(Complaint{{},
                             "there is no strategy '" + name + "'; see 'tuner list strategies'",
                             did_you_mean(name, names_of(catalogue, PluginKind::kStrategy))});
}

void print_outcome(const RunShared& shared, const SizeOutcome& outcome) {
  std::cout << "\n" << ranked_table(outcome.results, names_of(shared.study->parameters), 10);
  std::cout << "  " << outcome.csv_path << "\n";
  std::cout.flush();
}

}  // namespace

int run_command(const RunOptions& options) {
  Progress progress(options.progress, stderr);
  const Study study = load_study(options, progress);
  RunShared shared;
  shared.options = &options;
  shared.study = &study;
  shared.budget = budget_of(options, study);
  choose_strategy(shared);

  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  check_strategy(catalogue, shared.strategy);
  Devices devices = choose_devices(options, program, catalogue, progress);
  Store store = Store::open(options.results);
  for (const std::string& note : store.notes()) progress.note(note);
  const SourceTexts sources = read_sources(study);
  const ArtifactShelf shelf;
  TraceFile trace(options.trace);

  shared.source_text = sources.kernel;
  shared.reference_text = sources.reference;
  shared.source_digest = sources.digest;
  shared.catalogue = &catalogue;
  shared.store = &store;
  shared.compilers = devices.compilers.get();
  shared.interrupt = &interrupt;
  shared.progress = &progress;
  shared.backend_options = devices.options_text;
  shared.library = shelf.library(devices.compilers->identity());

  bool any_valid = false;
  for (auto& worker : devices.workers) {
    shared.runner = worker.get();
    const DeviceFacts device = worker->is_open() ? worker->facts() : worker->open();
    for (const ProblemSize& size : study.sizes) {
      if (interrupt.count() > 0) break;
      trace.begin_run();
      shared.on_trial = [&](const Trial& trial, double seconds) { trace.trial(trial, seconds); };
      const SizeOutcome outcome = tune_size(shared, device, size);
      any_valid = any_valid || outcome.results.ranked > 0;
      print_outcome(shared, outcome);
      if (outcome.lost.empty()) continue;
      trace.close();
      throw UnavailableError(outcome.lost + "; everything measured so far is kept");
    }
    worker.reset();  // its device is free for others
  }
  trace.close();
  if (interrupt.count() > 0) {
    progress.note("interrupted; everything measured so far is kept, the same command resumes");
    return kExitInterrupted;
  }
  return any_valid ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
