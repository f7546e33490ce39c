// A sum by CUB whose policy is the study's configuration: tuner run sum.yaml
#include "reduce_policy.cuh"

using tuned = reduce_policy::hub<int, TUNE_THREADS, TUNE_ITEMS, TUNE_VECTOR, cub::TUNE_ALGORITHM,
                                 cub::TUNE_LOAD>;

extern "C" cudaError_t sum(const int* in, int* out, int count, char* storage, int storage_bytes,
                           cudaStream_t stream) {
  std::size_t bytes = storage_bytes;
  return reduce_policy::sum<tuned>(storage, bytes, in, out, count, stream);
}
