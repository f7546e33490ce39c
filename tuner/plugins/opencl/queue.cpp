// Puts commands into a queue; fills and compares on the device, or here where it has no doubles.

#include "tuner/plugins/opencl/queue.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "tuner/plugin/sdk.h"

namespace tuner::opencl {
namespace {

CommandQueue make_queue(cl_context context, const Device& device) {
  cl_int code = 0;
  CommandQueue queue(cl_api().create_queue(context, device.id, CL_QUEUE_PROFILING_ENABLE, &code));
  check(code, "clCreateCommandQueue");
  return queue;
}

void keep(cl_event raw, Event* event) {
  if (event != nullptr) *event = Event(raw);
}

}  // namespace

Queue::Queue(const Device& device)
    : device_(device), context_(make_context(device)), queue_(make_queue(context_.get(), device)) {}

Memory Queue::allocate(std::uint64_t bytes) const {
  cl_int code = 0;
  Memory memory(cl_api().create_buffer(context_.get(), CL_MEM_READ_WRITE, bytes == 0 ? 1 : bytes,
                                       nullptr, &code));
  check(code, "clCreateBuffer");
  return memory;
}

void Queue::upload(cl_mem to, std::uint64_t offset, const void* data, std::uint64_t bytes) const {
  if (bytes == 0) return;
  check(cl_api().write(queue_.get(), to, 1, offset, bytes, data, 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

void Queue::download(cl_mem from, std::uint64_t offset, void* data, std::uint64_t bytes) const {
  if (bytes == 0) return;
  check(cl_api().read(queue_.get(), from, 1, offset, bytes, data, 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
}

void Queue::copy(cl_mem to, std::uint64_t to_offset, cl_mem from, std::uint64_t from_offset,
                 std::uint64_t bytes) const {
  if (bytes == 0) return;
  check(cl_api().copy(queue_.get(), from, to, from_offset, to_offset, bytes, 0, nullptr, nullptr),
        "clEnqueueCopyBuffer");
}

void Queue::fill(cl_mem to, std::uint64_t offset, unsigned char byte, std::uint64_t bytes,
                 Event* event) const {
  if (bytes == 0) return;
  cl_event raw = nullptr;
  check(cl_api().fill(queue_.get(), to, &byte, 1, offset, bytes, 0, nullptr,
                      event == nullptr ? nullptr : &raw),
        "clEnqueueFillBuffer");
  keep(raw, event);
}

void Queue::launch(cl_kernel kernel, std::span<const std::size_t> global,
                   std::span<const std::size_t> local, Event* event) const {
  cl_event raw = nullptr;
  check(cl_api().launch(queue_.get(), kernel, static_cast<cl_uint>(global.size()), nullptr,
                        global.data(), local.empty() ? nullptr : local.data(), 0, nullptr,
                        event == nullptr ? nullptr : &raw),
        "clEnqueueNDRangeKernel", Phase::kLaunch);
  keep(raw, event);
}

void Queue::wait(Phase phase) const { check(cl_api().finish(queue_.get()), "clFinish", phase); }

void check_done(const Event& event) {
  if (event.get() == nullptr) return;
  cl_int status = 0;
  check(cl_api().get_event_info(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                &status, nullptr),
        "clGetEventInfo", Phase::kWait);
  if (status < 0) check(status, "kernel", Phase::kWait);
}

std::uint64_t time_of(const Event& event, cl_uint what) {
  cl_ulong nanoseconds = 0;
  check(cl_api().get_profiling_info(event.get(), what, sizeof nanoseconds, &nanoseconds, nullptr),
        "clGetEventProfilingInfo", Phase::kWait);
  return nanoseconds;
}

// ---- filling and comparing ----------------------------------------------------------------------

extern const std::string_view kDeviceText;

namespace {

namespace elements = sdk::elements;
using elements::ComparedPart;

constexpr std::size_t kMostWorkItems = 65536;
constexpr std::uint64_t kHostPiece = 1 << 20;  // elements
constexpr std::size_t kHostPieceBytes = kHostPiece * sizeof(double);

void set_argument(cl_kernel kernel, cl_uint index, std::span<const std::byte> value) {
  check(cl_api().set_argument(kernel, index, value.size(), value.data()), "clSetKernelArg");
}

template <typename... Values>
void set_arguments(cl_kernel kernel, const Values&... values) {
  cl_uint index = 0;
  (set_argument(kernel, index++, std::as_bytes(std::span(&values, 1))), ...);
}

void add(const ComparedPart& part, ComparedPart& all) {
  all.mismatches += part.mismatches;
  all.first_mismatch = std::min(all.first_mismatch, part.first_mismatch);
  all.max_error = std::max(all.max_error, part.max_error);
}

}  // namespace

ElementKernels::ElementKernels(const Queue& queue, bool on_device)
    : queue_(queue), on_device_(on_device) {}

ElementKernels::Compiled& ElementKernels::compiled() {
  if (compiled_) return *compiled_;
  Build build = build_source(queue_.context(), queue_.device(), std::string(kDeviceText), "");
  if (build.code != CL_SUCCESS) {
    throw sdk::Error(
        TUNER_UNSUPPORTED,
        "fill and compare: " + describe(build.code, "clBuildProgram") + "\n" + build.log);
  }
  Compiled out;
  out.fill = make_kernel(build.program.get(), "tuner_fill");
  out.compare = make_kernel(build.program.get(), "tuner_compare");
  out.program = std::move(build.program);
  out.parts = queue_.allocate(kMostWorkItems * sizeof(ComparedPart));
  return compiled_.emplace(std::move(out));
}

std::size_t ElementKernels::work_items(std::uint64_t elements) const {
  const auto units = static_cast<std::uint64_t>(queue_.device().facts.multiprocessors);
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(elements, 1, std::min<std::uint64_t>(units * 256, kMostWorkItems)));
}

void ElementKernels::fill(Place to, std::uint64_t elements, const tuner_fill& how) {
  if (how.kind > TUNER_FILL_ZIPF || (how.kind == TUNER_FILL_MASK && !on_device_)) {
    throw sdk::Error(TUNER_INVALID, "there is no kind of fill " + std::to_string(how.kind));
  }
  if (elements == 0) return;
  if (how.kind == TUNER_FILL_BYTES) {
    queue_.fill(to.memory, to.offset, static_cast<unsigned char>(static_cast<long long>(how.a)),
                sdk::bytes_of_elements(how.type, elements));
  } else if (on_device_) {
    Compiled& it = compiled();
    set_arguments(it.fill.get(), to.memory, to.offset, elements, how.kind, how.type, how.a, how.b,
                  how.seed);
    queue_.launch(it.fill.get(), std::array{work_items(elements)}, {});
  } else {
    std::vector<std::byte> piece(kHostPieceBytes);
    for (std::uint64_t first = 0; first < elements; first += kHostPiece) {
      const std::uint64_t count = std::min(kHostPiece, elements - first);
      for (std::uint64_t i = 0; i < count; ++i) {
        elements::store_element(
            piece.data(), i, how.type,
            elements::element_value(how.kind, how.a, how.b, how.seed, first + i));
      }
      queue_.upload(to.memory, to.offset + sdk::bytes_of_elements(how.type, first), piece.data(),
                    sdk::bytes_of_elements(how.type, count));
    }
  }
  queue_.wait();
}

double ElementKernels::element_at(Place from, std::uint64_t index, std::uint32_t type) const {
  alignas(8) std::byte bytes[8] = {};
  queue_.download(from.memory, from.offset + sdk::bytes_of_elements(type, index), bytes,
                  sdk::bytes_of_elements(type, 1));
  return elements::load_element(bytes, 0, type);
}

tuner_comparison ElementKernels::compare(Place actual, Place expected, std::uint32_t type,
                                         std::uint64_t elements, double rtol, double atol) {
  ComparedPart all{0, ~std::uint64_t{0}, 0.0};
  if (elements > 0 && on_device_) {
    Compiled& it = compiled();
    const cl_mem parts = it.parts.get();
    set_arguments(it.compare.get(), actual.memory, actual.offset, expected.memory, expected.offset,
                  elements, type, rtol, atol, parts);
    std::vector<ComparedPart> seen(work_items(elements));
    queue_.launch(it.compare.get(), std::array{seen.size()}, {});
    queue_.wait();
    queue_.download(parts, 0, seen.data(), seen.size() * sizeof(ComparedPart));
    for (const ComparedPart& part : seen) add(part, all);
  } else {
    std::vector<std::byte> left(kHostPieceBytes), right(kHostPieceBytes);
    for (std::uint64_t first = 0; first < elements; first += kHostPiece) {
      const std::uint64_t count = std::min(kHostPiece, elements - first);
      const std::uint64_t offset = sdk::bytes_of_elements(type, first);
      const std::uint64_t bytes = sdk::bytes_of_elements(type, count);
      queue_.download(actual.memory, actual.offset + offset, left.data(), bytes);
      queue_.download(expected.memory, expected.offset + offset, right.data(), bytes);
      ComparedPart part =
          elements::compare_part(left.data(), right.data(), count, type, rtol, atol, 0, 1);
      if (part.mismatches > 0) part.first_mismatch += first;
      add(part, all);
    }
  }
  tuner_comparison out{};
  out.mismatches = all.mismatches;
  out.max_abs_error = all.max_error;
  if (all.mismatches == 0) return out;
  out.first_mismatch = all.first_mismatch;
  out.first_value = element_at(actual, all.first_mismatch, type);
  out.first_expected = element_at(expected, all.first_mismatch, type);
  return out;
}

}  // namespace tuner::opencl
