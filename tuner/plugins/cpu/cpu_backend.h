#pragma once
// The host's cores as a device.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cpu/block_runner.h"
#include "tuner/plugins/cpu/image.h"
#include "tuner/plugins/programs/host_backend.h"

namespace tuner::cpu {

// Runs CUDA C++ on the host's cores. A kernel that crashes takes the process down, and one that
// never ends is not interrupted: the host runs backends in a process of their own.
class CpuBackend : public programs::HostBackend,
                   public sdk::ShufflesThreads,
                   public sdk::AdoptsMemory,
                   public sdk::TellsAddresses,
                   public sdk::MakesTextures,
                   public sdk::MapsTensors,
                   public sdk::RotatesBuffers,
                   public sdk::SetsLaunchAttributes,
                   public sdk::SetsLimits {
 public:
  static constexpr const char* kName = "cpu";
  static constexpr const char* kSummary =
      "the host's cores; checks a kernel's answers without a GPU (its times are CPU times)";
  static constexpr bool kRunsOnHost = true;
  static constexpr tuner_option_info kOptions[] = {
      {"order", "sequential",
       "order of a block's threads between barriers: sequential, or random, which exposes a "
       "missing __syncthreads()",
       "one of sequential, random"},
      {"seed", "1", "of the random order", "integer 0..4611686018427387904"},
      {"threads", "0", "OS threads; 0 = one for each hardware thread of the device's",
       "integer 0..4096"},
      {"devices", "1",
       "as how many devices of one model the machine shows itself, each with its share of the "
       "cores: to try what several GPUs do",
       "integer 1..64"},
      {"poison_shared", "on",
       "fill shared memory with NaNs before each block (never while measuring)", "flag"}};
  static int device_count() { return 1; }

  CpuBackend(std::uint32_t device, const sdk::Options& options);

  tuner_device_facts facts() override;
  std::uint64_t adopt(std::uint64_t address, std::uint64_t bytes) override;
  std::uint64_t allocate_at(std::uint64_t address, std::uint64_t bytes) override {
    return memory_.allocate_at(address, bytes);
  }
  std::uint64_t address_of(tuner_range at) override {
    return reinterpret_cast<std::uintptr_t>(memory_.at(at, 0));
  }
  std::uint64_t texture_of(tuner_range at, const tuner_texture& how) override;
  void release(std::uint64_t buffer) override;
  sdk::LoadedKernel load(std::string_view image, std::string_view entry) override;
  void unload(std::uint64_t kernel) override;
  void set_symbol(std::uint64_t kernel, std::string_view lowered_name, const void* data,
                  std::uint64_t bytes) override;
  sdk::LoadedKernel load_next(std::uint64_t kernel, std::string_view entry) override;
  void launch(std::uint64_t kernel, const tuner_launch& launch) override;
  void launch_shuffled(std::uint64_t kernel, const tuner_launch& launch,
                       std::uint64_t seed) override;
  void time(std::uint64_t kernel, const tuner_launch& launch, const tuner_timing& timing,
            std::span<double> milliseconds) override;
  bool zeroes() const override { return true; }
  // Sets the stack's size only: heap and printf have as much memory as the process.
  void set_limits(std::uint64_t heap, std::uint64_t stack, std::uint64_t printf_bytes) override;

 private:
  struct Kernel {
    std::shared_ptr<const Image> image;
    Entry entry;
    std::vector<std::uint64_t> next{};                     // kernels that go with it
    std::shared_ptr<const programs::HostFunction> host{};  // instead of all that
  };

  // A launch whose arguments have been checked and resolved to addresses.
  struct Prepared {
    Grid grid;
    bool cooperative = false;
    const programs::HostFunction* host = nullptr;  // instead of the grid
    std::vector<void*> buffers;                    // what pointer arguments hold
    std::vector<void*> arguments;                  // where each argument is
    std::vector<std::span<std::byte>> zeros;
  };

  const Kernel& kernel(std::uint64_t id) const;
  sdk::LoadedKernel add(Kernel kernel);
  // Prepares the steps of a launch, in a container whose elements stay where they are.
  std::list<Prepared> prepare(std::uint64_t kernel, const tuner_launch& launch) const;
  void prepare(const Kernel& kernel, const tuner_launch& launch, Prepared& out) const;
  void run(const Prepared& step);
  void run_in_turn(const Grid& grid);
  void run_at_once(Grid grid) const;
  void flush_caches();

  tuner_device_facts facts_;
  bool poison_shared_;
  ThreadOrder order_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;  // one for each of the pool's workers
  std::map<std::uint64_t, std::list<tuner_cpu_texture>> textures_;  // by buffer
  std::map<std::uint64_t, Kernel> kernels_;
  std::uint64_t last_kernel_ = 0;
  std::vector<std::byte> flush_area_;
};

}  // namespace tuner::cpu
