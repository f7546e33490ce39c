// Puts commands into a queue.

#include "tuner/plugins/opencl/queue.h"

#include <utility>

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

}  // namespace tuner::opencl
