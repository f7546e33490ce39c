// Reads /proc and the control groups, and sets how much the allocator keeps.

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
#include <functional>
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

// ---- what control groups leave ------------------------------------------------------------------

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr const char* kMount = "/sys/fs/cgroup";

// Reads what the files in the folder of a group allow; kNoLimit where they say nothing.
using LimitIn = std::function<double(const std::string& folder)>;

// The smallest limit of a group, "/a/b", and of those above it, "/a" and "".
double least_limit(const std::string& mount, std::string path, const LimitIn& limit_in) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  double least = limit_in(mount + path);
  while (!path.empty()) {
    path.erase(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
    least = std::min(least, limit_in(mount + path));
  }
  return least;
}

bool has(const std::string& controllers, const std::string& controller) {
  return ("," + controllers + ",").find("," + controller + ",") != std::string::npos;
}

// Over the groups that /proc/self/cgroup names: "0::/a/b" for version 2, "4:cpu,cpuacct:/a/b" for
// version 1.
double least_limit(const std::string& controller, const TextOf& text_of,
                   const LimitIn& in_version_2, const LimitIn& in_version_1) {
  double least = kNoLimit;
  std::istringstream groups(text_of("/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_limit(kMount, path, in_version_2));
    if (!has(controllers, controller)) continue;
    for (const std::string& folder : {controllers, controller}) {
      least = std::min(least, least_limit(kMount + ("/" + folder), path, in_version_1));
    }
  }
  return least;
}

// A number in a file; kNoLimit for "max", for 0 and for what is no number.
double number_in(const std::string& text) {
  std::istringstream in(text);
  double number = 0;
  return in >> number && number > 0 ? number : kNoLimit;
}

// Version 2: "max 100000" or "150000 100000", in microseconds.
double quota_of_version_2(const std::string& text) {
  std::istringstream in(text);
  double quota = 0;
  double period = 0;
  return in >> quota >> period && quota > 0 && period > 0 ? quota / period : kNoLimit;
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
  const double least = least_limit(
      "cpu", text_of,
      [&](const std::string& folder) { return quota_of_version_2(text_of(folder + "/cpu.max")); },
      [&](const std::string& folder) {  // -1: none
        const double quota = number_in(text_of(folder + "/cpu.cfs_quota_us"));
        const double period = number_in(text_of(folder + "/cpu.cfs_period_us"));
        return quota < kNoLimit && period < kNoLimit ? quota / period : kNoLimit;
      });
  return least < 1e6 ? static_cast<unsigned>(std::ceil(least - 1e-9)) : 0;
}

unsigned usable_cores() {
  const unsigned quota = cores_of_quota(text_of_file);
  const unsigned affinity = std::max(1U, cores_of_affinity());
  return quota == 0 ? affinity : std::min(affinity, quota);
}

std::uint64_t memory_of_groups(const TextOf& text_of) {
  constexpr double kMostBytes = 1e18;  // version 1 says "none" by a number near 2^63
  const double least = least_limit(
      "memory", text_of,
      [&](const std::string& folder) { return number_in(text_of(folder + "/memory.max")); },
      [&](const std::string& folder) {
        return number_in(text_of(folder + "/memory.limit_in_bytes"));
      });
  return least < kMostBytes ? static_cast<std::uint64_t>(least) : 0;
}

std::uint64_t usable_memory() {
  const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  const std::uint64_t limit = memory_of_groups(text_of_file);
  return limit == 0 ? machine : std::min(machine, limit);
}

}  // namespace tuner
