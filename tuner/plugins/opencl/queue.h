#pragma once
// The commands of one device: memory that is copied, filled and compared, kernels that are launched
// and timed.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/plugins/opencl/image.h"

namespace tuner::opencl {

// A queue that runs commands in order and takes their times. Each call throws sdk::Error.
class Queue {
 public:
  explicit Queue(const Device& device);

  cl_context context() const { return context_.get(); }
  const Device& device() const { return device_; }

  Memory allocate(std::uint64_t bytes) const;
  void upload(cl_mem to, std::uint64_t offset, const void* data, std::uint64_t bytes) const;
  void download(cl_mem from, std::uint64_t offset, void* data, std::uint64_t bytes) const;
  // These do not wait. An event where one is asked for.
  void copy(cl_mem to, std::uint64_t to_offset, cl_mem from, std::uint64_t from_offset,
            std::uint64_t bytes) const;
  void fill(cl_mem to, std::uint64_t offset, unsigned char byte, std::uint64_t bytes,
            Event* event = nullptr) const;
  void launch(cl_kernel kernel, std::span<const std::size_t> global,
              std::span<const std::size_t> local, Event* event = nullptr) const;
  void wait(Phase phase = Phase::kWait) const;

 private:
  Device device_;
  Context context_;
  CommandQueue queue_;
};

// Throws sdk::Error (TUNER_RUNTIME_FAULT) where a command that has ended has failed: a queue that
// is waited for need not say so.
void check_done(const Event& event);
// Nanoseconds of the device's clock at an end of a command that is done.
std::uint64_t time_of(const Event& event, cl_uint what);

// ---- filling and comparing ----------------------------------------------------------------------

// A range of memory.
struct Place {
  cl_mem memory = nullptr;
  std::uint64_t offset = 0;  // bytes
};

class ElementKernels {
 public:
  ElementKernels(const Queue& queue, bool on_device);

  void fill(Place to, std::uint64_t elements, const tuner_fill& how);
  tuner_comparison compare(Place actual, Place expected, std::uint32_t type, std::uint64_t elements,
                           double rtol, double atol);

 private:
  struct Compiled {
    Program program;
    Kernel fill, compare;
    Memory parts;
  };
  Compiled& compiled();
  std::size_t work_items(std::uint64_t elements) const;
  double element_at(Place from, std::uint64_t index, std::uint32_t type) const;

  const Queue& queue_;
  bool on_device_;
  std::optional<Compiled> compiled_;  // on first use
};

}  // namespace tuner::opencl
