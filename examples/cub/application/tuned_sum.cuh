// cub::DeviceReduce::Sum of int with the policy that was tuned for the size and the device at hand.
#pragma once

#include <cub/device/device_reduce.cuh>

#include "reduce_policy.cuh"
#include "sum_tuned.h"

namespace tuned_sum {

constexpr cub::BlockReduceAlgorithm algorithm_of(sum_tuned::ALGORITHM_choice choice) {
  return choice == sum_tuned::ALGORITHM_choice::BLOCK_REDUCE_WARP_REDUCTIONS
             ? cub::BLOCK_REDUCE_WARP_REDUCTIONS
             : cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY;
}

constexpr cub::CacheLoadModifier load_of(sum_tuned::LOAD_choice choice) {
  return choice == sum_tuned::LOAD_choice::LOAD_LDG ? cub::LOAD_LDG : cub::LOAD_CS;
}

// The policy for a size; -1 is CUB's own, for devices of an architecture that was not tuned and for
// sizes more than 8 times as large or small as one that was.
inline int policy_of(const sum_tuned::device& device, int count) {
  const auto chosen = sum_tuned::select(device, {count});
  return chosen.tier <= 1 && chosen.log2_distance_sq <= 9 ? chosen.config_id : -1;
}

// In two calls as CUB's: with `storage` null it only says how many bytes it needs.
inline cudaError_t sum(int policy, void* storage, std::size_t& bytes, const int* in, int* out,
                       int count, cudaStream_t stream = nullptr) {
  switch (policy) {
#define TUNED_SUM_CASE(ID, THREADS, ITEMS, VECTOR, ALGORITHM, LOAD)                               \
  case ID:                                                                                        \
    return reduce_policy::sum<                                                                    \
        reduce_policy::hub<int, THREADS, ITEMS, VECTOR, algorithm_of(ALGORITHM), load_of(LOAD)>>( \
        storage, bytes, in, out, count, stream);
    SUM_TUNED_FOR_EACH_CONFIG(TUNED_SUM_CASE)
#undef TUNED_SUM_CASE
    default:
      return cub::DeviceReduce::Sum(storage, bytes, in, out, count, stream);
  }
}

}  // namespace tuned_sum
