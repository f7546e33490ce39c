#pragma once
// An NVIDIA device through the driver API.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/counters.h"
#include "tuner/plugins/cuda/device_kernels.h"
#include "tuner/plugins/cuda/driver.h"
#include "tuner/plugins/cuda/launch.h"
#include "tuner/plugins/cuda/placed_memory.h"
#include "tuner/plugins/cuda/power_meter.h"
#include "tuner/plugins/cuda/texture.h"
#include "tuner/plugins/cuda/timing.h"

namespace tuner::cuda {

// One CUDA device through the driver API. Its context is made when it is first needed: the facts
// are known long before.
class CudaBackend : public sdk::Backend,
                    public sdk::MeasuresPower,
                    public sdk::MapsTensors,
                    public sdk::AdoptsMemory,
                    public sdk::TellsAddresses,
                    public sdk::MakesTextures,
                    public sdk::TimesGraphs,
                    public sdk::RotatesBuffers,
                    public sdk::SetsLaunchAttributes,
                    public sdk::TellsConditions,
                    public sdk::SetsLimits,
                    public sdk::ReadsCounters {
 public:
  static constexpr const char* kName = "cuda";
  static constexpr const char* kSummary = "NVIDIA GPUs: NVRTC and the CUDA driver";
  static constexpr bool kIsSanitized = true;
  static constexpr tuner_option_info kOptions[] = {
      {"arch", "auto", "architecture to compile for, such as sm_90a; auto = the device's own",
       nullptr},
  };
  static int device_count();  // initialises the driver

  CudaBackend(std::uint32_t device, const sdk::Options& options);
  // With a driver that is there already (tests have one of their own).
  CudaBackend(const DriverApi& api, std::uint32_t device, const std::string& arch);
  ~CudaBackend() override;  // the context may be an application's, and gets its limits back
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  tuner_device_facts facts() override { return facts_; }
  std::uint64_t allocate(std::uint64_t bytes) override;
  std::uint64_t adopt(std::uint64_t address, std::uint64_t bytes) override;
  std::uint64_t address_of(tuner_range at) override { return address(at, 0); }
  std::uint64_t allocate_at(std::uint64_t address, std::uint64_t bytes) override;
  std::uint64_t texture_of(tuner_range at, const tuner_texture& how) override {
    opened();
    return textures_.object(api_, at.buffer, address(at, texture_bytes(how)), how);
  }
  void release(std::uint64_t buffer) override;
  void upload(tuner_range to, const void* data, std::uint64_t bytes) override;
  void download(tuner_range from, void* data, std::uint64_t bytes) override;
  void fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) override;
  void copy(tuner_range to, tuner_range from, std::uint64_t bytes) override;
  tuner_comparison compare(tuner_range actual, tuner_range expected, tuner_type type,
                           std::uint64_t elements, double rtol, double atol) override;
  sdk::LoadedKernel load(std::string_view image, std::string_view entry) override;
  void unload(std::uint64_t kernel) override;
  void set_symbol(std::uint64_t kernel, std::string_view lowered_name, const void* data,
                  std::uint64_t bytes) override;
  sdk::LoadedKernel load_next(std::uint64_t kernel, std::string_view entry) override;
  void launch(std::uint64_t kernel, const tuner_launch& launch) override;
  void time(std::uint64_t kernel, const tuner_launch& launch, const tuner_timing& timing,
            std::span<double> milliseconds) override;
  void time_graph(std::uint64_t kernel, const tuner_launch& launch, const tuner_timing& timing,
                  std::span<double> milliseconds) override;
  sdk::Conditions conditions() override;
  std::string remark() override;
  void set_limits(std::uint64_t heap, std::uint64_t stack, std::uint64_t printf_bytes) override;
  double power(std::uint64_t kernel, const tuner_launch& launch) override;
  std::uint32_t begin_counting(const std::vector<std::string>& names, std::uint32_t launches,
                               bool flush_cache) override;
  void count(std::uint64_t kernel, const tuner_launch& launch, std::span<double> values) override;
  bool zeroes() const override { return true; }

 private:
  struct Kernel {
    Module module;
    std::string entry;
    std::unique_ptr<KernelFunction> function;
    bool launched = false;
    bool waits = false;               // as a function of the host may, for the device
    std::vector<std::uint64_t> next;  // kernels that go with it, whose module is empty
  };

  // The objects that live in the context.
  struct Opened {
    Opened(const DriverApi& api, CUdevice device, const tuner_device_facts& facts);
    PrimaryContext context;
    Stream stream;
    DeviceKernels kernels;
    Timer timer;
  };

  // The arguments that the driver gets for a launch, and the memory that they point to.
  struct Bound {
    std::vector<CUdeviceptr> pointers;
    std::vector<CUtensorMap> maps;
    std::vector<void*> arguments;
    std::vector<std::pair<CUdeviceptr, std::uint64_t>> zeros;  // address, bytes
    std::vector<const Array*> arrays;
  };

  // One of the launches that follow each other.
  struct Step {
    Kernel* kernel = nullptr;
    const tuner_launch* launch = nullptr;
    Bound bound{};
  };

  Opened& opened();  // current on this thread
  CUdeviceptr address(tuner_range range, std::uint64_t bytes) const;
  Kernel& kernel(std::uint64_t id);
  sdk::LoadedKernel add(Kernel loaded);
  using Turns = std::vector<std::vector<Step>>;
  std::vector<Step> prepare(std::uint64_t id, const tuner_launch& launch);
  Turns prepare(std::uint64_t id, const tuner_launch& launch, const tuner_timing& timing);
  static void refuse_two_carveouts(const std::vector<Step>& steps);
  void launch_once(std::vector<Step>& steps, const tuner_timing& timing,
                   const std::vector<const Array*>& arrays);
  void bind_arguments(const Kernel& kernel, const tuner_launch& launch, Bound& bound) const;
  void queue(std::vector<Step>& steps) const;
  static std::vector<const Array*> arrays_of(const Turns& turns);
  void fill(const std::vector<const Array*>& arrays) const;
  void give_back(const std::vector<const Array*>& arrays) const;
  void refuse_stray_work(const Step& step) const;
  void wait(const char* call, bool kernel_ran = false) const;

  DriverApi api_;
  CUdevice device_;
  tuner_device_facts facts_;
  std::unique_ptr<Opened> opened_;
  // The counters at work, and the places for the values of this pass's launches.
  struct Counting {
    std::unique_ptr<Counters> counters;
    bool flush_cache = false;
    std::uint32_t launches = 0;
    std::vector<std::span<double>> values;
  };
  Counting counting_;
  std::vector<std::pair<CUlimit, std::size_t>> first_limits_;  // those that were changed
  BoardPower board_power_;
  std::optional<PowerMeter> meter_;                          // opened on first use
  std::optional<PlacedMemory> placed_;                       // made on first use
  std::unordered_map<std::uint64_t, DeviceMemory> buffers_;  // by device address
  Textures textures_;
  std::unordered_map<std::uint64_t, Kernel> kernels_;
  std::uint64_t last_kernel_ = 0;
};

}  // namespace tuner::cuda
