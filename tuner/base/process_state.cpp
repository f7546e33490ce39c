// Reads /proc and the control groups, and tells the allocator what to keep.

#include "tuner/base/process_state.h"

#include <malloc.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tuner {

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string stat_field(const std::string& process, int number) {
  const std::string text = text_of_file("/proc/" + process + "/stat");
  std::istringstream fields(text.substr(text.find_last_of(')') + 1));
  std::string field;
  for (int i = 0; i <= number; ++i) fields >> field;
  return fields ? field : std::string();
}

double seconds_without_processor(pid_t process) {
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  std::error_code failed;
  std::uint64_t waited = 0;
  for (std::filesystem::directory_iterator task(tasks, failed), end; !failed && task != end;
       task.increment(failed)) {
    // Nanoseconds on a processor, nanoseconds waiting for one, how often it got one.
    std::uint64_t ran = 0;
    std::uint64_t waiting = 0;
    std::ifstream(task->path() / "schedstat") >> ran >> waiting;
    waited += waiting;
  }
  return static_cast<double>(waited) / 1e9;
}

bool is_stopped(pid_t process) { return stat_field(std::to_string(process), 0) == "T"; }

double process_age() {
  constexpr int kStarted = 19;  // ticks since the machine was booted
  const std::string started = stat_field("self", kStarted);
  timespec now{};
  if (started.empty() || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const double seconds = std::stod(started) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - seconds;
}

// ---- memory -------------------------------------------------------------------------------------

std::uint64_t peak_resident_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void keep_freed_memory() {
#ifdef __GLIBC__
  // Larger pieces than these would still be mapped on their own; it is the largest that glibc
  // takes.
  constexpr int kLargestPiece = 32 << 20;
  constexpr int kKept = 128 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLargestPiece);
  ::mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

// ---- cores --------------------------------------------------------------------------------------

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr const char* kMount = "/sys/fs/cgroup";

// "/a/b", "/a" and "" for "/a/b".
std::vector<std::string> group_and_parents(std::string path) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  std::vector<std::string> out{path};
  while (!path.empty()) {
    path.erase(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
    out.push_back(path);
  }
  return out;
}

double share(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : kNoLimit;
}

// Version 2: "max 100000" or "150000 100000", in microseconds.
double quota_of_version_2(const std::string& path, const TextOf& text_of) {
  double least = kNoLimit;
  for (const std::string& group : group_and_parents(path)) {
    std::istringstream text(text_of(kMount + group + "/cpu.max"));
    double quota = 0;
    double period = 0;
    if (text >> quota >> period) least = std::min(least, share(quota, period));
  }
  return least;
}

// Version 1: a file for the quota, -1 for none, and one for the period.
double quota_of_version_1(const std::string& controllers, const std::string& path,
                          const TextOf& text_of) {
  double least = kNoLimit;
  for (const std::string& controller : {controllers, std::string("cpu")}) {
    for (const std::string& group : group_and_parents(path)) {
      const std::string folder = kMount + ("/" + controller) + group;
      std::istringstream quota_text(text_of(folder + "/cpu.cfs_quota_us"));
      std::istringstream period_text(text_of(folder + "/cpu.cfs_period_us"));
      double quota = 0;
      double period = 0;
      if (quota_text >> quota && period_text >> period) {
        least = std::min(least, share(quota, period));
      }
    }
  }
  return least;
}

bool has_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

unsigned cores_of_affinity() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) {
    return static_cast<unsigned>(CPU_COUNT(&cores));
  }
  return std::thread::hardware_concurrency();  // more than a cpu_set_t has room for
}

}  // namespace

unsigned cores_of_quota(const TextOf& text_of) {
  double least = kNoLimit;
  std::istringstream groups(text_of("/proc/self/cgroup"));
  // "0::/a/b" for version 2, "4:cpu,cpuacct:/a/b" for version 1.
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, quota_of_version_2(path, text_of));
    if (has_cpu(controllers)) {
      least = std::min(least, quota_of_version_1(controllers, path, text_of));
    }
  }
  return least < 1e6 ? static_cast<unsigned>(std::ceil(least - 1e-9)) : 0;
}

unsigned usable_cores() {
  const unsigned quota = cores_of_quota(text_of_file);
  const unsigned affinity = std::max(1U, cores_of_affinity());
  return quota == 0 ? affinity : std::min(affinity, quota);
}

}  // namespace tuner
