// Records events, and reads them when they have come.

#include "tuner/plugins/cuda/apply/timer.h"

#include <exception>
#include <thread>

namespace tuner::apply {
namespace {

constexpr std::size_t kMostPending = 256;
constexpr std::chrono::seconds kLastWait{2};

}  // namespace

bool Timer::take(CUcontext context, EventPair& pair) {
  const RelaxedCapture relaxed;
  const std::lock_guard lock(mutex_);
  while (!pending_.empty() && collect_first()) {
  }
  if (pending_.size() >= kMostPending) return false;
  std::vector<EventPair>& free = free_[context];
  if (!free.empty()) {
    pair = free.back();
    free.pop_back();
    return true;
  }
  const auto create = TUNER_DRIVER(cuEventCreate);
  pair.context = context;
  return create(&pair.begin, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
         create(&pair.end, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
}

// Two events, recorded before a measured launch and behind it, tell its time with what the device
// waits for the launch.
bool Timer::begin(CUcontext context, CUstream stream, EventPair& pair) noexcept {
  try {
    if (!take(context, pair)) return false;
    return TUNER_DRIVER(cuEventRecord)(pair.begin, stream) == CUDA_SUCCESS;
  } catch (const std::exception&) {
    return false;
  }
}

void Timer::end(CUstream stream, const EventPair& pair, unsigned weight, Times& times) noexcept {
  try {
    if (TUNER_DRIVER(cuEventRecord)(pair.end, stream) != CUDA_SUCCESS) return;
    const std::lock_guard lock(mutex_);
    pending_.push_back({pair, weight, &times});
  } catch (const std::exception&) {
    // It is not timed.
  }
}

// False where the launch has not ended.
bool Timer::collect_first() {
  const Pending& first = pending_.front();
  const CUresult state = TUNER_DRIVER(cuEventQuery)(first.pair.end);
  if (state == CUDA_ERROR_NOT_READY) return false;
  float ms = 0;
  // Not its newest version, which drivers before CUDA 13 lack.
  using Call = CUresult (*)(float*, CUevent, CUevent);
  const auto elapsed = TUNER_NAMED(Call, "cuEventElapsedTime");
  if (state == CUDA_SUCCESS && elapsed(&ms, first.pair.begin, first.pair.end) == CUDA_SUCCESS) {
    ++first.times->timed;
    first.times->weight += first.weight;
    first.times->ms += double{ms} * first.weight;
  }
  free_[first.pair.context].push_back(first.pair);
  pending_.pop_front();
  return true;
}

void Timer::collect(bool to_the_end) noexcept {
  try {
    const auto end = std::chrono::steady_clock::now() + kLastWait;
    const RelaxedCapture relaxed;
    const std::lock_guard lock(mutex_);
    while (!pending_.empty()) {
      if (collect_first()) continue;
      if (!to_the_end || std::chrono::steady_clock::now() > end) return;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  } catch (const std::exception&) {
    // The driver is gone: these are not timed.
  }
}

void Timer::forget_contexts() noexcept {
  const std::lock_guard lock(mutex_);
  pending_.clear();
  free_.clear();
}

}  // namespace tuner::apply
