#pragma once
// The commands of the program: what they are called, what they are for, and what `--help` says.

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "tuner/app/options.h"

namespace tuner {

struct Example {
  std::string line;  // as it is typed; tests/docs/options.py runs each
  std::string what;  // it does
};

struct Command {
  std::string group;  // heading in `tuner --help`; commands of a group stand together
  std::string name;
  std::string summary;
  std::function<int(const Words&)> run;
  std::vector<Example> examples;
};

const std::vector<Command>& commands();
// Null when there is none of that name.
const Command* find_command(const std::string& name);

void print_version(std::ostream& out);
// All commands, by group.
void print_help(std::ostream& out);
// For somebody who has typed `tuner` and nothing else.
void print_first_steps(std::ostream& out);
// What follows the options of a command.
void print_examples(const Command& command, std::ostream& out);

}  // namespace tuner
