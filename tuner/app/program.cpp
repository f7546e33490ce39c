// Chooses the command and turns failures into messages and exit statuses.

#include "tuner/app/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
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
      {"compare", "show what the best of one folder of results is to another's",
       [](const Words& w) { return compare_command(parse_compare(w)); }},
      {"report", "write results as an HTML page to look at",
       [](const Words& w) { return report_command(parse_report(w)); }},
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
  out << "\n'tuner COMMAND --help' says more. Exit status: 0 done, 1 nothing valid was found or\n"
         "something could not be written, 2 wrong usage or bad input, 3 backend or device not "
         "available, 130 interrupted.\n";
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

int guarded_dispatch(const Words& words) {
  try {
    return dispatch(words);
  } catch (const HelpShown&) {
    return kExitDone;
  } catch (const InputError& error) {
    std::cerr << error.what() << "\n";
    return kExitBadInput;
  } catch (const UnavailableError& error) {
    std::cerr << "tuner: " << lines_for_terminal(error.what()) << "\n";
    return kExitUnavailable;
  } catch (const std::exception& error) {
    std::cerr << "tuner: " << lines_for_terminal(error.what()) << "\n";
    return kExitNothingValid;
  }
}

// What is opened later must not take the place of a standard stream that the caller has closed:
// results would be printed into it.
void open_closed_streams() {
  for (const int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDWR);
  }
}

// Results that did not arrive, for lack of room say, are no success.
int after_output(int status) {
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

int run_program(int argc, char** argv) {
  open_closed_streams();
  const Words words(argv + 1, argv + argc);
  const int status = guarded_dispatch(words);
  const bool is_worker = !words.empty() && words.front() == "worker";  // prints what kernels print
  return is_worker ? status : after_output(status);
}

}  // namespace tuner
