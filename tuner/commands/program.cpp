// The whole program: its commands with their groups and examples, help, and how failures become
// messages and exit statuses.

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iosfwd>
#include <iostream>
#include <ostream>

#include "tuner/base/interrupt.h"
#include "tuner/base/keeper.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/progress.h"
#include "tuner/model/json_text.h"
#include "tuner/worker/child.h"

#ifndef TUNER_VERSION
#define TUNER_VERSION "unknown"
#endif

namespace tuner {
namespace {

struct Example {
  std::string line;  // as it is typed; tests/docs/options.py runs each
  std::string what;  // it does
};

struct Command {
  std::string group;  // heading in `tuner --help`; commands of a group stand together
  std::string name;
  std::string summary;
  int (*run)(const Strings& words);
  std::vector<Example> examples;
};

// At this level, since a function would be too long.
const std::vector<Command> kCommands{
    {"start",
     "init",
     "draft a study for a kernel that you have",
     init_command,
     {{"tuner init saxpy.cu -o draft.yaml", "writes draft.yaml, and lists what it guessed"},
      {"tuner init saxpy.cu --kernel saxpy_reference -o -",
       "prints a study for the named kernel of several"}}},
    {"start",
     "check",
     "validate a study; count, list or compile its configurations",
     check_command,
     {{"tuner check saxpy.yaml", "reports all mistakes, and what each constraint removes"},
      {"tuner check saxpy.yaml --compile --arch cpu --sample 4",
       "compiles four random configurations for the CPU; sm_90 is for an H100"},
      {"tuner check --schema > study.schema.json", "what a study may say, for an editor"}}},
    {"start",
     "try",
     "compile, verify and time one configuration, and show all details",
     try_command,
     {{"tuner try saxpy.yaml BLOCK=256,VEC=4", "this configuration, at each size of the study"},
      {"tuner try saxpy.yaml VEC=4 --size N=1000 --json",
       "at another size, with the first BLOCK that is valid, as JSON"}}},
    {"tune",
     "run",
     "tune a study: compile, verify and measure its variants",
     run_or_replay,
     {{"tuner run saxpy.yaml --budget 500,10m",
       "at most 500 configurations and ten minutes for each size; the same command again resumes"},
      {"tuner run saxpy.yaml --size N=4096 --where \"BLOCK >= 128\"",
       "tunes another size, and only a part of the configurations"},
      {"tuner run --replay recording.json --strategy random --strategy genetic --repeats 5",
       "compares two strategies on results that were recorded, without a device"}}},
    {"tune",
     "judge",
     "judge a kernel that you do not trust",
     judge_command,
     {{"tuner judge saxpy.cu --study saxpy.yaml --json",
       "is it right on secret inputs and at awkward sizes, and how fast? status 0: accepted"},
      {"tuner judge saxpy.cu --study saxpy.yaml --configuration BLOCK=256,VEC=4 --size N=1000",
       "this configuration at this size, and at those around it"}}},
    {"tune",
     "mcp",
     "serve judge, check, run, results and gate to agents, as tools",
     mcp_command,
     {{"tuner mcp --schema > tools.json", "the tools, with the schemas of what they take and give"},
      {"tuner mcp judge --schema", "one of them"}}},
    {"look at results",
     "results",
     "show ranked results",
     results_command,
     {{"tuner results saxpy.yaml --top 20", "the best 20 of each size and device"},
      {"tuner results saxpy.yaml --failures", "why variants failed, by cause"}}},
    {"look at results",
     "compare",
     "compare the best times of two folders of results",
     compare_command,
     {{"tuner compare before results", "two folders, for example of two GPUs or of two drivers"},
      {"tuner compare before results --fail-above 3%",
       "ends with status 1 where the second is slower by more than 3 %"}}},
    {"look at results",
     "gate",
     "measure whether a change makes a kernel slower",
     gate_command,
     {{"tuner gate BLOCK=128,VEC=4 BLOCK=256,VEC=4 --study saxpy.yaml --allow 90%",
       "two configurations, measured alternately; status 1: the second is slower by more than "
       "allowed"},
      {"tuner gate . . --study saxpy.yaml --json",
       "two source trees, here the same one, as JSON"}}},
    {"look at results",
     "report",
     "write results as an HTML page to look at",
     report_command,
     {{"tuner report saxpy.yaml -o saxpy.html", "one page with all results of the study"},
      {"tuner report results -o all.html --title \"All kernels\"",
       "all results in a folder, under a title"}}},
    {"use results",
     "export",
     "write results as a C++ header, a launcher, JSON, CSV, ...",
     export_command,
     {{"tuner export saxpy.yaml --format header -o saxpy_tuned.h",
       "a C++ header that picks a configuration for any size"},
      {"tuner export saxpy.yaml --format launcher -o saxpy_launcher",
       "the tuned kernel itself, to be called: saxpy_launcher.hpp, .cu and .inl"},
      {"tuner export thin.yaml wide.yaml --format launcher -o out/product",
       "one function that chooses the kernel, too: out/product.hpp, beside their launchers"},
      {"tuner export saxpy.yaml --format t4 --size N=1048576 -o recording.json",
       "a recording that 'tuner run --replay' and other tuners read"}}},
    {"use results",
     "verify-export",
     "check what an exported header selects, on this machine",
     verify_export_command,
     {{"tuner verify-export saxpy_tuned.h saxpy.yaml", "at the sizes that were tuned"},
      {"tuner verify-export saxpy_tuned.h saxpy.yaml --random 3", "at three random sizes"}}},
    {"a kernel inside of a program",
     "capture",
     "watch which kernels a program launches, or capture a launch of one",
     capture_command,
     {{"tuner capture -- ./application", "lists its kernels, by the time that they take"},
      {"tuner capture --kernel softmax --launch 3 -o captured -- ./application",
       "copies all that this launch needs, and what it wrote, to captured/softmax-1"}}},
    {"a kernel inside of a program",
     "replay",
     "replay a captured launch alone: is it the same, and how fast?",
     replay_launch_command,
     {{"tuner replay captured/softmax-1", "status 0: it writes what it wrote in the program"},
      {"tuner replay captured/softmax-1 --json", "times and counters as JSON"}}},
    {"a kernel inside of a program",
     "apply",
     "run a program as it is, with the tuned kernel in place of its own",
     apply_command,
     {{"tuner apply saxpy.yaml -- ./application",
       "three times without the tuned kernel and with it: what is it worth in the program?"},
      {"tuner apply saxpy.yaml --once -- ./application",
       "once, with it, and says what was replaced"}}},
    {"more",
     "import",
     "import T1 benchmarks, recordings and results",
     import_command,
     {{"tuner import before/tuner.sqlite", "adds the results of another folder to results"},
      {"tuner import recording.json --study saxpy.yaml --results imported",
       "keeps them for the study, marked as imported"}}},
    {"more",
     "list",
     "list plugins, backends, devices, strategies, exporters, problems, observers, advisors",
     list_command,
     {{"tuner list devices", "which devices can be used here, and why others cannot"},
      {"tuner list genetic", "the options of a strategy"}}},
    {"more",
     "cache",
     "show, prune or clear the cache of compiled artifacts",
     cache_command,
     {{"tuner cache", "where it is, and its size"},
      {"tuner cache --prune 512M", "keeps the 512 MiB that were used last"}}},
};

// Null when there is none of that name.
const Command* find_command(const std::string& name) {
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : &*found;
}

void print_version(std::ostream& out) { out << "tuner " TUNER_VERSION "\n"; }

// All commands, by group.
void print_help(std::ostream& out) {
  out << "tuner " TUNER_VERSION
         ": finds the fastest configuration of a CUDA kernel\n\n"
         "usage: tuner COMMAND [options]\n";
  std::string group;
  for (const Command& command : kCommands) {
    if (command.group != group) out << "\n" << command.group << ":\n";
    group = command.group;
    out << "  " << command.name << std::string(15 - command.name.size(), ' ') << command.summary
        << "\n";
  }
  out << "\n'tuner help COMMAND' says more, with examples. Exit status: 0 done, 1 nothing valid "
         "was\n"
         "found or something could not be written, 2 wrong usage or bad input, 3 backend or "
         "device\n"
         "not available, 130 interrupted.\n";
}

// For somebody who has typed `tuner` and nothing else.
void print_first_steps(std::ostream& out) {
  out << "tuner finds the fastest configuration of a CUDA kernel. First steps:\n\n"
         "  tuner init kernel.cu       drafts kernel.yaml, the study: what may vary\n"
         "  tuner check kernel.yaml    says what is wrong with it\n"
         "  tuner run kernel.yaml      tunes it, and says what to type next\n\n"
         "'tuner --help' lists all commands, 'tuner help COMMAND' the options of one.\n";
}

// Prints the examples that follow a command's options.
void print_examples(const Command& command, std::ostream& out) {
  out << "\nexamples:\n";
  for (const Example& example : command.examples) {
    out << "  " << example.line << "\n"
        << wrapped("      " + example.what, terminal_columns(stdout)) << "\n";
  }
}

[[noreturn]] void complain_of(const std::string& word) {
  Strings names;
  for (const Command& command : kCommands) names.push_back(command.name);
  const bool is_study =
      word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
  wrong_usage("unknown command '" + word + "'; see 'tuner --help'",
              is_study                ? "did you mean 'tuner run " + shell_word(word) + "'?"
              : word.ends_with(".cu") ? "did you mean 'tuner init " + shell_word(word) + "'?"
                                      : did_you_mean(word, names));
}

// Examples follow the options, which are printed where they are parsed.
int run_with_help(const Command& command, const Strings& words) {
  try {
    return command.run(words);
  } catch (const HelpShown&) {
    print_examples(command, std::cout);
    return kExitDone;
  }
}

// A process that runs out of its stack ends without a word.
void require_stack() {
  constexpr rlim_t kLeast = 96 << 10;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kLeast) return;
  throw UnavailableError("the stack is limited to " + std::to_string(stack.rlim_cur >> 10) +
                         " KiB, and " + std::to_string(kLeast >> 10) + " are needed (ulimit -s)");
}

int dispatch(const Strings& words) {
  if (words.empty()) {
    print_first_steps(std::cerr);
    return kExitBadInput;
  }
  const std::string& first = words.front();
  const bool asks_help = first == "--help" || first == "-h" || first == "help";
  if (asks_help && words.size() > 1) {
    const Command* command = find_command(words[1]);
    if (command == nullptr) complain_of(words[1]);
    return run_with_help(*command, {"--help"});
  }
  if (asks_help) {
    print_help(std::cout);
    return kExitDone;
  }
  if (first == "--version") {
    print_version(std::cout);
    return kExitDone;
  }
  require_stack();
  const Strings rest(words.begin() + 1, words.end());
  if (first == "worker" && rest.size() > 2 && rest.front() == "judge") {
    return judge_server({rest.begin() + 1, rest.end()});
  }
  if (first == "worker" && rest.size() > 1 && rest.front() == "keep") {
    keep({rest.begin() + 1, rest.end()});
  }
  if (first == "worker" && rest.size() == 1) return run_worker_main(rest.front());
  if (const Command* command = find_command(first)) return run_with_help(*command, rest);
  complain_of(first);
}

// Prints mistakes as JSON for callers that asked for JSON, who read standard output alone. The form
// is in docs/contract.md.
void print_mistakes(const Strings& words, int status, const std::vector<Complaint>& mistakes) {
  if (std::ranges::find(words, "--json") == words.end()) return;
  using Json = nlohmann::ordered_json;
  Json listed = Json::array();
  for (const Complaint& one : mistakes) {
    const auto number = [](int value) { return value > 0 ? Json(value) : Json(nullptr); };
    const auto text = [](const std::string& value) {
      return value.empty() ? Json(nullptr) : Json(value);
    };
    listed.push_back({{"file", text(one.where.file)},
                      {"line", number(one.where.line)},
                      {"column", number(one.where.column)},
                      {"message", one.message},
                      {"suggestion", text(one.suggestion)}});
  }
  std::cout << dump(Json{{"status", status}, {"mistakes", std::move(listed)}}) << "\n";
}

// Prints a mistake as events where events were asked for: a command may fail before its first one.
// False: they were not.
bool print_events(const Strings& words, int status, const char* message) {
  const auto option = std::ranges::find(words, "--progress");
  const bool is_apart = option != words.end() && option + 1 != words.end() && option[1] == "json";
  if (!is_apart && std::ranges::find(words, "--progress=json") == words.end()) return false;
  JsonEvents events(stderr);
  events.error(message, status);
  events.finish(status);
  return true;
}

int failed(const Strings& words, int status, const char* message) {
  if (print_events(words, status, message)) return status;
  std::cerr << "tuner: " << lines_for_terminal(message) << "\n";
  print_mistakes(words, status, {{{}, message, {}}});
  return status;
}

int guarded_dispatch(const Strings& words) {
  try {
    return dispatch(words);
  } catch (const InputError& error) {
    if (print_events(words, kExitBadInput, error.what())) return kExitBadInput;
    std::cerr << error.what() << "\n";
    print_mistakes(words, kExitBadInput, error.complaints());
    return kExitBadInput;
  } catch (const UnavailableError& error) {
    return failed(words, kExitUnavailable, error.what());
  } catch (const InterruptedError& error) {
    return failed(words, kExitInterrupted, error.what());
  } catch (const std::exception& error) {
    return failed(words, kExitNothingValid, error.what());
  }
}

// Opens standard streams that the caller has closed: otherwise a file that is opened later would
// take a stream's place, and results would be printed into it.
void open_closed_streams() {
  for (const int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDWR);
  }
}

// Flushes the output. Results that did not arrive, because the disk is full for example, are no
// success.
int after_output(int status) {
  // Whoever reads no more, as `head` does, has what he wanted.
  pollfd output{STDOUT_FILENO, 0, 0};
  if (::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0) return status;
  errno = 0;
  std::cout.flush();
  const bool arrived = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (arrived) return status;
  std::fflush(stdout);  // says once more why
  std::cerr << "tuner: cannot write to standard output"
            << (errno != 0 ? std::string(": ") + std::strerror(errno) : "") << "\n";
  return status == kExitDone ? kExitNothingValid : status;
}

}  // namespace

void tell(const std::string& note) { std::cerr << for_terminal(note) << "\n"; }

int run_program(int argc, char** argv) {
  open_closed_streams();
  ::signal(SIGCHLD, SIG_DFL);  // where whoever started us ignored it, no child could be waited for
  ::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of a file's size fails instead
  // So does one that nobody reads: a run goes on without its progress. A handler, since what is
  // ignored would be ignored in children, too.
  ::signal(SIGPIPE, [](int) {});
  const Strings words(argv + 1, argv + argc);
  const int status = guarded_dispatch(words);
  const bool is_worker = !words.empty() && words.front() == "worker";  // prints what kernels print
  return is_worker ? status : after_output(status);
}

}  // namespace tuner
