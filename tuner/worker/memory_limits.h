#pragma once
// How much memory a compiler, or kernels that run in a worker itself, may take.

#include <cstdint>

namespace tuner {

// Computes how much memory a compiler, or the kernels of one device, may take: half of what there
// is, 2 to 16 GiB, and three quarters of it where those are less than 2 GiB.
std::uint64_t memory_allowance();

// Limits this process from now on; 0 = no limit.
void limit_address_space(std::uint64_t bytes);

// How much memory kernels that run in this very process may take. Not for devices with memory of
// their own: their drivers reserve far more addresses than there is memory.
class KernelMemory {
 public:
  explicit KernelMemory(bool is_limited) : is_limited_(is_limited) {}

  // Buffers are about to be made, which count for nobody.
  void lift();
  // Limits memory from now on, because a kernel allocates it; works once until the next lift().
  void enforce();
  // Lifts the limit. Bytes that the kernel took and did not give back, when those are most of what
  // it may have; else 0.
  std::uint64_t excess();
  // Kernels have left so little that the next one would suffer.
  bool is_used_up() const;

 private:
  bool is_limited_;
  bool is_enforced_ = false;
  std::uint64_t before_ = 0;  // bytes of the process when it was enforced
  std::uint64_t kept_ = 0;    // by all kernels
};

}  // namespace tuner
