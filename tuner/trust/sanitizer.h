#pragma once
// compute-sanitizer around a run worker: what it finds wrong in a kernel that is right by its
// answers, such as a read beyond a buffer or a race in shared memory.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/base/temporary_folder.h"
#include "tuner/bench/settings.h"
#include "tuner/worker/device_slots.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

// Finds compute-sanitizer in $PATH, or else in a CUDA toolkit: $CUDA_HOME, $CUDA_PATH or
// /usr/local/cuda. Empty where there is none.
std::filesystem::path find_sanitizer();

// Returns a report's first finding in one line; empty: nothing. Warnings are no findings: races
// among the threads of a warp, which may run in step.
std::string first_finding(const std::string& report);
std::string first_warning(const std::string& report);

class SanitizedWorker {
 public:
  // `tool`: "memcheck" or "racecheck". Of the device that `settings` name first. What it cannot do
  // in time is not looked at.
  SanitizedWorker(const std::filesystem::path& sanitizer, std::string tool,
                  const Settings& settings, const std::string& backend, WorkerProgram program);

  const std::string& tool() const { return tool_; }
  // Returns the device that measures under the tool.
  WorkingDevice& device() { return device_; }
  // Returns what the tool found since the last call; warning(): what it doubted then.
  std::string finding();
  const std::string& warning() const { return warning_; }
  // Starts another process, in which nothing was found yet.
  void begin_anew();

 private:
  std::string tool_;
  TemporaryFolder folder_{"tuner-judge"};  // of its report
  std::size_t read_ = 0;                   // bytes of it
  std::string warning_;
  std::unique_ptr<RunWorker> worker_;
  WorkingDevice device_{};
};

using SanitizedWorkers = std::vector<std::unique_ptr<SanitizedWorker>>;

// One for each tool of a sanitizer, none without one; they start when they are used.
SanitizedWorkers sanitized_workers(const std::filesystem::path& sanitizer, const Settings& settings,
                                   const std::string& backend, const WorkerProgram& program);

}  // namespace tuner
