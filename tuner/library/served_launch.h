#pragma once
// The best configuration of a size, launched on an application's own memory.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/library/tuner.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/session.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace libtuner {

// What there is to be launched.
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
  const tuner::ArgumentPlan& argument(std::uint32_t index) const;
  void make_own(std::uint32_t index);
  void set_constants();
  tuner::BufferId buffer_of(std::uint32_t index, const Buffers& given,
                            const AdoptedMemory& adopted) const;
  tuner::LaunchSequence sequence(const Buffers& given, const AdoptedMemory& adopted) const;

  tuner::Backend& backend_;
  ReadyVariant ready_;
  std::optional<tuner::Loaded> kernel_;
  std::map<std::uint32_t, tuner::DeviceBuffer> own_;  // scratch and workspaces, by argument
};

}  // namespace libtuner
