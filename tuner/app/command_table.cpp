// Lists the commands with their groups and examples, and prints them as help.

#include "tuner/app/command_table.h"

#include <algorithm>
#include <iterator>
#include <ostream>

#include "tuner/app/commands.h"

#ifndef TUNER_VERSION
#define TUNER_VERSION "unknown"
#endif

namespace tuner {
namespace {

constexpr const char* kStart = "start";
constexpr const char* kTune = "tune";
constexpr const char* kLook = "look at results";
constexpr const char* kUse = "use results";
constexpr const char* kMore = "more";

std::vector<Command> starting_commands() {
  return {
      {kStart,
       "init",
       "draft a study for a kernel that you have",
       [](const Words& w) { return init_command(parse_init(w)); },
       {{"tuner init saxpy.cu -o draft.yaml", "writes draft.yaml and says what it guessed"},
        {"tuner init saxpy.cu --kernel saxpy_reference -o -",
         "prints a study for the named kernel of several"}}},
      {kStart,
       "check",
       "validate a study; count, list or compile its configurations",
       [](const Words& w) { return check_command(parse_check(w)); },
       {{"tuner check saxpy.yaml", "says every mistake, and what each constraint removes"},
        {"tuner check saxpy.yaml --compile --arch cpu --sample 4",
         "compiles four random configurations for the CPU; sm_90 is for an H100"}}},
      {kStart,
       "try",
       "compile, verify and time one configuration, and say everything of it",
       try_command,
       {{"tuner try saxpy.yaml BLOCK=256,VEC=4", "that one, at each size of the study"},
        {"tuner try saxpy.yaml VEC=4 --size N=1000 --json",
         "at another size, with the first BLOCK that is valid, as JSON"}}},
      {kTune,
       "run",
       "tune a study: compile, verify and measure its variants",
       run_or_replay,
       {{"tuner run saxpy.yaml --budget 500,10m",
         "at most 500 configurations and ten minutes for each size; once more: goes on"},
        {"tuner run saxpy.yaml --size N=4096 --where \"BLOCK >= 128\"",
         "tunes another size, and only a part of the configurations"},
        {"tuner run --replay recording.json --strategy random --strategy genetic --repeats 5",
         "compares two strategies on results that were recorded, without a device"}}},
  };
}

std::vector<Command> result_commands() {
  return {
      {kLook,
       "results",
       "show ranked results",
       [](const Words& w) { return results_command(parse_results(w)); },
       {{"tuner results saxpy.yaml --top 20", "the best 20 of each size and device"},
        {"tuner results saxpy.yaml --failures", "why variants failed, by cause"}}},
      {kLook,
       "compare",
       "show what the best of one folder of results is to another's",
       compare_command,
       {{"tuner compare before results", "two folders, say of two GPUs or of two drivers"},
        {"tuner compare before results --fail-above 3%",
         "ends with status 1 where the second is slower by more than 3 %"}}},
      {kLook,
       "report",
       "write results as an HTML page to look at",
       report_command,
       {{"tuner report saxpy.yaml -o saxpy.html", "one page with all that is known of the study"},
        {"tuner report results -o all.html --title \"All kernels\"",
         "all that a folder holds, under a title"}}},
      {kUse,
       "export",
       "write what was learned as a header, JSON, CSV, ...",
       [](const Words& w) { return export_command(parse_export(w)); },
       {{"tuner export saxpy.yaml --format header -o saxpy_tuned.h",
         "a C++ header that picks a configuration for any size"},
        {"tuner export saxpy.yaml --format launcher -o saxpy_launcher",
         "the tuned kernel itself, to be called: saxpy_launcher.hpp and .cu"},
        {"tuner export saxpy.yaml --format t4 --size N=1048576 -o recording.json",
         "a recording that 'tuner run --replay' and others read"}}},
      {kUse,
       "verify-export",
       "check what an exported header selects, on this machine",
       [](const Words& w) { return verify_export_command(parse_verify(w)); },
       {{"tuner verify-export saxpy_tuned.h saxpy.yaml", "at the sizes that were tuned"},
        {"tuner verify-export saxpy_tuned.h saxpy.yaml --random 3", "at three random sizes"}}},
  };
}

std::vector<Command> other_commands() {
  return {
      {kMore,
       "import",
       "take over T1 benchmarks, recordings and results of others",
       import_command,
       {{"tuner import before/tuner.sqlite", "adds the results of another folder to results"},
        {"tuner import recording.json --study saxpy.yaml --results imported",
         "results of others, kept for the study and marked as imported"}}},
      {kMore,
       "list",
       "list plugins, backends, devices, strategies, exporters, problems, observers",
       [](const Words& w) { return list_command(parse_list(w)); },
       {{"tuner list devices", "what can be tuned on here, and why something cannot"},
        {"tuner list genetic", "what the options of a strategy are"}}},
      {kMore,
       "cache",
       "show, prune or clear the cache of compiled artifacts",
       [](const Words& w) { return cache_command(parse_cache(w)); },
       {{"tuner cache", "where it is, and how large"},
        {"tuner cache --prune 512M", "leaves the 512 MiB that were used last"}}},
  };
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> list = starting_commands();
    for (auto more : {result_commands(), other_commands()}) {
      std::ranges::move(more, std::back_inserter(list));
    }
    return list;
  }();
  return all;
}

const Command* find_command(const std::string& name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

void print_version(std::ostream& out) { out << "tuner " TUNER_VERSION "\n"; }

void print_help(std::ostream& out) {
  out << "tuner " TUNER_VERSION
         ": finds the fastest configuration of a CUDA kernel\n\n"
         "usage: tuner COMMAND [options]\n";
  std::string group;
  for (const Command& command : commands()) {
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

void print_first_steps(std::ostream& out) {
  out << "tuner finds the fastest configuration of a CUDA kernel. First steps:\n\n"
         "  tuner init kernel.cu       drafts kernel.yaml, the study: what may vary\n"
         "  tuner check kernel.yaml    says what is wrong with it\n"
         "  tuner run kernel.yaml      tunes it, and says what to type next\n\n"
         "'tuner --help' lists all commands, 'tuner help COMMAND' the options of one.\n";
}

void print_examples(const Command& command, std::ostream& out) {
  out << "\nexamples:\n";
  for (const Example& example : command.examples) {
    out << "  " << example.line << "\n      " << example.what << "\n";
  }
}

}  // namespace tuner
