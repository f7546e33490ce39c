// Measures the multiprocessors' clock between two points of a stream.

#include "tuner/plugins/cuda/clock_watch.h"

#include <algorithm>
#include <cstring>

namespace tuner::cuda {
namespace {

constexpr std::uint64_t kShortestNs = 100'000;

}  // namespace

double clock_between(std::span<const ClockStamp> first, std::span<const ClockStamp> last) {
  std::vector<double> clocks;
  for (std::size_t i = 0; i < std::min(first.size(), last.size()); ++i) {
    if (first[i].nanoseconds == 0 || last[i].cycles <= first[i].cycles) continue;
    if (last[i].nanoseconds < first[i].nanoseconds + kShortestNs) continue;
    clocks.push_back(1000 * static_cast<double>(last[i].cycles - first[i].cycles) /
                     static_cast<double>(last[i].nanoseconds - first[i].nanoseconds));
  }
  if (clocks.empty()) return 0;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

ThrottleGuard::Advice ThrottleGuard::judge(double megahertz) {
  highest_ = std::max(highest_, megahertz);
  if (megahertz == 0 || megahertz >= kThrottled * highest_ || repeats_ == kMostRepeats) {
    repeats_ = 0;
    return Advice::kKeep;
  }
  ++repeats_;
  return Advice::kRepeat;
}

ClockWatch::ClockWatch(const DriverApi& api, DeviceKernels& kernels, unsigned multiprocessors)
    : api_(api), kernels_(kernels), blocks_(std::min(multiprocessors, kSlots)) {
  void* host = nullptr;
  const std::size_t bytes = 2 * kSlots * sizeof(ClockStamp);
  if (api.mem_host_alloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS) return;
  if (api.mem_host_get_device_pointer(&device_, host, 0) != CUDA_SUCCESS) {
    api.mem_free_host(host);
    return;
  }
  std::memset(host, 0, bytes);
  host_ = static_cast<ClockStamp*>(host);
}

ClockWatch::~ClockWatch() {
  if (host_ != nullptr) api_.mem_free_host(host_);
}

void ClockWatch::queue(std::size_t set) {
  if (!active()) return;
  std::fill_n(host_ + set * kSlots, kSlots, ClockStamp{});
  kernels_.queue_stamp(device_ + set * kSlots * sizeof(ClockStamp), blocks_);
}

void ClockWatch::queue_first() { queue(0); }
void ClockWatch::queue_last() { queue(1); }

std::span<const ClockStamp> ClockWatch::stamps(std::size_t set) const {
  return {host_ + set * kSlots, kSlots};
}

double ClockWatch::megahertz() const { return !active() ? 0 : clock_between(stamps(0), stamps(1)); }

}  // namespace tuner::cuda
