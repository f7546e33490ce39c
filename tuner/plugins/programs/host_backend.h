#pragma once
// The host as a device: its facts and its memory.

#include <cstdint>
#include <string>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/programs/memory.h"
#include "tuner/plugins/programs/thread_pool.h"

namespace tuner::programs {

// Its name ("AMD EPYC 9654"; where the system does not say, the kind of machine), kind, system,
// threads and memory.
tuner_device_facts host_facts();

class HostBackend : public sdk::Backend {
 public:
  // OS threads that copy, fill and compare.
  explicit HostBackend(unsigned workers) : pool_(workers) {}

  std::uint64_t allocate(std::uint64_t bytes) override { return memory_.allocate(bytes); }
  void release(std::uint64_t buffer) override { memory_.release(buffer); }
  void upload(tuner_range to, const void* data, std::uint64_t bytes) override;
  void download(tuner_range from, void* data, std::uint64_t bytes) override;
  void fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) override;
  void copy(tuner_range to, tuner_range from, std::uint64_t bytes) override;
  tuner_comparison compare(tuner_range actual, tuner_range expected, tuner_type type,
                           std::uint64_t elements, double rtol, double atol) override;

 protected:
  Memory memory_;
  ThreadPool pool_;

  // Restores buffers, as needed before a sample is timed.
  void restore(const tuner_timing& timing);

 private:
  void copy_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes);
};

}  // namespace tuner::programs
