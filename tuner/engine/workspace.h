#pragma once
// The buffers of one problem size on one device: inputs, outputs with guard words behind them,
// pristine copies, expected answers.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// Owns one device buffer.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Backend& backend, BufferId id) : backend_(&backend), id_(id) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~DeviceBuffer() {
    if (backend_ != nullptr) backend_->release(id_);
  }
  explicit operator bool() const { return backend_ != nullptr; }
  BufferId id() const { return id_; }

 private:
  Backend* backend_ = nullptr;
  BufferId id_ = 0;
};

// A variant's kernels with their arguments, ready to launch.
struct BoundLaunch {
  LaunchSequence sequence;
  std::vector<std::vector<std::byte>> constants;  // in the order of SizePlan::constants
  std::vector<std::uint64_t> bytes;               // of each buffer argument; 0 for scalars
  std::vector<Restore> restores;                  // what one time changes and the next one reads
};

// How one output differs from what is expected, in words; empty when it does not.
struct OutputCheck {
  std::string message;
  double max_error = 0;
};

class Workspace {
 public:
  Workspace(Backend& backend, SizePlan plan) : backend_(backend), plan_(std::move(plan)) {}

  // Allocates and fills everything and runs the reference.
  DeviceResult<Ok> prepare();
  const SizePlan& plan() const { return plan_; }

  // Makes room for the variant's scratch buffers. Invalidates bindings made before.
  DeviceResult<Ok> reserve(const VariantPlan& variant);
  BoundLaunch bind(const VariantPlan& variant, const LoadedKernel& kernel) const;

  // Before a launch that is to be checked: in-place arguments restored, scratch zeroed, outputs
  // poisoned (NaN), guard words in place.
  DeviceResult<Ok> reset(const BoundLaunch& bound);
  // After it: which buffer was written past its end; repaired when so.
  DeviceResult<std::optional<std::string>> broken_guard(const BoundLaunch& bound);
  DeviceResult<OutputCheck> check_outputs();
  // Name of an input that no longer holds what it was filled with (refilled when so), or nothing.
  DeviceResult<std::optional<std::string>> repair_inputs();

 private:
  struct Slot {
    DeviceBuffer data;           // contents, then guard words
    std::uint64_t capacity = 0;  // bytes of contents; grows for scratch
    DeviceBuffer pristine;       // inout: what every launch begins with
    DeviceBuffer expected;       // outputs of the reference, guarded too
  };

  DeviceResult<DeviceBuffer> allocate(std::uint64_t bytes);
  DeviceResult<DeviceBuffer> allocate_guarded(std::uint64_t bytes);
  DeviceResult<Ok> fill_bytes(BufferId buffer, std::uint64_t offset, std::uint64_t bytes,
                              unsigned char value);
  DeviceResult<Ok> fill_contents(BufferId buffer, const ArgumentPlan& argument);
  DeviceResult<Ok> prepare_argument(std::uint32_t index);
  DeviceResult<Ok> prepare_constant(ArgumentPlan& constant);
  DeviceResult<Ok> run_reference(const ReferencePlan& reference);
  DeviceResult<Ok> launch_reference(const ReferencePlan& reference);
  DeviceResult<Ok> set_constants(KernelId kernel, const Artifact& artifact);
  DeviceResult<std::optional<std::uint64_t>> first_overwritten(BufferId buffer,
                                                               std::uint64_t bytes);
  DeviceResult<Ok> grow_zeros(std::uint64_t bytes);

  Backend& backend_;
  SizePlan plan_;
  std::vector<Slot> slots_;                             // as plan_.arguments
  std::vector<std::vector<std::byte>> constant_bytes_;  // as plan_.constants
  DeviceBuffer zeros_;                                  // what scratch is restored from
  std::uint64_t zeros_bytes_ = 0;
};

}  // namespace tuner
