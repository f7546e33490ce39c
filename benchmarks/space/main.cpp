// Builds every given space several times, each in a process of its own, and prints one CSV line for
// each: how long construction took, what it held, and how fast the finished space answers.
//
//   bench_space [--repeats N] FILE.json...

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/space/sampling.h"
#include "tuner/space/search_space.h"
#include "tuner/study/t1_reader.h"

namespace tuner {
namespace {

// CPU time of the process: other jobs on the machine do not count.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Peak resident set of the process so far, in KiB.
long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Figures {
  double cpu = 0;  // seconds of construction
  double wall = 0;
  double tracked_mib = 0;   // as the report says
  double resident_mib = 0;  // growth of the process while it built
  double at = 0;            // nanoseconds for one call
  double index_of = 0;
  double sample = 0;
  double neighbours = 0;
  double iterate = 0;
};

volatile std::uint64_t sink = 0;

template <typename Call>
double nanoseconds(std::size_t count, Call call) {
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < count; ++i) call(i);
  return (cpu_seconds() - start) * 1e9 / static_cast<double>(count);
}

void query(const SearchSpace& space, Figures& out) {
  constexpr std::size_t kCalls = 20000;
  const IndexPermutation order(space.size(), 1);
  const std::size_t width = space.parameters().size();
  std::vector<ConfigIndex> indices;
  for (std::size_t i = 0; i < kCalls; ++i) indices.push_back(order(i % space.size()));
  std::vector<std::uint32_t> all(kCalls * width);
  const auto row = [&](std::size_t i) { return std::span(all).subspan(i * width, width); };
  out.at = nanoseconds(kCalls, [&](std::size_t i) { space.positions(indices[i], row(i)); });
  out.index_of = nanoseconds(kCalls, [&](std::size_t i) {
    sink = sink + static_cast<std::uint64_t>(*space.index_of(row(i)));
  });
  std::vector<std::uint32_t> positions(width);
  out.sample = nanoseconds(kCalls, [&](std::size_t i) {
    space.positions(order(i % space.size()), positions);
    sink = sink + positions[0];
  });
  std::vector<ConfigIndex> near;
  out.neighbours = nanoseconds(500, [&](std::size_t i) {
    space.neighbours(row(i), Neighbourhood::kHamming, near);
    sink = sink + near.size();
  });
  constexpr std::uint64_t kMostSteps = 3'000'000;
  std::uint64_t steps = 0;
  const double start = cpu_seconds();
  for (SpaceCursor cursor(space); cursor.valid() && steps < kMostSteps; cursor.next(), ++steps) {
    sink = sink + cursor.positions()[0];
  }
  out.iterate =
      (cpu_seconds() - start) * 1e9 / static_cast<double>(std::max<std::uint64_t>(steps, 1));
}

Figures measure(const std::string& file) {
  SpaceDefinition definition = read_space_json(file);
  const long before = peak_kib();
  const double start = cpu_seconds();
  const SearchSpace space = SearchSpace::build(std::move(definition));
  Figures out;
  out.cpu = cpu_seconds() - start;
  out.wall = space.report().build_seconds;
  out.tracked_mib = static_cast<double>(space.report().peak_bytes) / (1 << 20);
  out.resident_mib = static_cast<double>(peak_kib() - before) / 1024;
  if (space.size() > 0) query(space, out);
  return out;
}

// A fresh process for each measurement (not only a fork, whose memory is copied page by page as it
// is touched), so that no run inherits warm memory from another.
bool measure_apart(const std::string& file, Figures& out) {
  int ends[2];
  if (::pipe(ends) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::execl("/proc/self/exe", "bench_space", "--one", file.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  const bool got = child > 0 && ::read(ends[0], &out, sizeof out) == sizeof out;
  ::close(ends[0]);
  int status = 0;
  if (child > 0) ::waitpid(child, &status, 0);
  return got && status == 0;
}

// The child's part: the figures as bytes on standard output.
int measure_one(const std::string& file) {
  try {
    const Figures figures = measure(file);
    return ::write(STDOUT_FILENO, &figures, sizeof figures) == sizeof figures ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

double median(std::vector<Figures> all, double Figures::*what) {
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), {},
                           what);
  return all[all.size() / 2].*what;
}

int run(int count, char** arguments) {
  if (count == 3 && std::string(arguments[1]) == "--one") return measure_one(arguments[2]);
  int repeats = 5;
  std::vector<std::string> files;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--repeats" && i + 1 < count) {
      repeats = std::max(1, std::atoi(arguments[++i]));
    } else {
      files.push_back(argument);
    }
  }
  fmt::print(
      "space,valid,build_cpu_ms,build_wall_ms,tracked_mib,resident_mib,at_ns,index_of_ns,sample_ns,"
      "neighbours_us,iterate_ns\n");
  double total = 0;
  for (const std::string& file : files) {
    std::vector<Figures> all;
    for (int i = 0; i < repeats; ++i) {
      Figures figures;
      if (!measure_apart(file, figures)) return 1;
      all.push_back(figures);
    }
    const auto valid = SearchSpace::build(read_space_json(file)).report().valid;
    total += median(all, &Figures::cpu);
    fmt::print("{},{},{:.4f},{:.4f},{:.2f},{:.2f},{:.0f},{:.0f},{:.0f},{:.2f},{:.1f}\n",
               std::filesystem::path(file).stem().string(), valid, median(all, &Figures::cpu) * 1e3,
               median(all, &Figures::wall) * 1e3, median(all, &Figures::tracked_mib),
               median(all, &Figures::resident_mib), median(all, &Figures::at),
               median(all, &Figures::index_of), median(all, &Figures::sample),
               median(all, &Figures::neighbours) / 1e3, median(all, &Figures::iterate));
    std::fflush(stdout);
  }
  fmt::print(stderr, "sum of construction: {:.2f} ms\n", total * 1e3);
  return 0;
}

}  // namespace
}  // namespace tuner

int main(int count, char** arguments) { return tuner::run(count, arguments); }
