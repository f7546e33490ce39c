#pragma once
// A device of any OpenCL platform.

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/plugins/opencl/image.h"
#include "tuner/plugins/opencl/queue.h"

namespace tuner::opencl {

// Its context is made when it is first needed: the facts are known long before.
class OpenClBackend : public sdk::Backend, public sdk::RotatesBuffers {
 public:
  static constexpr const char* kName = "opencl";
  static constexpr const char* kSummary = "devices of all OpenCL platforms, kernels in OpenCL C";
  static constexpr const char* kLanguage = "opencl";
  static int device_count();  // asks the drivers

  OpenClBackend(std::uint32_t device, const sdk::Options& options);
  // With or without kernels of its own that fill and compare.
  OpenClBackend(std::uint32_t device, bool compares_on_device);

  tuner_device_facts facts() override { return device_.facts; }
  std::uint64_t allocate(std::uint64_t bytes) override;
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
  bool zeroes() const override { return true; }

 private:
  struct Opened {
    explicit Opened(const Device& device, bool compares_on_device)
        : queue(device), elements(queue, compares_on_device) {}
    Queue queue;
    ElementKernels elements;
    Memory flush_area;
  };
  struct Buffer {
    Memory memory;
    std::uint64_t bytes = 0;
    std::map<std::uint64_t, Memory> parts{};  // from an offset on, which is how kernels get them
  };
  // A program with the kernels of it that were asked for.
  struct Loaded {
    std::shared_ptr<const Image> image;
    std::shared_ptr<const Program> program;
    LoadedEntry entry;
    std::vector<std::uint64_t> next{};  // kernels that go with it
  };
  struct Step {
    BoundLaunch launch;
    std::vector<std::pair<Place, std::uint64_t>> zeros;  // bytes
  };
  using Steps = std::vector<Step>;

  Opened& opened();
  Place place(tuner_range range, std::uint64_t bytes) const;
  cl_mem part(tuner_range range);
  Loaded& kernel(std::uint64_t id);
  sdk::LoadedKernel add(Loaded loaded, std::string_view entry);
  Steps prepare(std::uint64_t id, const tuner_launch& launch);
  void queue(const Steps& steps, Event* first, Event* last);
  void queue_sample(const tuner_timing& timing, const std::vector<Steps>& turns, std::size_t number,
                    Event& first, Event& last);
  void flush_caches();

  Device device_;
  bool compares_on_device_;
  std::unique_ptr<Opened> opened_;
  std::map<std::uint64_t, Buffer> buffers_;
  std::map<std::uint64_t, Loaded> kernels_;
  std::uint64_t last_id_ = 0;
};

}  // namespace tuner::opencl
