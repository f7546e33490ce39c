// A device as a backend: buffers and their parts, programs, launches and times.

#include "tuner/plugins/opencl/opencl_backend.h"

#include <algorithm>
#include <utility>

#include "tuner/plugins/opencl/opencl_compiler.h"

namespace tuner::opencl {
namespace {

Device device_number(std::uint32_t number) {
  std::vector<Device> all = all_devices();
  if (number >= all.size()) {
    throw sdk::Error(TUNER_INVALID, all.size() == 1 ? "there is only device 0"
                                                    : "there are only devices 0 to " +
                                                          std::to_string(all.size() - 1));
  }
  return std::move(all[number]);
}

bool has_doubles(std::uint32_t number) { return device_number(number).has_doubles; }

// Returns the number of bytes that replace a variant's data in the caches. GPUs do not report their
// second level.
std::uint64_t flush_bytes(const Device& device) {
  constexpr std::uint64_t kMost = 256 << 20;
  const bool is_gpu = (device.type & CL_DEVICE_TYPE_GPU) != 0;
  const std::uint64_t least = is_gpu ? 128 << 20 : 1 << 20;
  const std::uint64_t most = is_gpu ? kMost : 32 << 20;
  const auto memory = static_cast<std::uint64_t>(device.facts.memory_bytes);
  const auto cache = static_cast<std::uint64_t>(std::max<std::int64_t>(0, device.facts.l2_bytes));
  return std::min(std::clamp(2 * cache, least, most), std::max<std::uint64_t>(memory / 16, 1));
}

}  // namespace

int OpenClBackend::device_count() { return static_cast<int>(all_devices().size()); }

OpenClBackend::OpenClBackend(std::uint32_t device, const sdk::Options&)
    : OpenClBackend(device, has_doubles(device)) {}

OpenClBackend::OpenClBackend(std::uint32_t device, bool compares_on_device)
    : device_(device_number(device)), compares_on_device_(compares_on_device) {}

OpenClBackend::Opened& OpenClBackend::opened() {
  if (!opened_) opened_ = std::make_unique<Opened>(device_, compares_on_device_);
  return *opened_;
}

// ---- memory -------------------------------------------------------------------------------------

std::uint64_t OpenClBackend::allocate(std::uint64_t bytes) {
  Memory memory = opened().queue.allocate(bytes);
  buffers_.emplace(++last_id_, Buffer{std::move(memory), std::max<std::uint64_t>(bytes, 1)});
  return last_id_;
}

void OpenClBackend::release(std::uint64_t buffer) { buffers_.erase(buffer); }

Place OpenClBackend::place(tuner_range range, std::uint64_t bytes) const {
  const auto found = buffers_.find(range.buffer);
  if (found == buffers_.end()) throw sdk::Error(TUNER_INVALID, "no such buffer");
  const std::uint64_t size = found->second.bytes;
  if (range.offset > size || bytes > size - range.offset) {
    throw sdk::Error(TUNER_INVALID, "bytes " + std::to_string(range.offset) + " to " +
                                        std::to_string(range.offset + bytes) +
                                        " lie outside a buffer of " + std::to_string(size));
  }
  return {found->second.memory.get(), range.offset};
}

// A kernel gets no addresses: what begins in the middle of a buffer is a buffer of its own.
cl_mem OpenClBackend::part(tuner_range range) {
  const cl_mem whole = place(range, 0).memory;
  Buffer& buffer = buffers_.at(range.buffer);
  if (range.offset == 0) return whole;
  if (const auto known = buffer.parts.find(range.offset); known != buffer.parts.end()) {
    return known->second.get();
  }
  if (range.offset % device_.alignment != 0) {
    throw sdk::Error(TUNER_UNSUPPORTED,
                     "this device gives kernels only what begins at a multiple of " +
                         std::to_string(device_.alignment) + " bytes, and " +
                         std::to_string(range.offset) + " is none");
  }
  const cl_buffer_region region{range.offset, buffer.bytes - range.offset};
  cl_int code = 0;
  Memory made(cl_api().create_sub_buffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                         &region, &code));
  check(code, "clCreateSubBuffer");
  return buffer.parts.emplace(range.offset, std::move(made)).first->second.get();
}

void OpenClBackend::upload(tuner_range to, const void* data, std::uint64_t bytes) {
  const Place at = place(to, bytes);
  opened().queue.upload(at.memory, at.offset, data, bytes);
}

void OpenClBackend::download(tuner_range from, void* data, std::uint64_t bytes) {
  const Place at = place(from, bytes);
  opened().queue.download(at.memory, at.offset, data, bytes);
}

void OpenClBackend::copy(tuner_range to, tuner_range from, std::uint64_t bytes) {
  const Place target = place(to, bytes);
  const Place source = place(from, bytes);
  opened().queue.copy(target.memory, target.offset, source.memory, source.offset, bytes);
  opened().queue.wait();
}

void OpenClBackend::fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) {
  opened().elements.fill(place(to, sdk::bytes_of_elements(how.type, elements)), elements, how);
}

tuner_comparison OpenClBackend::compare(tuner_range actual, tuner_range expected, tuner_type type,
                                        std::uint64_t elements, double rtol, double atol) {
  const std::uint64_t bytes = sdk::bytes_of_elements(type, elements);
  return opened().elements.compare(place(actual, bytes), place(expected, bytes), type, elements,
                                   rtol, atol);
}

// ---- kernels ------------------------------------------------------------------------------------

sdk::LoadedKernel OpenClBackend::load(std::string_view image, std::string_view entry) {
  auto made = std::make_shared<const Image>(unpacked(image));
  Build build = build_binary(opened().queue.context(), device_, made->binary);
  if (build.code != CL_SUCCESS) {
    throw sdk::Error(classify(build.code, Phase::kCall),
                     describe(build.code, "clBuildProgram") + ": " + build.log);
  }
  auto program = std::make_shared<const Program>(std::move(build.program));
  return add({std::move(made), std::move(program), {}}, entry);
}

sdk::LoadedKernel OpenClBackend::load_next(std::uint64_t id, std::string_view entry) {
  Loaded& first = kernel(id);
  const sdk::LoadedKernel loaded = add({first.image, first.program, {}}, entry);
  kernel(id).next.push_back(loaded.kernel);
  return loaded;
}

sdk::LoadedKernel OpenClBackend::add(Loaded loaded, std::string_view entry) {
  const auto& kernels = loaded.image->kernels;
  const auto found = std::ranges::find(kernels, entry, &ImageKernel::name);
  if (found == kernels.end()) {
    throw sdk::Error(TUNER_INVALID, "the image has no kernel '" + std::string(entry) + "'");
  }
  loaded.entry.image = *found;
  loaded.entry.kernel = make_kernel(loaded.program->get(), found->name);
  loaded.entry.resources = resources_of(loaded.entry.kernel.get(), device_);
  const sdk::LoadedKernel out{++last_id_, loaded.entry.resources};
  kernels_.emplace(last_id_, std::move(loaded));
  return out;
}

void OpenClBackend::unload(std::uint64_t id) {
  const auto found = kernels_.find(id);
  if (found == kernels_.end()) return;
  const std::vector<std::uint64_t> next = found->second.next;
  kernels_.erase(found);
  for (const std::uint64_t one : next) kernels_.erase(one);
}

OpenClBackend::Loaded& OpenClBackend::kernel(std::uint64_t id) {
  const auto found = kernels_.find(id);
  if (found == kernels_.end()) throw sdk::Error(TUNER_INVALID, "no such kernel");
  return found->second;
}

void OpenClBackend::set_symbol(std::uint64_t, std::string_view lowered_name, const void*,
                               std::uint64_t) {
  throw sdk::Error(TUNER_UNSUPPORTED, "OpenCL's '__constant' variables cannot be set: make '" +
                                          std::string(lowered_name) +
                                          "' an argument, '__constant T*'");
}

// ---- launching and timing -----------------------------------------------------------------------

OpenClBackend::Steps OpenClBackend::prepare(std::uint64_t id, const tuner_launch& launch) {
  Steps steps;
  for (const sdk::Step& one : sdk::steps_of(id, launch)) {
    if (!sdk::maps_of(*one.launch).empty()) {
      throw sdk::Error(TUNER_UNSUPPORTED, "OpenCL has no tensor maps");
    }
    Step& step = steps.emplace_back();
    step.launch = bound(kernel(one.kernel).entry, *one.launch, device_.facts,
                        [this](tuner_range range) { return part(range); });
    for (const tuner_zeros& zeros : sdk::zeros_of(*one.launch)) {
      step.zeros.emplace_back(place(zeros.at, zeros.bytes), zeros.bytes);
    }
  }
  return steps;
}

// The events are those of the first and of the last command.
void OpenClBackend::queue(const Steps& steps, Event* first, Event* last) {
  const Queue& to = opened_->queue;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto begin = [&]() { return std::exchange(first, nullptr); };
    for (const auto& [at, bytes] : steps[i].zeros) {
      to.fill(at.memory, at.offset, 0, bytes, bytes > 0 ? begin() : nullptr);
    }
    const BoundLaunch& launch = steps[i].launch;
    set_arguments(launch);
    Event done;
    const bool is_last = i + 1 == steps.size() && last != nullptr;
    Event* const starts = begin();
    const bool watched = is_last || starts != nullptr;
    to.launch(launch.entry->kernel.get(), launch.global, launch.local, watched ? &done : nullptr);
    if (starts != nullptr && is_last) {
      *last = Event();  // it is one command: its own event tells both ends
      *starts = std::move(done);
    } else if (watched) {
      *(is_last ? last : starts) = std::move(done);
    }
  }
}

void OpenClBackend::launch(std::uint64_t id, const tuner_launch& launch) {
  opened();
  Event first;
  Event last;
  queue(prepare(id, launch), &first, &last);
  opened_->queue.wait();
  check_done(first);
  check_done(last);
}

void OpenClBackend::flush_caches() {
  const std::uint64_t bytes = flush_bytes(device_);
  Opened& it = opened();
  if (it.flush_area.get() == nullptr) it.flush_area = it.queue.allocate(bytes);
  it.queue.fill(it.flush_area.get(), 0, 0, bytes);
}

void OpenClBackend::queue_sample(const tuner_timing& timing, const std::vector<Steps>& turns,
                                 std::size_t number, Event& first, Event& last) {
  for (const tuner_restore& one : sdk::restores_of(timing)) {
    const Place to = place({one.to, 0}, one.bytes);
    opened_->queue.copy(to.memory, 0, place({one.from, 0}, one.bytes).memory, 0, one.bytes);
  }
  for (const tuner_byte_fill& one : sdk::fills_of(timing)) {
    const Place at = place(one.at, one.bytes);
    opened_->queue.fill(at.memory, at.offset, static_cast<unsigned char>(one.value), one.bytes);
  }
  if (timing.flush_cache != 0) flush_caches();
  const std::size_t launches = std::max(1U, timing.launches_per_sample);
  for (std::size_t i = 0; i < launches; ++i) {
    queue(turns[(number * launches + i) % turns.size()], i == 0 ? &first : nullptr,
          i + 1 == launches ? &last : nullptr);
  }
}

void OpenClBackend::time(std::uint64_t id, const tuner_launch& launch, const tuner_timing& timing,
                         std::span<double> milliseconds) {
  constexpr std::size_t kBatch = 32;  // samples that are queued before the host waits
  opened();
  std::vector<Steps> turns;
  for (const tuner_launch* one : sdk::turns_of(launch, timing)) turns.push_back(prepare(id, *one));
  const double launches = std::max(1U, timing.launches_per_sample);
  for (std::size_t done = 0; done < milliseconds.size(); done += kBatch) {
    const std::size_t count = std::min(kBatch, milliseconds.size() - done);
    std::vector<std::pair<Event, Event>> ends(count);
    for (std::size_t i = 0; i < count; ++i) {
      queue_sample(timing, turns, done + i, ends[i].first, ends[i].second);
    }
    opened_->queue.wait();
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [first, last] = ends[i];
      check_done(first);
      check_done(last);
      const std::uint64_t start = time_of(first, CL_PROFILING_COMMAND_START);
      const std::uint64_t end =
          time_of(last.get() == nullptr ? first : last, CL_PROFILING_COMMAND_END);
      milliseconds[done + i] =
          (end > start ? static_cast<double>(end - start) : 0.0) * 1e-6 / launches;
    }
  }
}

}  // namespace tuner::opencl

TUNER_PLUGIN("opencl", "1.0", tuner::sdk::Backends<tuner::opencl::OpenClBackend>,
             tuner::sdk::Compilers<tuner::opencl::OpenClCompiler>);
