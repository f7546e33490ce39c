// `tuner run`: reads study and options, has the study tuned, and shows what happens. Of several
// ranks the first does that, and the others lend what they have.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>

#include "tuner/base/child_process.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/progress.h"
#include "tuner/commands/run_display.h"
#include "tuner/remote/job.h"
#include "tuner/remote/link.h"
#include "tuner/resolve/facts_used.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/tuning_run.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

#ifndef TUNER_VERSION
#define TUNER_VERSION "unknown"
#endif

namespace tuner {
namespace {

void add_replay(RunOptions& o, OptionTable& add) {
  add.group("replays");
  add("replay", o.replay,
      "answer from a recording (Kernel Tuner cache or T4 JSON, also .gz) instead of a device");
  add("repeats", o.repeats, "repeat with seeds seed, seed+1, ...");
  add("compile-workers", po::value(&o.compile_workers),
      "simulate this many compile workers and one device, with their times");
  add("simulated-devices", po::value(&o.simulated_devices),
      "with --compile-workers: this many devices that share the search");
}

void add_space(RunOptions& o, OptionTable& add) {
  add.group("what is tuned");
  add.sizes(o);
  add.asked(o.asked,
            "files of an application that was built with TUNER_COUNT_ASKED: tune the sizes that it "
            "asked for and that were not tuned, the costliest first; the budget is for all");
  add("where", o.where,
      "tune only where this holds, such as \"FORM == 'shared'\"; may be repeated");
  add.t1(o);
}

void add_search(RunOptions& o, bool& cold_start, OptionTable& add) {
  add.group("search");
  add("strategy", o.strategies,
      "NAME, or NAME:option=value,... (see 'tuner list NAME'); with --replay it may be repeated");
  add("budget", o.budget,
      "for each size: 500 (evaluations), 90s, 10m, 2h, target=0.8, patience=200, or several with "
      "commas; otherwise the study's");
  add("seed", o.settings.seed, "of the strategy");
  add("no-warm-start", cold_start,
      "do not tell the strategy what was measured for other sizes and on other devices");
  add("warm-start", o.warm_start_recording,
      "give the strategy a recording to start from; everything is measured again");
  add("advice", o.advice,
      "measure the configurations of this file first: a JSON list of maps; may be repeated");
  add("cross-sizes", o.settings.cross_sizes,
      "afterwards measure each size's winner at the other sizes, too, beyond the budget; exports "
      "then select better");
}

void add_measuring(RunOptions& o, OptionTable& add) {
  add.group("devices and measuring");
  add("backend", o.backend, "auto, NAME, or NAME:option=value,... (see 'tuner list NAME')");
  add("device", o.device,
      "numbers such as 0,1, or all; those of one model share sizes and searches");
  add("in-turn", o.settings.in_turn, "one size after the other, each on all devices");
  add.jobs(o.settings.jobs);
  add.timeout(o.settings.timeout, "seconds for one configuration");
  add("counters", o.settings.counters,
      "read hardware counters of the finalists, and say what limits them");
  add("random-order", o.in_random_order,
      "cpu backend: run a block's threads in random order between barriers, which shows a missing "
      "__syncthreads");
  add.plugin_dirs(o.plugin_dirs);
}

void add_output(RunOptions& o, OptionTable& add) {
  add.group("results and output");
  add.results(o.settings.results);
  add("fresh", o.settings.fresh, "forget earlier results, and measure again");
  add("trace", o.trace, "write run, eval, time_s, objective, strategy, seed as CSV");
  add.force(o.force);
  add("progress", o.progress, "auto, plain, json or none");
  add.color(o.color);
}

// Checks the options that go only with a replay, and those that do not go with one.
void check_replay(RunOptions& o, const po::variables_map& values) {
  const bool replayed = !o.replay.empty();
  if (values.contains("compile-workers")) {
    if (!replayed) wrong_usage("--compile-workers goes with --replay");
    if (!values["jobs"].defaulted()) wrong_usage("--compile-workers and --jobs exclude each other");
    must_be_some("--compile-workers", o.compile_workers);
  }
  if (values.contains("simulated-devices")) {
    if (o.compile_workers == 0) wrong_usage("--simulated-devices goes with --compile-workers");
    must_be_some("--simulated-devices", o.simulated_devices);
  }
  // Without --compile-workers a replay's clock is that of one configuration after the other; more
  // open questions are a test of the strategy.
  if (replayed && values["jobs"].defaulted()) o.settings.jobs = 1;
  if (o.settings.cross_sizes && replayed) {
    wrong_usage("--cross-sizes measures on a device; it does not go with --replay");
  }
  if (replayed && !o.advice.empty()) {
    wrong_usage("--advice does not go with --replay, which asks the strategy alone");
  }
  if (!replayed && !values["repeats"].defaulted()) wrong_usage("--repeats goes with --replay");
}

RunOptions parse_run(const Strings& words) {
  RunOptions o;
  Settings& settings = o.settings;
  OptionTable add;
  bool cold_start = false;
  add_space(o, add);
  add_search(o, cold_start, add);
  add_measuring(o, add);
  add_output(o, add);
  add_replay(o, add);
  const auto values =
      add.parse(words, "tuner run STUDY [options]\n       tuner run --replay RECORDING [options]");
  o.study = one_input(values, "study", o.replay.empty());
  o.names_device = !values["device"].defaulted();
  o.names_jobs = !values["jobs"].defaulted();
  if (o.strategies.size() > 1 && o.replay.empty()) {
    wrong_usage("several strategies are for --replay, which compares them");
  }
  if (!o.asked.empty() && (!o.sizes.empty() || !o.replay.empty())) {
    wrong_usage(std::string("--asked names the sizes; it does not go with ") +
                (o.replay.empty() ? "--size" : "--replay"));
  }
  must_be_one_of("--progress", o.progress, {"auto", "plain", "json", "none"});
  settings.warm_start = !cold_start;
  if (cold_start && !o.warm_start_recording.empty()) {
    wrong_usage("--warm-start and --no-warm-start exclude each other");
  }
  if (o.repeats < 1) wrong_usage("--repeats must be at least 1");
  check_replay(o, values);
  return o;
}

// ---- other ranks --------------------------------------------------------------------------------

struct JoinedRanks {
  std::unique_ptr<RankJob> job;  // null: this process is alone
  bool is_spare = false;         // alone, and another one does the work and speaks
};

RankProgram this_program() {
  return {executable_path(), [](const std::vector<std::string>& plugin_dirs) {
            return facts_here(TUNER_VERSION, load_plugins(plugin_dirs));
          }};
}

// Ends the ranks if they cannot reach each other: the first one throws the reason, the others are
// silent.
JoinedRanks alone(const LaunchedJob& launched, const std::string& why) {
  if (launched.rank > 0) return {nullptr, true};
  throw UnavailableError("started as " + std::to_string(launched.count) + " ranks, " + why);
}

// Loads and starts MPI only if a launcher has started several processes. Throws UnavailableError
// where they cannot reach each other.
JoinedRanks join_ranks() {
  const auto launched = launched_job([](const char* name) { return std::getenv(name); });
  if (!launched) return {};
  const auto module =
      std::filesystem::path(executable_path()).parent_path() / "../lib/tuner/tuner-mpi.so";
  std::error_code unreadable;
  if (!std::filesystem::exists(module, unreadable)) {
    return alone(*launched,
                 "but this build has no MPI: build it where libopenmpi-dev is installed, or start "
                 "one process");
  }
  auto job = std::make_unique<RankJob>([&] { return make_mpi_link(module); }, this_program());
  if (job->count() > 1) return {std::move(job), false};
  return alone(*launched,
               "but its MPI does not know of the others: start it by the mpirun of that MPI, or "
               "with srun --mpi=pmix");
}

// ---- the run ------------------------------------------------------------------------------------

// Throws InputError for one that names what is not there, before anything is opened or made.
void check_conditions(const Study& study) {
  if (study.only.empty() || study.sizes.empty()) return;
  DeviceFacts device;
  SpaceDefinition space = space_definition(study, study.sizes.front(), device);
  space.constraints = study.only;
  for (Parameter& one : space.parameters) one.values.resize(1);  // names alone are of interest
  for (const std::string& fact : facts_used(study))
    space.facts.emplace("device." + fact, std::int64_t{1});
  SearchSpace::build(std::move(space));
}

// Takes the sizes that were asked for and missed instead of the study's. Returns false where there
// are none.
bool take_asked(Settings& settings, const RunOptions& options) {
  if (options.asked.empty()) return true;
  settings.asked = read_asked(options.asked, settings.study);
  std::vector<ProblemSize> missed;
  for (const AskedSize& one : settings.asked) {
    if (one.is_missed() && std::ranges::find(missed, one.size) == missed.end()) {
      missed.push_back(one.size);
    }
  }
  if (missed.empty()) return false;
  settings.study.sizes = std::move(missed);
  settings.study.domain.reset();
  return true;
}

// The study and the command line, which has the last word.
Settings settings_of(const RunOptions& options, Progress& progress) {
  const auto note = [&](const std::string& text) { progress.note(text); };
  Settings settings = settings_with(options, study_of(options, note));
  for (const std::string& text : options.where) {
    auto rule = Expression::parse(text, Position{"--where", 1, 1});
    if (!rule) throw InputError({rule.error()}, text);
    settings.study.only.push_back(std::move(*rule));
  }
  check_conditions(settings.study);
  SearchSpec& search = settings.study.search;
  search.budget = budget_of(options, search.budget);
  if (!options.strategies.empty()) {
    search.text = options.strategies.front();
    std::tie(search.strategy, search.options) = parse_choice("--strategy", search.text);
  }
  search.strategy = strategy_named(search.strategy);
  for (const std::string& file : options.advice) {
    if (!std::filesystem::exists(file)) reject(file, "--advice: there is no such file");
    search.advice.push_back(advice_file(std::filesystem::path(file).lexically_normal()));
  }
  if (!options.warm_start_recording.empty()) {
    settings.warm_recording = read_any_recording(options.warm_start_recording);
  }
  return settings;
}

// Before the first measurement.
void check_trace(const RunOptions& options, const Settings& settings) {
  if (options.trace.empty()) return;
  OutputGuard guard(options.force);
  guard.protect(settings.study);
  guard.protect_store(settings.results);
  if (!options.warm_start_recording.empty()) {
    guard.protect(options.warm_start_recording, "is the recording of --warm-start");
  }
  guard.check(options.trace);
}

// Takes the devices and compile workers that the other ranks lend. Unless the options say
// otherwise, each rank compiles on its share of the cores, and all devices take part.
LentHosts lent_to(Settings& settings, RankJob& ranks, const RunOptions& options,
                  const Catalogue& catalogue, Progress& progress) {
  const Study& study = settings.study;
  Lending lending{needed_plugins(study, catalogue), options.plugin_dirs,
                  files_of_workers(study, read_sources(study), settings.seed), std::nullopt};
  if (options.names_jobs) lending.jobs = settings.jobs;
  LentHosts lent = ranks.hosts(lending, [&](const std::string& text) { progress.note(text); });
  if (!options.names_jobs) settings.jobs = ranks.cores_here();
  if (!options.names_device) settings.devices.clear();
  return lent;
}

int run(const RunOptions& options, Settings settings, RankJob* ranks, Progress& progress) {
  check_trace(options, settings);
  const Interrupt interrupt;
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const LentHosts lent =
      ranks == nullptr ? LentHosts{} : lent_to(settings, *ranks, options, catalogue, progress);
  TraceFile trace(options.trace, settings.study.objective.name == "time");
  RunDisplay display(settings, options, Colours(options.color, stdout), progress, trace);
  const RunListener listener([&](const RunEvent& event) { display.hear(event); });
  const RunEnd end =
      tune(settings, {{executable_path(), options.plugin_dirs}, catalogue, interrupt, {}}, listener,
           lent);
  trace.close();
  display.sum_up();
  if (end.interrupted) {
    progress.note("interrupted; everything measured so far is kept, the same command resumes");
    return kExitInterrupted;
  }
  return end.all_valid ? kExitDone : kExitNothingValid;
}

}  // namespace

int run_or_replay(const Strings& words) {
  const JoinedRanks joined = join_ranks();
  if (joined.is_spare) return kExitDone;
  RankJob* const ranks = joined.job.get();
  if (ranks != nullptr && ranks->rank() > 0) {
    const Interrupt interrupt;
    return ranks->serve(interrupt) ? kExitDone : kExitUnavailable;
  }
  const RunOptions options = parse_run(words);
  if (!options.replay.empty()) return replay_command(options);
  return with_progress(options.progress, Colours(options.color, stderr), [&](Progress& progress) {
    Settings settings = settings_of(options, progress);
    if (take_asked(settings, options)) return run(options, std::move(settings), ranks, progress);
    progress.note("every size that was asked for is tuned: there is nothing to do");
    return kExitDone;
  });
}

}  // namespace tuner
