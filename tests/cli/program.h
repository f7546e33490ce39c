#pragma once
// Runs the built program and looks at what a user would see.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/fakes/says.h"

namespace tuner::cli {

struct Finished {
  int status = -1;  // exit status, or 128 + signal
  std::string out;
  std::string err;
};

// A folder of its own for each test, removed at the end.
class Sandbox {
 public:
  Sandbox();
  ~Sandbox();
  std::filesystem::path path(const std::string& name = {}) const { return root_ / name; }
  std::filesystem::path write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path root_;
};

// A program that is running; killed at the end if it still is.
class Running {
 public:
  // In `sandbox`, with a cache folder of its own there, or with that of $TUNER_TEST_ARTIFACTS,
  // which tests share. `launcher`: what starts it, such as mpirun.
  Running(const Sandbox& sandbox, const std::vector<std::string>& words,
          const std::vector<std::string>& launcher = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  int pid() const { return pid_; }
  // Returns when the program has taken note, so that two signals are two.
  void signal(int number) const;
  Finished wait();
  // What has been written to standard error so far.
  std::string errors_so_far() const;

 private:
  int pid_ = -1;
  std::filesystem::path out_, err_;
};

// Waits for something that must come about; false after minutes, which no machine needs for it.
bool eventually(const std::function<bool()>& holds);

// Whether a run found the device faster or slower than when stored results were measured, as a busy
// machine is, and said so: then it measures them again.
bool measured_again(const Finished& done);

// How often a text has another one in it.
std::size_t occurrences(const std::string& text, const std::string& part);

Finished run(const Sandbox& sandbox, const std::vector<std::string>& words,
             const std::vector<std::string>& launcher = {});
// The same, of which this status is expected.
Finished run_to(int status, const Sandbox& sandbox, const std::vector<std::string>& words,
                const std::vector<std::string>& launcher = {});

std::string text_of(const std::filesystem::path& file);

// Rows of a CSV file as column -> text.
std::vector<std::map<std::string, std::string>> read_csv(const std::filesystem::path& path);
// Those of the one ranking that `kernel` has in the sandbox's results; none if it has none.
std::vector<std::map<std::string, std::string>> ranking_of(const Sandbox& sandbox,
                                                           const std::string& kernel);

// Processes of the tested program that were started in `sandbox`, by pid.
std::vector<int> program_processes(const Sandbox& sandbox);
// Whether there are none, once what cleans up after killed workers has finished.
bool no_process_left(const Sandbox& sandbox);

std::filesystem::path data(const std::string& name);

}  // namespace tuner::cli
