#pragma once
// Filling and comparing of buffers: on the device where it has double precision, else on the host.

#include <optional>

#include "tuner/plugins/opencl/queue.h"

namespace tuner::opencl {

// Throws sdk::Error (TUNER_INVALID) for a number that is no type.
std::uint64_t bytes_of_elements(std::uint32_t type, std::uint64_t elements);

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
