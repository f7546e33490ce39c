// Chooses the command and turns failures into messages and exit statuses.

#include "tuner/app/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include "tuner/app/command_table.h"
#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/worker/child.h"

namespace tuner {
namespace {

[[noreturn]] void complain_of(const std::string& word) {
  Words names;
  for (const Command& command : commands()) names.push_back(command.name);
  const bool is_study =
      word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
  throw InputError(Complaint{{},
                             "unknown command '" + word + "'; see 'tuner --help'",
                             is_study ? "did you mean 'tuner run " + shell_word(word) + "'?"
                             : word.ends_with(".cu")
                                 ? "did you mean 'tuner init " + shell_word(word) + "'?"
                                 : did_you_mean(word, names)});
}

// Examples follow the options, which are printed where they are parsed.
int run_with_help(const Command& command, const Words& words) {
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

int dispatch(const Words& words) {
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
  const Words rest(words.begin() + 1, words.end());
  if (first == "worker" && rest.size() == 1) return run_worker_main(rest.front());
  if (const Command* command = find_command(first)) return run_with_help(*command, rest);
  complain_of(first);
}

int guarded_dispatch(const Words& words) {
  try {
    return dispatch(words);
  } catch (const InputError& error) {
    std::cerr << error.what() << "\n";
    return kExitBadInput;
  } catch (const UnavailableError& error) {
    std::cerr << "tuner: " << lines_for_terminal(error.what()) << "\n";
    return kExitUnavailable;
  } catch (const InterruptedError& error) {
    std::cerr << "tuner: " << lines_for_terminal(error.what()) << "\n";
    return kExitInterrupted;
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

void tell(const std::string& note) { std::cerr << for_terminal(note) << "\n"; }

int run_program(int argc, char** argv) {
  open_closed_streams();
  ::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of a file's size fails instead
  const Words words(argv + 1, argv + argc);
  const int status = guarded_dispatch(words);
  const bool is_worker = !words.empty() && words.front() == "worker";  // prints what kernels print
  return is_worker ? status : after_output(status);
}

}  // namespace tuner
