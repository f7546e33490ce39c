#pragma once
// Copies of what an application's arguments hold, from which a study's buffers are filled.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/base/child_process.h"
#include "tuner/library/tuner.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"
#include "tuner/ports/backend.h"

namespace libtuner {

// A file in memory that the engine reads like any data file.
class DataCopy {
 public:
  explicit DataCopy(std::size_t bytes);  // throws Error
  // Of the host's memory, or of the device's.
  void fill_from(const void* data);
  void fill_from(tuner::DeviceMemory& memory, tuner::BufferId buffer);
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  template <typename Write>
  void fill(Write&& write);

  std::size_t bytes_;
  tuner::FileDescriptor file_;
};

// Has the arguments that kernels read filled with what `data` holds now. The copies are what the
// study then names: they live as long as it does. Throws Error for what is no argument, or too
// short.
std::vector<DataCopy> take_data(tuner::Study& study, const tuner::ProblemSize& size,
                                const tuner::DeviceFacts& facts, tuner::Backend& backend,
                                const Buffers& data);

}  // namespace libtuner
