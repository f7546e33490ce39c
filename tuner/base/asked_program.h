#pragma once
// A program that is asked something: a text on its standard input, the answer on its standard
// output.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tuner/base/expected.h"

namespace tuner {

struct AskedProgram {
  std::vector<std::string> words;    // the program, by its path or as found in PATH, and arguments
  std::filesystem::path folder;      // in which it works
  double seconds = 10;               // for its answer
  std::size_t most_bytes = 4 << 20;  // of its answer, and of its messages
  // The beginning of a command line that ends whatever the program leaves behind (base/keeper.h);
  // empty: what has left its process group stays.
  std::vector<std::string> keeper{};
};

// Runs it without a shell's words. The error says what went wrong, to be put behind its name: "took
// longer than 10 s", "ended with status 1: its last message". `stop` is asked now and then.
Expected<std::string, std::string> answer_of(const AskedProgram& program,
                                             const std::string& question,
                                             const std::function<bool()>& stop);

}  // namespace tuner
