// Sums a million ones, or as many as the first word says, with the tuned policy and with CUB's own:
// both answers, and the median time of each with nothing in the cache.
#include <thrust/device_vector.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tuned_sum.cuh"

namespace {

template <typename Sum>
int answer_of(const char* name, const Sum& sum, const thrust::device_vector<int>& in) {
  thrust::device_vector<int> out(1);
  thrust::device_vector<char> flushed(256 << 20);
  std::size_t bytes = 0;
  sum(nullptr, bytes, in, out);
  thrust::device_vector<char> storage(bytes);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times(101);
  for (float& time : times) {
    // While this lasts, what follows is queued: the host's part is not timed.
    cudaMemsetAsync(flushed.data().get(), 0, flushed.size());
    cudaEventRecord(begin);
    const cudaError_t status = sum(storage.data().get(), bytes, in, out);
    cudaEventRecord(end);
    if (status != cudaSuccess || cudaEventSynchronize(end) != cudaSuccess) std::exit(1);
    cudaEventElapsedTime(&time, begin, end);
  }
  std::nth_element(times.begin(), times.begin() + 50, times.end());
  std::printf("%s: %d in %.4f ms\n", name, static_cast<int>(out[0]), times[50]);
  return out[0];
}

}  // namespace

int main(int words, char** word) {
  const thrust::device_vector<int> in(words > 1 ? std::atoi(word[1]) : 1'000'000, 1);
  const int count = static_cast<int>(in.size());
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 1;
  const int policy = tuned_sum::policy_of(sum_tuned::device_from(properties), count);
  const auto own = [&](void* storage, std::size_t& bytes, auto& from, auto& to) {
    return cub::DeviceReduce::Sum(storage, bytes, from.data().get(), to.data().get(), count);
  };
  const auto tuned = [&](void* storage, std::size_t& bytes, auto& from, auto& to) {
    return tuned_sum::sum(policy, storage, bytes, from.data().get(), to.data().get(), count);
  };
  const int right = answer_of("CUB's policy", own, in);
  const int found = answer_of(policy < 0 ? "the same" : "the tuned one", tuned, in);
  return found == right && found == count ? 0 : 1;
}
