#pragma once
// A program of the user's that is started with an object of ours in it.

#include <filesystem>
#include <string>
#include <vector>

namespace tuner {

// The object of that name in lib/tuner. Throws UnavailableError, which ends with `why_not`.
std::filesystem::path object_in_library(const std::string& name, const std::string& why_not);

struct StartedProgram {
  std::vector<std::string> words;
  std::vector<std::string> variables{};  // "NAME=VALUE", in place of those of this process
  // Descriptors that it has for its standard streams; -1: this process's own.
  int input = -1, output = -1, errors = -1;
};

// Runs it to its end. Signals of the terminal reach it as they would have without this process.
// Returns its exit status as a shell does. Throws InputError when it cannot be started.
int run_to_end(const StartedProgram& program);

}  // namespace tuner
