// Holds a stream back while work is queued, for a limited time.

#include "tuner/plugins/cuda/gate.h"

namespace tuner::cuda {

Gate::Gate(const DriverApi& api) : api_(api) {
  if (api.stream_wait_value_32 == nullptr) return;
  void* host = nullptr;
  if (api.mem_host_alloc(&host, sizeof(std::uint32_t), CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS) {
    return;
  }
  if (api.mem_host_get_device_pointer(&device_flag_, host, 0) != CUDA_SUCCESS) {
    api.mem_free_host(host);
    return;
  }
  flag_ = static_cast<volatile std::uint32_t*>(host);
  *flag_ = 0;
}

Gate::~Gate() {
  if (flag_ == nullptr) return;
  open();  // a stream that still waits would never end
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  api_.mem_free_host(const_cast<std::uint32_t*>(flag_));
}

void Gate::close(CUstream stream, std::chrono::milliseconds patience) {
  if (flag_ == nullptr) return;
  std::uint32_t round = 0;
  {
    const std::scoped_lock lock(mutex_);
    round = ++round_;
    closed_ = true;
    forced_ = false;
    opens_at_ = std::chrono::steady_clock::now() + patience;
    if (!thread_.joinable()) thread_ = std::jthread([this](const auto& stop) { watch(stop); });
  }
  wake_.notify_one();
  // Not under the lock: under some tools this very call waits.
  const CUresult result =
      api_.stream_wait_value_32(stream, device_flag_, round, CU_STREAM_WAIT_VALUE_GEQ);
  // Go on without a gate: times of very short kernels get a little less exact.
  if (result != CUDA_SUCCESS) open();
}

bool Gate::open() {
  if (flag_ == nullptr) return true;
  const std::scoped_lock lock(mutex_);
  *flag_ = round_;
  closed_ = false;
  return !forced_;
}

void Gate::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait(lock, stop, [this] { return closed_; });
    const std::uint32_t round = round_;
    wake_.wait_until(lock, stop, opens_at_, [this, round] { return !closed_ || round_ != round; });
    if (!closed_ || round_ != round || stop.stop_requested()) continue;
    *flag_ = round_;
    closed_ = false;
    forced_ = true;
  }
}

}  // namespace tuner::cuda
