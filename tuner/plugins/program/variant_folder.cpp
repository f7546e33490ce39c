// Starts programs in a variant's folder and says how they ended.

#include "tuner/plugins/program/variant_folder.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <set>

namespace tuner::program {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff kMostOutput = 1 << 20;
constexpr std::size_t kShownLines = 8;
constexpr std::size_t kShownBytes = 1000;

std::string last_lines(const std::string& output) {
  std::size_t end = output.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "it printed nothing";
  ++end;
  std::size_t begin = end;
  for (std::size_t lines = 0; begin > 0 && end - begin < kShownBytes; --begin) {
    if (output[begin - 1] == '\n' && ++lines == kShownLines) break;
  }
  return "its last output:\n" + output.substr(begin, end - begin);
}

// As run_child() and shells have it: 128 + n is signal n.
std::string ending(int status) {
  const int number = status - 128;
  const char* name = number > 0 ? sigabbrev_np(number) : nullptr;
  if (name == nullptr) return "ended with status " + std::to_string(status);
  return "was ended by signal " + std::to_string(number) + " (SIG" + name + ", " +
         sigdescr_np(number) + ")";
}

// The path of a program: looked for in PATH, or relative to the folder.
std::string program_at(const std::string& word, const fs::path& folder) {
  if (word.find('/') == std::string::npos) return programs::find_program(word);
  return programs::find_program((folder / word).string());
}

}  // namespace

VariantFolder::VariantFolder(const Command& command) {
  const fs::path temporary = scratch_.path() / "tmp";
  fs::create_directory(path());
  fs::create_directory(temporary);
  environment_ = command.environment;
  environment_.push_back("TUNER_STUDY=" + command.study_folder);
  // A variable that is there twice means one thing to a shell and another to a program.
  std::set<std::string> names;
  for (const std::string& one : environment_) names.insert(one.substr(0, one.find('=')));
  for (std::string& one : programs::child_environment(temporary)) {
    if (names.count(one.substr(0, one.find('='))) == 0) environment_.push_back(std::move(one));
  }
}

std::string VariantFolder::run(const std::vector<std::string>& words,
                               const std::string& who) const {
  std::vector<std::string> arguments = words;
  arguments.front() = program_at(words.front(), path());
  if (arguments.front().empty()) {
    const bool is_path = words.front().find('/') != std::string::npos;
    return who + ": there is no program '" + words.front() + "' " +
           (is_path ? "in the variant's folder" : "in PATH");
  }
  const std::string log = scratch_.file("output");
  const int status = programs::run_child({arguments, environment_, log, path().string()});
  if (status == 0) return {};
  return who + " " + ending(status) + "; " + last_lines(output());
}

std::string VariantFolder::output() const {
  std::ifstream in(scratch_.file("output"), std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : 0;
  const std::streamoff wanted = std::min(size, kMostOutput);
  std::string text(static_cast<std::size_t>(wanted), '\0');
  in.seekg(size - wanted);
  in.read(text.data(), wanted);
  return text;
}

}  // namespace tuner::program
