#pragma once
// State of this process that code can change for whatever runs in it afterwards: limits,
// current folder, signals, timers, environment, arithmetic, open files, clock, threads and
// processes that it leaves at work.

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tuner {

struct ProcessSnapshot {
  // "its current folder" and a value that is another one after a change.
  std::vector<std::pair<std::string, std::string>> properties;
  std::size_t open_files = 0;
  bool has_children = false;
  std::vector<pid_t> threads;
};

// Looks at this process and its threads, in about a tenth of a millisecond; the arithmetic is that
// of the calling one. Reaps children that have ended.
ProcessSnapshot process_snapshot();

// Names what is different now, "its current folder, a timer"; empty when nothing is. Open files
// count where more than half of those that `before` could still have opened are taken. Threads
// count that run or sleep for a time, for a quarter of a second; those of a pool soon wait for each
// other.
std::string changed_since(const ProcessSnapshot& before, const ProcessSnapshot& now);

// Whether the clock by which launches are timed says what the system says: a function of the C
// library can be overwritten.
bool is_clock_honest();

}  // namespace tuner
