#pragma once
// State of this process that code can change for whatever runs in it afterwards: limits,
// current folder, signals, timers, environment, arithmetic, open files, clock.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tuner {

struct ProcessSnapshot {
  // "its current folder" and a value that is another one after a change.
  std::vector<std::pair<std::string, std::string>> properties;
  std::size_t open_files = 0;
};

// Looks at this process and the calling thread, in about a tenth of a millisecond.
ProcessSnapshot process_snapshot();

// Names what is different now, "its current folder, a timer"; empty when nothing is. Open files
// count where more than half of those that `before` could still have opened are taken.
std::string changed_since(const ProcessSnapshot& before, const ProcessSnapshot& now);

// Whether the clock by which launches are timed says what the system says: a function of the C
// library can be overwritten.
bool is_clock_honest();

}  // namespace tuner
