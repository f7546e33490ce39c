// Copies outputs and compares them.

#include "tuner/engine/kept_outputs.h"

#include <utility>

namespace tuner {

DeviceResult<Ok> KeptOutputs::keep(const std::vector<BufferId>& buffers) {
  kept_.resize(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    const bool is_output = argument.role == Role::kOut || argument.role == Role::kInOut;
    if (argument.is_scalar || !is_output) continue;
    auto copy = memory_.allocate_pristine(bytes_of(argument));
    if (!copy) return Unexpected{copy.error()};
    kept_[i] = std::move(*copy);
    auto done = memory_.copy(kept_[i].id(), buffers[i], bytes_of(argument));
    if (!done) return done;
  }
  return Ok{};
}

DeviceResult<std::optional<std::string>> KeptOutputs::changed(
    const std::vector<BufferId>& buffers) {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (!kept_[i]) continue;
    const ArgumentPlan& argument = plan_.arguments[i];
    auto same = memory_.same_contents(buffers[i], kept_[i].id(), bytes_of(argument));
    if (!same) return Unexpected{same.error()};
    if (!*same) return std::optional(argument.name);
  }
  return std::optional<std::string>();
}

}  // namespace tuner
