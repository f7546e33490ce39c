#include "tuner/app/program.h"

#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/worker/child.h"

#ifndef TUNER_VERSION
#define TUNER_VERSION "unknown"
#endif

namespace tuner {
namespace {

struct Command {
  std::string name;
  std::string summary;
  std::function<int(const Words&)> run;
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"run", "tune a study: compile, verify and measure its variants",
       [](const Words& w) {
         const RunOptions options = parse_run(w);
         return options.replay.empty() ? run_command(options) : replay_command(options);
       }},
      {"check", "validate a study; count, list or compile its configurations",
       [](const Words& w) { return check_command(parse_check(w)); }},
      {"results", "show ranked results",
       [](const Words& w) { return results_command(parse_results(w)); }},
      {"export", "write what was learned as a header, JSON, CSV, ...",
       [](const Words& w) { return export_command(parse_export(w)); }},
      {"import", "take over T1 benchmarks, recordings and results of others",
       [](const Words& w) { return import_command(parse_import(w)); }},
      {"verify-export", "check what an exported header selects, on this machine",
       [](const Words& w) { return verify_export_command(parse_verify(w)); }},
      {"list", "list plugins, backends, devices, strategies, exporters",
       [](const Words& w) { return list_command(parse_list(w)); }},
      {"cache", "show, prune or clear the cache of compiled artifacts",
       [](const Words& w) { return cache_command(parse_cache(w)); }},
  };
  return all;
}

void print_help(std::ostream& out) {
  out << "tuner " TUNER_VERSION
         ": finds the fastest configuration of a CUDA kernel\n\n"
         "usage: tuner COMMAND [options]\n\ncommands:\n";
  for (const Command& command : commands()) {
    out << "  " << command.name << std::string(15 - command.name.size(), ' ') << command.summary
        << "\n";
  }
  out << "\n'tuner COMMAND --help' says more. Exit status: 0 done, 1 nothing valid was found,\n"
         "2 wrong usage or bad input, 3 backend or device not available, 130 interrupted.\n";
}

int dispatch(const Words& words) {
  if (words.empty()) {
    print_help(std::cerr);
    return kExitBadInput;
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print_help(std::cout);
    return kExitDone;
  }
  if (first == "--version") {
    std::cout << "tuner " TUNER_VERSION "\n";
    return kExitDone;
  }
  const Words rest(words.begin() + 1, words.end());
  if (first == "worker" && rest.size() == 1) return run_worker_main(rest.front());
  Words names;
  for (const Command& command : commands()) {
    if (command.name == first) return command.run(rest);
    names.push_back(command.name);
  }
  throw InputError(Complaint{
      {}, "unknown command '" + first + "'; see 'tuner --help'", did_you_mean(first, names)});
}

}  // namespace

int run_program(int argc, char** argv) {
  try {
    return dispatch(Words(argv + 1, argv + argc));
  } catch (const HelpShown&) {
    return kExitDone;
  } catch (const InputError& error) {
    std::cerr << error.what() << "\n";
    return kExitBadInput;
  } catch (const UnavailableError& error) {
    std::cerr << "tuner: " << error.what() << "\n";
    return kExitUnavailable;
  } catch (const std::exception& error) {
    std::cerr << "tuner: " << error.what() << "\n";
    return kExitNothingValid;
  }
}

}  // namespace tuner
