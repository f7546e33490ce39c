// Adds up what the scheduler says of a process's threads.

#include "tuner/base/processor_time.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace tuner {

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

}  // namespace tuner
