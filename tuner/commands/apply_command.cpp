// `tuner apply`: runs a program as it is, with the tuned kernel in place of its own. The launches
// are replaced by an object that is preloaded (plugins/cuda/apply), and chosen here (tuner/apply).

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tuner/apply/conversation.h"
#include "tuner/apply/figures.h"
#include "tuner/apply/line_server.h"
#include "tuner/apply/program_file.h"
#include "tuner/base/stopwatch.h"
#include "tuner/base/temporary_folder.h"
#include "tuner/check/checked_study.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/started_program.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

struct ApplyOptions : ExportOptions {
  std::string kernel;
  unsigned pairs = 3;
  bool once = false;
  bool json = false;
  Strings program;
};

ApplyOptions parse_apply(const Strings& words) {
  ApplyOptions o;
  OptionTable add;
  add("kernel", o.kernel,
      "the program's kernel is the one whose demangled name has this in it ('*': any text); "
      "without it, the one of the study's name");
  add("pairs", o.pairs, "how often the program runs without the tuned kernel and with it");
  add("once", o.once, "run the program once, with the tuned kernel");
  add("json", o.json, "as JSON; what the program prints goes to standard error");
  add.results(o.results);
  add("from", o.from,
      "ranked CSV files (one, a folder or a .tar.gz of them) instead of the results' store");
  add("device", o.filter.device, "results of this device only (part of its name)");
  add.t1(o);
  add.plugin_dirs(o.plugin_dirs);
  o.program = inputs(add.parse(words, "tuner apply STUDY [options] -- PROGRAM ARGUMENTS..."));
  if (o.program.empty()) wrong_usage("which study?");
  o.study = o.program.front();
  o.program.erase(o.program.begin());
  if (o.program.empty()) wrong_usage("which program? Give it behind '--' (see --help)");
  must_be_some("--pairs", o.pairs);
  return o;
}

// Results of CUDA devices that have something valid.
std::vector<RankedResults> applied_results(const ApplyOptions& options, const Study& study) {
  std::vector<RankedResults> results = exported_results(options, study);
  std::string others;
  std::erase_if(results, [&](const RankedResults& one) {
    const bool is_other = one.device.backend != "cuda" && one.ranked > 0;
    if (is_other) others = one.device.backend;
    return is_other || one.ranked == 0;
  });
  if (!results.empty()) return results;
  throw FatalError(
      others.empty()
          ? fmt::format("there is no valid result of '{}' to apply", study.kernel.name)
          : fmt::format("a program's launches become those of the backend cuda, and the results "
                        "of '{}' are of the backend {}",
                        study.kernel.name, others));
}

// ---- runs of the program ------------------------------------------------------------------------

class Program {
 public:
  Program(const ApplyOptions& options, const fs::path& folder, Conversation& talk)
      : options_(options),
        object_(object_in_library("tuner-apply.so", "this build has no cuda plugin")),
        folder_(folder),
        talk_(talk),
        nowhere_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
        input_begin_(::lseek(STDIN_FILENO, 0, SEEK_CUR)) {}

  // The first run has the streams of this process; what later ones print is dropped, but for the
  // end of their errors, where they fail.
  AppliedRun run(bool with_tuned) {
    const fs::path socket = folder_ / "socket";
    const LineServer server(socket, [&](std::uint64_t process, const nlohmann::json& line) {
      return talk_.answer(process, line);
    });
    StartedProgram started{options_.program, {"TUNER_APPLY=" + socket.string(), preloaded()}};
    const bool is_first = runs_++ == 0;
    if (is_first && options_.json) started.output = STDERR_FILENO;
    if (!is_first) {
      const bool is_file = input_begin_ >= 0 && ::lseek(STDIN_FILENO, input_begin_, SEEK_SET) >= 0;
      if (!is_file) started.input = nowhere_.get();
      started.output = started.errors = nowhere_.get();
    }
    talk_.begin_run(with_tuned);
    const Stopwatch watch;
    status_ = run_to_end(started);
    return {watch.seconds(), {}};
  }

  int status() const { return status_; }
  bool is_loaded() const { return fs::exists(folder_ / "socket.loaded"); }

 private:
  // Adds the object behind what is preloaded already.
  std::string preloaded() const {
    const char* const before = std::getenv("LD_PRELOAD");
    const bool is_any = before != nullptr && *before != '\0';
    return "LD_PRELOAD=" + (is_any ? std::string(before) + ":" : "") + object_.string();
  }

  const ApplyOptions& options_;
  fs::path object_;
  fs::path folder_;
  Conversation& talk_;
  FileDescriptor nowhere_;
  off_t input_begin_;
  int runs_ = 0;
  int status_ = 0;
};

// Why no launch was seen that could be replaced.
[[noreturn]] void complain_of_nothing(const ApplyOptions& options, const Program& program,
                                      const RunCounts& counts) {
  const std::string& name = options.program[0];
  const std::string in_file = why_not_preloaded(name);
  if (!in_file.empty()) {
    throw FatalError(fmt::format("nothing can be preloaded into '{}': {}", name, in_file));
  }
  if (!program.is_loaded()) {
    throw FatalError(
        fmt::format("nothing was preloaded into '{}': it clears its environment, or "
                    "starts on another machine",
                    name));
  }
  if (!counts.is_attached) throw FatalError(fmt::format("'{}' has not used CUDA", name));
  if (!counts.trouble.empty()) {
    throw FatalError(fmt::format("launches of '{}' cannot be looked at: {}", name, counts.trouble));
  }
  std::vector<std::pair<std::uint64_t, std::string>> seen;
  for (const auto& [kernel, launches] : counts.kernels) seen.emplace_back(launches, kernel);
  std::ranges::sort(seen, std::greater<>());
  Strings names;
  constexpr std::size_t kMost = 5;
  for (const auto& [launches, kernel] : seen) {
    if (names.size() < kMost) names.push_back(fmt::format("{} ({})", kernel, launches));
  }
  const std::string wanted =
      options.kernel.empty() ? "of the study's name" : "with '" + options.kernel + "' in its name";
  throw FatalError(fmt::format(
      "no launch of a kernel {} was seen; {}", wanted,
      names.empty() ? "it has told of no launch at all"
                    : "launched were: " + listed(names) + " (--kernel names another one)"));
}

// Makes the runs as far as the program ends well and nobody interrupts. Pairs are made whole.
AppliedRuns make_runs(const ApplyOptions& options, Program& program, Conversation& talk,
                      const Interrupt& interrupt) {
  AppliedRuns runs;
  const auto run = [&](bool with_tuned) {
    AppliedRun one = program.run(with_tuned);
    talk.prepare();
    one.counts = talk.end_run();
    const bool is_whole = program.status() == 0 && interrupt.count() == 0;
    if (is_whole && one.counts.all() == 0) complain_of_nothing(options, program, one.counts);
    if (is_whole || options.once) (with_tuned ? runs.with : runs.without).push_back(std::move(one));
    return is_whole;
  };
  if (options.once) {
    run(true);
    return runs;
  }
  for (unsigned pair = 0; pair < options.pairs; ++pair) {
    if (!run(false)) break;
    if (pair == 0 && !talk.replaces_any()) break;
    if (!run(true)) break;
  }
  return runs;
}

void print(const ApplyOptions& options, const Study& study, const Conversation& talk,
           const AppliedRuns& runs, int status) {
  if (!options.json) {
    std::cout << figures_text(study, talk.answers(), runs);
    return;
  }
  nlohmann::json out = figures_json(study, talk.answers(), runs);
  out["status"] = status;
  std::cout << out.dump() << "\n";
}

int status_of(const ApplyOptions& options, const AppliedRuns& runs, int of_program,
              const Interrupt& interrupt) {
  const bool is_interrupted = interrupt.count() > 0;
  if (is_interrupted) {
    tell("interrupted after " +
         count_text(std::min(runs.without.size(), runs.with.size()), "pair"));
  }
  if (of_program != 0) {
    tell(fmt::format("'{}' ended with status {}", options.program[0], of_program));
    return of_program;
  }
  if (is_interrupted) return kExitInterrupted;
  const bool any = !runs.with.empty() && runs.with.back().counts.replaced() > 0;
  if (!any) tell("no launch was replaced");
  return any ? kExitDone : kExitNothingValid;
}

// Says, before the program runs, how often it will and what may be wrong with the results.
void tell_beforehand(const ApplyOptions& options, const std::vector<RankedResults>& results,
                     const VariantImages& images) {
  for (const std::string& note : images.notes()) tell(note);
  for (const RankedResults& one : results) {
    if (one.unverified.value_or("").empty()) continue;
    tell("the tuned kernel may give wrong answers: " + *one.unverified);
    break;
  }
  if (options.once) return;
  tell(
      fmt::format("'{}' runs {} times, without the tuned kernel and with it in turn; what it "
                  "prints after the first time is dropped",
                  options.program[0], 2 * options.pairs));
}

}  // namespace

int apply_command(const Strings& words) {
  const ApplyOptions options = parse_apply(words);
  const Study study = with_t1_options(read_study(options.study), options);
  require_one_launch(study);
  const std::vector<RankedResults> results = applied_results(options, study);
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const Interrupt interrupt;
  const TemporaryFolder folder("tuner-apply");
  VariantImages images(study, catalogue, {executable_path(), options.plugin_dirs},
                       results.front().device, interrupt, folder.path());
  const VariantChooser chooser(study, results, images.source_text());
  Conversation talk(study, chooser, images, options.kernel);
  Program program(options, folder.path(), talk);
  tell_beforehand(options, results, images);
  const AppliedRuns runs = make_runs(options, program, talk, interrupt);
  print(options, study, talk, runs, program.status());
  return status_of(options, runs, program.status(), interrupt);
}

}  // namespace tuner
