#pragma once
// The best configuration of a size, launched on an application's own memory; copies of what that
// holds, from which a study's buffers are filled; and kernels that are compiled and at hand.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/child_process.h"
#include "tuner/base/interrupt.h"
#include "tuner/library/tuner.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/session.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/plan.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"
#include "tuner/ports/backend.h"
#include "tuner/space/search_space.h"
#include "tuner/worker/compilers.h"

namespace libtuner {

// A variant that can be launched, with its size.
struct ReadyVariant {
  tuner::SizePlan size;
  tuner::VariantPlan variant;  // with its artifact
};

// Memory of an application as the device's, by address. Gone with its scope; the memory stays.
using AdoptedMemory = std::map<void*, tuner::DeviceBuffer>;

// Throws Error for the address 0, which would end the process instead of the call.
void check_address(const Buffer& buffer);
// Throws Error where the backend cannot work on it.
AdoptedMemory adopt(tuner::Backend& backend, const Buffers& given);

class ServedLaunch {
 public:
  // Loads the kernel and makes its scratch buffers and workspaces. Throws Error. `backend` outlives
  // this.
  ServedLaunch(tuner::Backend& backend, ReadyVariant ready);

  // Once, and waits. Throws Error, also for a buffer that is missing or too small.
  void launch(const Buffers& given);

 private:
  const tuner::ArgumentPlan& argument(std::uint32_t index) const {
    return tuner::argument_of(ready_.size, ready_.variant.overrides, index);
  }
  void make_own(std::uint32_t index);
  tuner::BufferId buffer_of(std::uint32_t index, const Buffers& given,
                            const AdoptedMemory& adopted) const;
  tuner::LaunchSequence sequence(const Buffers& given, const AdoptedMemory& adopted) const;

  tuner::Backend& backend_;
  ReadyVariant ready_;
  std::optional<tuner::Loaded> kernel_;
  std::map<std::uint32_t, tuner::DeviceBuffer> own_;  // scratch and workspaces, by argument
};

// A file in memory that the engine reads like any data file.
class DataCopy {
 public:
  explicit DataCopy(std::size_t bytes);  // throws Error
  // Fills the file from the host's memory, or from the device's.
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

class ReadyVariants {
 public:
  // All outlive this. Throws Error for a size that makes no sense in the study.
  ReadyVariants(const tuner::Study& study, const tuner::ProblemSize& size,
                const tuner::DeviceFacts& facts, const tuner::Toolchain& tools);

  // Valid configurations.
  std::uint64_t count() const;
  // Null where its artifact is not at hand. `compile`: it is made then, unless that fails or
  // somebody wants the end; the pool must have no other work.
  std::shared_ptr<const ReadyVariant> variant(const tuner::Configuration& configuration,
                                              bool compile, const tuner::StopRequest& stop) const;

 private:
  std::optional<tuner::Artifact> compiled(const std::string& key,
                                          const tuner::CompileRequest& request,
                                          const tuner::StopRequest& stop) const;

  const tuner::Study& study_;
  const tuner::DeviceFacts& facts_;
  const tuner::Toolchain& tools_;
  tuner::SearchSpace space_;
  tuner::SizePlan plan_;
};

}  // namespace libtuner
