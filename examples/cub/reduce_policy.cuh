// The policy of cub::DeviceReduce with all that it says as template arguments, for sums.
// CUB takes a policy where its algorithms are dispatched (CCCL 3.0, as CUDA 13.0 has it); the
// members of `policy` are those of cub::detail::reduce::policy_hub.
#pragma once

#include <cstdint>
#include <cub/device/dispatch/dispatch_reduce.cuh>
#include <cuda/std/functional>

namespace reduce_policy {

template <typename T, int Threads, int Items, int Vector, cub::BlockReduceAlgorithm Algorithm,
          cub::CacheLoadModifier Load>
struct hub {
  struct policy : cub::ChainedPolicy<500, policy, policy> {
    using ReducePolicy = cub::AgentReducePolicy<Threads, Items, T, Vector, Algorithm, Load>;
    using SingleTilePolicy = ReducePolicy;
    using SegmentedReducePolicy = ReducePolicy;
  };
  using MaxPolicy = policy;
};

// As cub::DeviceReduce::Sum: with `storage` null it only says how many bytes it needs.
template <typename Hub, typename T>
cudaError_t sum(void* storage, std::size_t& bytes, const T* in, T* out, int count,
                cudaStream_t stream) {
  using dispatch = cub::DispatchReduce<const T*, T*, std::uint32_t, cuda::std::plus<>, T, T,
                                       cuda::std::__identity, Hub>;
  return dispatch::Dispatch(storage, bytes, in, out, static_cast<std::uint32_t>(count), {}, T{},
                            stream);
}

}  // namespace reduce_policy
