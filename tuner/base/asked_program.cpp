// Runs a program with files as its input and output, within limits.

#include "tuner/base/asked_program.h"

#include <algorithm>
#include <system_error>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/stopwatch.h"
#include "tuner/base/temporary_folder.h"
#include "tuner/base/text.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// The shell only opens files: the program's words are arguments, which it does not look at.
constexpr const char* kOpenFiles =
    R"(cd "$1" || exit 126; exec <"$2/in" >"$2/out" 2>"$2/err"; shift 2; exec "$@")";

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::size_t size_of(const fs::path& file) {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  return missing ? 0 : static_cast<std::size_t>(size);
}

std::string last_line(const fs::path& file) {
  if (size_of(file) == 0) return {};
  const std::string text(trimmed(read_file(file), " \t\r\n"));
  constexpr std::size_t kMost = 200;
  return shortened(text.substr(text.rfind('\n') + 1), kMost);
}

// Why it has no answer yet and gets no more time; empty: it has ended.
std::string overrun(const ChildProcess& child, const AskedProgram& program, const fs::path& folder,
                    const std::function<bool()>& stop) {
  constexpr double kStep = 0.02;
  const Stopwatch since;
  while (!child.ends_within(kStep)) {
    if (stop && stop()) return "was interrupted";
    if (std::max(size_of(folder / "out"), size_of(folder / "err")) > program.most_bytes) break;
    if (since.seconds() >= program.seconds) {
      return "took longer than " + number_text(program.seconds) + " s";
    }
  }
  if (std::max(size_of(folder / "out"), size_of(folder / "err")) <= program.most_bytes) return {};
  return "wrote more than " + std::to_string(program.most_bytes >> 20) + " MiB";
}

}  // namespace

Expected<std::string, std::string> answer_of(const AskedProgram& program,
                                             const std::string& question,
                                             const std::function<bool()>& stop) {
  const TemporaryFolder files("tuner-asked");
  write_file_atomically(files.path() / "in", question);
  std::vector<std::string> command = program.keeper;
  command.insert(command.end(), {"/bin/sh", "-c", kOpenFiles, "sh", program.folder.string(),
                                 files.path().string()});
  command.insert(command.end(), program.words.begin(), program.words.end());
  ChildProcess child(
      command, program.keeper.empty() ? ChildProcess::Kind::kProgram : ChildProcess::Kind::kKeeper);
  const std::string why = overrun(child, program, files.path(), stop);
  if (!why.empty()) {
    child.kill();
    child.wait();
    return Unexpected{why};
  }
  child.let_end();
  const std::string ending = child.wait();
  const std::string message = last_line(files.path() / "err");
  if (ending == "ended with status 127" || ending == "ended with status 126") {
    return Unexpected{"cannot be run" + (message.empty() ? "" : ": " + message)};
  }
  if (ending != "ended with status 0") {
    return Unexpected{ending + (message.empty() ? "" : ": " + message)};
  }
  return read_file(files.path() / "out");
}

}  // namespace tuner
