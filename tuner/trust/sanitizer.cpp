// Starts run workers under compute-sanitizer, and reads what it reports.

#include "tuner/trust/sanitizer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tuner/bench/devices.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsOfTools = 20;  // for a configuration, and for its preparation
constexpr std::string_view kMark = "========= ";

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

// A report's heads and sums say nothing of a kernel.
bool is_finding(std::string_view line) {
  constexpr std::array<std::string_view, 6> kFindings{
      "Invalid ", "Error: ", "Misaligned ", "Uninitialized ", "Out-of-range ", "Barrier error"};
  for (const std::string_view begin : kFindings) {
    if (line.starts_with(begin)) return true;
  }
  return false;
}

bool is_warning(std::string_view line) { return line.starts_with("Warning: "); }

// The lines behind the first are indented further, and say where it was.
std::string first_record(const std::string& report, bool (*is_begin)(std::string_view)) {
  std::istringstream lines(report);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kMark)) continue;
    const std::string text = line.substr(kMark.size());
    const bool goes_on = text.starts_with("    ");
    if (!found.empty() && (!goes_on || found.size() > 300)) break;
    if (found.empty() ? !is_begin(text) : text.find("Host Frame") != std::string::npos) continue;
    found += (found.empty() ? "" : ", ") + text.substr(text.find_first_not_of(' '));
  }
  return found;
}

}  // namespace

fs::path find_sanitizer() {
  const auto folders_of = [](const char* name, const char* below) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? "" : std::string(value) + below + ":";
  };
  std::istringstream folders(folders_of("PATH", "") + folders_of("CUDA_HOME", "/bin") +
                             folders_of("CUDA_PATH", "/bin") + "/usr/local/cuda/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path program = fs::path(folder) / "compute-sanitizer";
    if (program.is_absolute() && is_program(program)) return program;
  }
  return {};
}

std::string first_finding(const std::string& report) { return first_record(report, is_finding); }
std::string first_warning(const std::string& report) { return first_record(report, is_warning); }

SanitizedWorker::SanitizedWorker(const fs::path& sanitizer, std::string tool,
                                 const Settings& settings, const std::string& backend,
                                 WorkerProgram program)
    : tool_(std::move(tool)) {
  // Not what the backend asks the driver for: it may be told no.
  program.wrapper = {sanitizer.string(),    "--tool", tool_,        "--target-processes",     "all",
                     "--report-api-errors", "no",     "--log-file", folder_.path() / "report"};
  RunLimits limits;
  limits.configuration_seconds = kSecondsOfTools;
  limits.launch_floor_seconds = kSecondsOfTools;
  limits.prepare_seconds = kSecondsOfTools;
  worker_ = std::make_unique<RunWorker>(program, backend, settings.devices.front(),
                                        plain(settings.study.backend.options), limits);
  device_.worker = worker_.get();
}

void SanitizedWorker::begin_anew() {
  worker_->start();
  std::error_code ignored;
  fs::remove(folder_.path() / "report", ignored);
  read_ = 0;
}

std::string SanitizedWorker::finding() {
  std::ostringstream text;
  text << std::ifstream(folder_.path() / "report").rdbuf();
  const std::string report = text.str();
  const std::string since = report.substr(std::min(read_, report.size()));
  read_ = report.size();
  warning_ = first_warning(since);
  return first_finding(since);
}

SanitizedWorkers sanitized_workers(const fs::path& sanitizer, const Settings& settings,
                                   const std::string& backend, const WorkerProgram& program) {
  SanitizedWorkers workers;
  if (sanitizer.empty()) return workers;
  for (const char* tool : {"memcheck", "racecheck"}) {
    workers.push_back(
        std::make_unique<SanitizedWorker>(sanitizer, tool, settings, backend, program));
  }
  return workers;
}

}  // namespace tuner
