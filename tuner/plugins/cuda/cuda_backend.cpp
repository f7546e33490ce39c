// An NVIDIA device as a backend: memory, modules and symbols, launches and times.

#include "tuner/plugins/cuda/cuda_backend.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {
namespace {

// cuModuleLoadData is told no size: anything but a whole image would be read past its end.
bool looks_like_image(std::string_view image) {
  return image.substr(0, 4) ==
             "\x7f"
             "ELF" ||
         image.find(".version") != std::string_view::npos;
}

}  // namespace

int CudaBackend::device_count() {
  const DriverApi api = load_driver();
  int count = 0;
  check(api, api.device_get_count(&count), "cuDeviceGetCount");
  if (count == 0) throw sdk::Error(TUNER_UNSUPPORTED, "no CUDA device found");
  return count;
}

CudaBackend::CudaBackend(std::uint32_t device, const sdk::Options& options)
    : CudaBackend(load_driver(), device, options.text_of("arch")) {}

CudaBackend::CudaBackend(const DriverApi& api, std::uint32_t device, const std::string& arch)
    : api_(api),
      device_(device_of(api_, device)),
      facts_(device_facts(api_, device_, arch)),
      board_power_(facts_.uuid) {}

CudaBackend::Opened::Opened(const DriverApi& api, CUdevice device, const tuner_device_facts& facts)
    : context(api, device),
      stream(make_stream(api)),
      kernels(api, stream.get(), facts.arch, facts.multiprocessors * 8),
      timer(api, stream.get(), facts, kernels) {}

CudaBackend::Opened& CudaBackend::opened() {
  if (!opened_) opened_ = std::make_unique<Opened>(api_, device_, facts_);
  opened_->context.make_current();
  return *opened_;
}

void CudaBackend::wait(const char* call, bool kernel_ran) const {
  check(api_, api_.stream_synchronize(opened_->stream.get()), call,
        kernel_ran ? Phase::kWait : Phase::kCall);
}

CUdeviceptr CudaBackend::address(tuner_range range, std::uint64_t bytes) const {
  const auto found = buffers_.find(range.buffer);
  if (found == buffers_.end()) throw sdk::Error(TUNER_INVALID, "no such buffer");
  const std::uint64_t size = found->second.bytes();
  if (range.offset > size || bytes > size - range.offset) {
    throw sdk::Error(TUNER_INVALID, "bytes " + std::to_string(range.offset) + " to " +
                                        std::to_string(range.offset + bytes) +
                                        " lie outside a buffer of " + std::to_string(size));
  }
  return found->second.get() + range.offset;
}

std::uint64_t CudaBackend::allocate(std::uint64_t bytes) {
  opened();
  DeviceMemory memory(api_, bytes == 0 ? 1 : bytes);
  const std::uint64_t id = memory.get();
  buffers_.emplace(id, std::move(memory));
  return id;
}

// Of the device's primary context, which is that of applications of the runtime API, too.
std::uint64_t CudaBackend::adopt(std::uint64_t address, std::uint64_t bytes) {
  if (address == 0) throw sdk::Error(TUNER_INVALID, "a null pointer is no device memory");
  const auto own = buffers_.find(address);
  if (own != buffers_.end() && own->second.is_owned()) {
    throw sdk::Error(TUNER_INVALID, "this memory is the backend's own");
  }
  buffers_.insert_or_assign(address, DeviceMemory::view(address, bytes));
  return address;
}

void CudaBackend::release(std::uint64_t buffer) {
  opened();
  textures_.release(buffer);
  buffers_.erase(buffer);
}

void CudaBackend::upload(tuner_range to, const void* data, std::uint64_t bytes) {
  opened();
  const CUdeviceptr target = address(to, bytes);
  if (bytes == 0) return;
  check(api_, api_.memcpy_htod_async(target, data, bytes, opened_->stream.get()),
        "cuMemcpyHtoDAsync");
  wait("cuMemcpyHtoDAsync");
}

void CudaBackend::download(tuner_range from, void* data, std::uint64_t bytes) {
  opened();
  const CUdeviceptr source = address(from, bytes);
  if (bytes == 0) return;
  check(api_, api_.memcpy_dtoh_async(data, source, bytes, opened_->stream.get()),
        "cuMemcpyDtoHAsync");
  wait("cuMemcpyDtoHAsync");
}

void CudaBackend::fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) {
  opened();
  const CUdeviceptr target = address(to, elements * element_size(how.type));
  if (elements > 0) opened_->kernels.fill(target, elements, how);
}

void CudaBackend::copy(tuner_range to, tuner_range from, std::uint64_t bytes) {
  opened();
  const CUdeviceptr target = address(to, bytes);
  const CUdeviceptr source = address(from, bytes);
  if (bytes == 0) return;
  check(api_, api_.memcpy_dtod_async(target, source, bytes, opened_->stream.get()),
        "cuMemcpyDtoDAsync");
  wait("cuMemcpyDtoDAsync");
}

tuner_comparison CudaBackend::compare(tuner_range actual, tuner_range expected, tuner_type type,
                                      std::uint64_t elements, double rtol, double atol) {
  opened();
  const std::uint64_t bytes = elements * element_size(type);
  const CUdeviceptr left = address(actual, bytes);
  const CUdeviceptr right = address(expected, bytes);
  if (elements == 0) return {};
  return opened_->kernels.compare(left, right, type, elements, rtol, atol);
}

sdk::LoadedKernel CudaBackend::load(std::string_view image, std::string_view entry) {
  opened();
  if (entry == programs::kHostEntry) {
    Kernel loaded;
    loaded.function =
        std::make_unique<KernelFunction>(std::make_unique<programs::HostFunction>(image));
    return add(std::move(loaded));
  }
  if (!looks_like_image(image)) throw sdk::Error(TUNER_INVALID, "neither a cubin nor PTX");
  const std::string terminated(image);
  CUmodule raw = nullptr;
  check(api_, api_.module_load_data(&raw, terminated.c_str()), "cuModuleLoadData");
  Kernel loaded;
  loaded.module = Module(raw, {&api_});
  loaded.entry = entry;
  loaded.function = std::make_unique<KernelFunction>(api_, raw, loaded.entry);
  return add(std::move(loaded));
}

sdk::LoadedKernel CudaBackend::load_next(std::uint64_t id, std::string_view entry) {
  opened();
  // The same entry is the same kernel: its attributes are set in the driver once for all launches.
  if (kernel(id).entry == entry) return {id, kernel(id).function->resources()};
  for (const std::uint64_t other : kernel(id).next) {
    if (kernel(other).entry == entry) return {other, kernel(other).function->resources()};
  }
  Kernel other;
  other.entry = entry;
  other.function = std::make_unique<KernelFunction>(api_, kernel(id).module.get(), other.entry);
  const sdk::LoadedKernel loaded = add(std::move(other));
  kernel(id).next.push_back(loaded.kernel);
  return loaded;
}

sdk::LoadedKernel CudaBackend::add(Kernel loaded) {
  const sdk::LoadedKernel out{++last_kernel_, loaded.function->resources()};
  kernels_.emplace(out.kernel, std::move(loaded));
  return out;
}

void CudaBackend::unload(std::uint64_t id) {
  opened();
  const auto found = kernels_.find(id);
  if (found == kernels_.end()) return;
  for (const std::uint64_t next : found->second.next) kernels_.erase(next);
  kernels_.erase(id);
}

CudaBackend::Kernel& CudaBackend::kernel(std::uint64_t id) {
  const auto found = kernels_.find(id);
  if (found == kernels_.end()) throw sdk::Error(TUNER_INVALID, "no such kernel");
  return found->second;
}

void CudaBackend::set_symbol(std::uint64_t id, std::string_view lowered_name, const void* data,
                             std::uint64_t bytes) {
  opened();
  const std::string name(lowered_name);
  CUdeviceptr target = 0;
  std::size_t size = 0;
  check(api_, api_.module_get_global(&target, &size, kernel(id).module.get(), name.c_str()),
        "cuModuleGetGlobal");
  // An array may be sized for the largest case, and the rest keeps its initial value. What a
  // register holds is one number, of one size.
  constexpr std::uint64_t kLargestNumber = 8;
  const bool fits = bytes == size || (bytes < size && size > kLargestNumber);
  if (!fits) {
    throw sdk::Error(TUNER_INVALID, "'" + name + "' has " + std::to_string(size) +
                                        " bytes in the kernel, " + std::to_string(bytes) +
                                        " are to be written");
  }
  check(api_, api_.memcpy_htod_async(target, data, bytes, opened_->stream.get()),
        "cuMemcpyHtoDAsync");
  wait("cuMemcpyHtoDAsync");
}

// ---- launching and timing -----------------------------------------------------------------------

void CudaBackend::bind_arguments(const Kernel& kernel, const tuner_launch& launch,
                                 Bound& bound) const {
  kernel.function->check_count(launch.argument_count);
  // Sized first, because the addresses of their elements are handed out.
  bound.pointers.resize(launch.argument_count);
  bound.maps.resize(sdk::maps_of(launch).size());
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < launch.argument_count; ++i) {
    const tuner_argument& argument = launch.arguments[i];
    if (argument.is_buffer != 0) {
      bound.pointers[i] = address(argument.buffer, 0);
      bound.arguments.push_back(&bound.pointers[i]);
      sizes.push_back(sizeof(CUdeviceptr));
    } else {
      bound.arguments.push_back(const_cast<void*>(argument.scalar));
      sizes.push_back(argument.scalar_size);
    }
  }
  for (const tuner_zeros& zeros : sdk::zeros_of(launch)) {
    bound.zeros.emplace_back(address(zeros.at, zeros.bytes), zeros.bytes);
  }
  for (std::size_t i = 0; i < bound.maps.size(); ++i) {
    const tuner_tensor_map& map = sdk::maps_of(launch)[i];
    if (map.argument >= launch.argument_count) {
      throw sdk::Error(TUNER_INVALID, "a tensor map for an argument that is not there");
    }
    bound.maps[i] = encode(api_, facts_, map, bound.pointers[map.argument]);
    bound.arguments[map.argument] = &bound.maps[i];
    sizes[map.argument] = sizeof(CUtensorMap);
  }
  kernel.function->check_sizes(sizes);
}

// Nothing is launched before all that follows could be, too.
std::vector<CudaBackend::Step> CudaBackend::prepare(std::uint64_t id, const tuner_launch& launch) {
  const std::vector<sdk::Step> chain = sdk::steps_of(id, launch);
  std::vector<Step> steps(chain.size());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    steps[i].kernel = &kernel(chain[i].kernel);
    steps[i].launch = chain[i].launch;
    try {
      steps[i].kernel->function->prepare(*steps[i].launch, facts_);
      bind_arguments(*steps[i].kernel, *steps[i].launch, steps[i].bound);
    } catch (const sdk::Error& error) {
      if (i == 0) throw;
      throw sdk::Error(error.status(), "launch " + std::to_string(i + 1) + ": " + error.what());
    }
  }
  refuse_two_carveouts(steps);
  return steps;
}

// It is the kernel's in the driver, so that the last one would hold for all.
void CudaBackend::refuse_two_carveouts(const std::vector<Step>& steps) {
  const auto carveout = [](const Step& step) {
    const tuner_launch_attributes* asked = step.launch->attributes;
    return asked != nullptr ? asked->carveout : -1;
  };
  for (const Step& one : steps) {
    for (const Step& other : steps) {
      if (one.kernel != other.kernel || carveout(one) == carveout(other)) continue;
      throw sdk::Error(TUNER_LAUNCH_REFUSED,
                       "launches of the same kernel cannot have different carveouts");
    }
  }
}

void CudaBackend::queue(std::vector<Step>& steps) const {
  for (Step& step : steps) {
    for (const auto& [data, bytes] : step.bound.zeros) {
      check(api_, api_.memset_d8_async(data, 0, bytes, opened_->stream.get()), "cuMemsetD8Async");
    }
    step.kernel->function->launch(*step.launch, opened_->stream.get(), step.bound.arguments.data());
  }
}

// What a function of the host puts elsewhere is neither timed nor waited for. When the stream has
// ended, nothing else runs on this context.
void CudaBackend::refuse_stray_work(const Step& step) const {
  constexpr std::chrono::microseconds kIdle{50};
  if (!step.kernel->function->is_of_host()) return;
  const auto begin = std::chrono::steady_clock::now();
  check(api_, api_.ctx_synchronize(), "cuCtxSynchronize", Phase::kWait);
  if (std::chrono::steady_clock::now() - begin < kIdle) return;
  throw sdk::Error(TUNER_LAUNCH_REFUSED,
                   "the launcher works elsewhere than in its stream, where nobody times it");
}

void CudaBackend::launch(std::uint64_t id, const tuner_launch& launch) {
  opened();
  std::vector<Step> steps = prepare(id, launch);
  queue(steps);
  wait("kernel", true);
  refuse_stray_work(steps.front());
  for (const Step& step : steps) step.kernel->launched = true;
}

CudaBackend::Turns CudaBackend::prepare(std::uint64_t id, const tuner_launch& launch,
                                        const tuner_timing& timing) {
  for (const tuner_restore& one : std::span(timing.restores, timing.restore_count)) {
    address({one.to, 0}, one.bytes);
    address({one.from, 0}, one.bytes);
  }
  Turns turns;
  for (const tuner_launch* one : sdk::turns_of(launch, timing)) turns.push_back(prepare(id, *one));
  return turns;
}

namespace {

// What a function of the host may put into the stream: nobody knows, and few samples at a time are
// enough.
constexpr std::size_t kLaunchesOfFunction = 16;

template <typename Steps>
std::size_t operations_of(const Steps& steps) {
  std::size_t operations = steps.size();
  for (const auto& step : steps) operations += step.bound.zeros.size();
  return operations;
}

template <typename Steps>
bool have_run(const Steps& steps) {
  return std::all_of(steps.begin(), steps.end(),
                     [](const auto& one) { return one.kernel->launched; });
}

}  // namespace

void CudaBackend::time(std::uint64_t id, const tuner_launch& launch, const tuner_timing& timing,
                       std::span<double> milliseconds) {
  opened();
  Turns turns = prepare(id, launch, timing);
  Work work{[&](std::size_t number) { queue(turns[number % turns.size()]); },
            operations_of(turns.front()), have_run(turns.front()), false};
  Kernel& first = *turns.front().front().kernel;
  if (first.function->is_of_host()) {
    work.operations = kLaunchesOfFunction;
    work.may_wait = true;
    work.launched = work.launched && !first.waits;
  }
  if (!opened_->timer.time(timing, work, milliseconds)) first.waits = true;
  refuse_stray_work(turns.front().front());
  for (const Step& step : turns.front()) step.kernel->launched = true;
}

// As before a sample, but that nothing is timed. Kernels are loaded when they are first launched,
// which cannot be captured.
void CudaBackend::launch_once(std::vector<Step>& steps, const tuner_timing& timing) {
  for (const tuner_restore& one : std::span(timing.restores, timing.restore_count)) {
    check(api_, api_.memcpy_dtod_async(one.to, one.from, one.bytes, opened_->stream.get()),
          "cuMemcpyDtoDAsync");
  }
  queue(steps);
  wait("kernel", true);
  for (const Step& step : steps) step.kernel->launched = true;
}

// One graph holds the launches of a sample. There are several where samples begin at different
// turns.
void CudaBackend::time_graph(std::uint64_t id, const tuner_launch& launch,
                             const tuner_timing& timing, std::span<double> milliseconds) {
  opened();
  Turns turns = prepare(id, launch, timing);
  if (!have_run(turns.front())) launch_once(turns.front(), timing);
  const std::size_t launches = std::max(1U, timing.launches_per_sample);
  const auto first_turn = [&](std::size_t sample) { return sample * launches % turns.size(); };
  std::map<std::size_t, GraphExec> graphs;
  for (std::size_t sample = 0; sample < milliseconds.size(); ++sample) {
    const std::size_t first = first_turn(sample);
    if (graphs.contains(first)) break;  // and so it goes on
    graphs.emplace(first, captured(api_, opened_->stream.get(), [&] {
                     for (std::size_t i = 0; i < launches; ++i) {
                       queue(turns[(first + i) % turns.size()]);
                     }
                   }));
  }
  wait("cuGraphUpload");
  const auto launch_graph = [&](std::size_t sample) {
    check(api_, api_.graph_launch(graphs.at(first_turn(sample)).get(), opened_->stream.get()),
          "cuGraphLaunch", Phase::kLaunch);
  };
  tuner_timing by_sample = timing;
  by_sample.launches_per_sample = 1;
  const Work work{launch_graph, launches * operations_of(turns.front()), true, true};
  opened_->timer.time(by_sample, work, milliseconds);
  for (double& ms : milliseconds) ms /= static_cast<double>(launches);
}

sdk::Conditions CudaBackend::conditions() {
  return {opened().timer.megahertz(), board_power_.watts()};
}

double CudaBackend::power(std::uint64_t id, const tuner_launch& launch) {
  constexpr double kWarm = 0.2, kSeconds = 0.6, kChunk = 0.01;
  opened();
  if (!meter_) meter_.emplace(facts_.uuid);
  std::vector<Step> steps = prepare(id, launch);
  const auto now = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // As many launches at a time as fill some milliseconds, so that the device is never idle for
  // long.
  int launches = 1;
  const auto work = [&] {
    const double begin = now();
    for (int i = 0; i < launches; ++i) queue(steps);
    wait("kernel", true);
    if (now() - begin < kChunk / 2 && launches < 1024) launches *= 2;
  };
  return mean_watts([&] { return meter_->millijoules(); }, now, work, kWarm, kSeconds);
}

}  // namespace tuner::cuda
