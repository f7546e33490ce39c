// Times launches between events, behind a gate that holds the stream back; captures a stream in a
// graph.

#include "tuner/plugins/cuda/timing.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {
namespace {

constexpr std::size_t kMaxBatch = 64;
constexpr std::size_t kMaxOperations = 256;
constexpr std::chrono::milliseconds kCoolDown{200};
// A host takes a millisecond or two to queue a batch. What a launcher calls may wait for the device
// and then does so each time; else the host is held up by something that will be over.
constexpr std::chrono::milliseconds kPatience{250};
constexpr std::chrono::milliseconds kPatienceWithFunctions{20};

std::size_t operations(const tuner_timing& timing, std::size_t work) {
  return timing.restore_count + timing.fill_count + work * timing.launches_per_sample +
         (timing.flush_cache != 0 ? 3U : 2U);
}

std::vector<std::uint64_t> restored_by(const tuner_timing& timing) {
  std::vector<std::uint64_t> all;
  for (const tuner_restore& one : sdk::restores_of(timing)) {
    all.insert(all.end(), {one.to, one.from, one.bytes});
  }
  for (const tuner_byte_fill& one : sdk::fills_of(timing)) {
    all.insert(all.end(), {one.at.buffer, one.at.offset, one.bytes});
  }
  return all;
}

}  // namespace

std::size_t batch_size(const tuner_timing& timing, std::size_t work) {
  return std::clamp<std::size_t>(kMaxOperations / operations(timing, work), 1, kMaxBatch);
}

Timer::Timer(const DriverApi& api, CUstream stream, const tuner_device_facts& facts,
             DeviceKernels& kernels)
    : api_(api),
      stream_(stream),
      flush_bytes_(2 * static_cast<std::size_t>(std::max<std::int64_t>(facts.l2_bytes, 1 << 20))),
      gate_(api),
      clock_(api, kernels, static_cast<unsigned>(std::max<std::int64_t>(facts.multiprocessors, 1))),
      unmarks_(api.ctx_reset_persisting_l2 != nullptr) {}

void Timer::queue_restores(const tuner_timing& timing) const {
  for (const tuner_restore& one : sdk::restores_of(timing)) {
    check(api_, api_.memcpy_dtod_async(one.to, one.from, one.bytes, stream_), "cuMemcpyDtoDAsync");
  }
  for (const tuner_byte_fill& one : sdk::fills_of(timing)) {
    check(api_,
          api_.memset_d8_async(one.at.buffer + one.at.offset, static_cast<unsigned char>(one.value),
                               one.bytes, stream_),
          "cuMemsetD8Async");
  }
}

void Timer::queue_flush() {
  check(api_, api_.memset_d8_async(flush_buffer_.get(), 0, flush_bytes_, stream_),
        "cuMemsetD8Async");
}

void Timer::flush() {
  if (flush_buffer_.get() == 0) flush_buffer_ = DeviceMemory(api_, flush_bytes_);
  queue_flush();
}

// Lines that a kernel has marked to persist would outlast the flush. The host unmarks them, not the
// stream, so that it is done once for all samples that are queued together: a final's are queued
// one by one. Where a device has no such lines, or does not let go of them, times are taken anyway.
void Timer::unmark() { unmarks_ = api_.ctx_reset_persisting_l2() == CUDA_SUCCESS; }

void Timer::wait() const { check(api_, api_.stream_synchronize(stream_), "kernel", Phase::kWait); }

void Timer::stamp_once() {
  if (stamped_ || !clock_.active()) return;
  clock_.queue_first();
  wait();
  stamped_ = true;
}

// Twice, since once may be chance.
bool Timer::holds_back() {
  if (!clock_.active() || std::exchange(tried_, true)) return holds_back_;
  stamp_once();
  holds_back_ = false;
  for (int attempt = 0; attempt < 2 && !holds_back_; ++attempt) {
    gate_.close(stream_, kPatience);
    try {
      clock_.queue_first();
    } catch (...) {
      gate_.open();
      throw;
    }
    holds_back_ = gate_.open();
    wait();
  }
  return holds_back_;
}

// Does once what must not happen for the first time while the gate is closed: copies and memsets
// load kernels of the driver.
void Timer::prepare(const tuner_timing& timing, const Work& work, std::size_t samples) {
  while (starts_.size() < samples) {
    starts_.push_back(make_event(api_));
    stops_.push_back(make_event(api_));
  }
  stamp_once();
  const bool first_flush = timing.flush_cache != 0 && flush_buffer_.get() == 0;
  if (first_flush) {
    flush_buffer_ = DeviceMemory(api_, flush_bytes_);
    queue_flush();
  }
  const bool first_restore = restored_by(timing) != restored_;
  if (first_restore) queue_restores(timing);
  if (work.before) work.before();
  if (first_flush || first_restore || work.before) wait();
  restored_ = restored_by(timing);
}

void Timer::queue_sample(const tuner_timing& timing, const Work& work, std::size_t sample,
                         std::size_t slot) {
  queue_restores(timing);
  if (work.before) work.before();
  if (timing.flush_cache != 0) queue_flush();
  check(api_, api_.event_record(starts_[slot].get(), stream_), "cuEventRecord");
  for (std::uint32_t i = 0; i < timing.launches_per_sample; ++i) {
    work.queue(sample * timing.launches_per_sample + i);
  }
  check(api_, api_.event_record(stops_[slot].get(), stream_), "cuEventRecord");
}

bool Timer::queue_behind_gate(const tuner_timing& timing, const Work& work, const Batch& batch) {
  const auto patience = work.may_wait ? kPatienceWithFunctions : kPatience;
  bool held = true;
  if (batch.gated) gate_.close(stream_, patience);
  try {
    clock_.queue_first();
    for (std::size_t slot = 0; slot < batch.count; ++slot) {
      queue_sample(timing, work, batch.first + slot, slot);
      if (!work.one_by_one || slot + 1 == batch.count) continue;
      held = gate_.open() && held;
      wait();
      if (batch.gated) gate_.close(stream_, patience);
    }
    clock_.queue_last();
  } catch (...) {
    gate_.open();
    throw;
  }
  return (gate_.open() && held) || !batch.gated;
}

// Queues, and waits for, some samples between two stamps of the clock.
bool Timer::queue_batch(const tuner_timing& timing, const Work& work, const Batch& batch) {
  if (timing.flush_cache != 0 && unmarks_) unmark();
  const bool good = queue_behind_gate(timing, work, batch);
  wait();
  return good;
}

// Queues samples like queue_batch(), kernels up to twice: the host may have been held up. If the
// gate does not hold the second time, either, launches wait in this process, and nothing is held
// back any more.
bool Timer::queue_held(const tuner_timing& timing, const Work& work, const Batch& batch) {
  if (queue_batch(timing, work, batch)) return true;
  if (work.may_wait) return false;
  holds_back_ = queue_batch(timing, work, batch);
  return holds_back_;
}

bool Timer::time(const tuner_timing& timing, const Work& work, std::span<double> milliseconds) {
  const std::size_t most = batch_size(timing, work.operations);
  prepare(timing, work, std::min(most, milliseconds.size()));
  // Not with more launches than the queue may hold. There the host is far ahead of the device
  // anyway.
  bool gated =
      work.launched && holds_back_ && operations(timing, work.operations) <= kMaxOperations;
  bool waited = false;
  double sum = 0;
  int known = 0;
  for (std::size_t done = 0; done < milliseconds.size(); done += most) {
    Batch batch{done, std::min(most, milliseconds.size() - done), gated};
    if (!queue_held(timing, work, batch)) {
      gated = batch.gated = false;
      waited = true;
      queue_batch(timing, work, batch);
    }
    while (throttle_.judge(clock_.megahertz()) == ThrottleGuard::Advice::kRepeat) {
      std::this_thread::sleep_for(kCoolDown);
      queue_batch(timing, work, batch);
    }
    if (const double clock = clock_.megahertz(); clock > 0) {
      sum += clock;
      ++known;
    }
    for (std::size_t slot = 0; slot < batch.count; ++slot) {
      float elapsed = 0;
      check(api_, api_.event_elapsed_time(&elapsed, starts_[slot].get(), stops_[slot].get()),
            "cuEventElapsedTime");
      milliseconds[done + slot] =
          static_cast<double>(elapsed) / std::max(1U, timing.launches_per_sample);
    }
  }
  megahertz_ = known > 0 ? sum / known : 0;
  return !waited;
}

GraphExec captured(const DriverApi& api, CUstream stream, CUstreamCaptureMode mode,
                   const std::function<void()>& queue) {
  if (!api.has_graphs()) throw sdk::Error(TUNER_UNSUPPORTED, "this driver is too old for graphs");
  check(api, api.stream_begin_capture(stream, mode), "cuStreamBeginCapture");
  CUgraph raw = nullptr;
  try {
    queue();
  } catch (...) {
    api.stream_end_capture(stream, &raw);  // else the stream could not be used any more
    const Graph ended(raw, {&api});
    throw;
  }
  check(api, api.stream_end_capture(stream, &raw), "cuStreamEndCapture", Phase::kLaunch);
  const Graph graph(raw, {&api});
  CUgraphExec exec = nullptr;
  check(api, api.graph_instantiate(&exec, graph.get(), 0), "cuGraphInstantiate", Phase::kLaunch);
  GraphExec out(exec, {&api});
  check(api, api.graph_upload(out.get(), stream), "cuGraphUpload", Phase::kLaunch);
  return out;
}

}  // namespace tuner::cuda
