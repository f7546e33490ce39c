// A product of matrices of bfloat16 by CUTLASS for Hopper. What its collectives are built of is the
// study's configuration; product.yaml says where CUTLASS comes from.
#include <cuda_bf16.h>

#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"

namespace {

using element = cutlass::bfloat16_t;
using row = cutlass::layout::RowMajor;
using column = cutlass::layout::ColumnMajor;
using sm90 = cutlass::arch::Sm90;
using tensor_cores = cutlass::arch::OpClassTensorOp;
using tile = cute::Shape<cute::Int<TUNE_TILE_M>, cute::Int<TUNE_TILE_N>, cute::_64>;
using cluster = cute::Shape<cute::Int<TUNE_CLUSTER_M>, cute::Int<TUNE_CLUSTER_N>, cute::_1>;
constexpr int kVector = 16 / sizeof(element);  // TMA moves 16 bytes at least
constexpr bool kPingpong = TUNE_SCHEDULE_IS_pingpong;

using schedule = cute::conditional_t<kPingpong, cutlass::gemm::KernelTmaWarpSpecializedPingpong,
                                     cutlass::gemm::KernelTmaWarpSpecializedCooperative>;
using store =
    cute::conditional_t<TUNE_EPILOGUE_IS_direct, cutlass::epilogue::NoSmemWarpSpecialized,
                        cute::conditional_t<kPingpong, cutlass::epilogue::TmaWarpSpecialized,
                                            cutlass::epilogue::TmaWarpSpecializedCooperative>>;

using epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
    sm90, tensor_cores, tile, cluster, cutlass::epilogue::collective::EpilogueTileAuto, float,
    float, void, row, kVector, element, row, kVector, store>::CollectiveOp;

using stages = cute::conditional_t<
    TUNE_STAGES == 0,  // as many as there is room for
    cutlass::gemm::collective::StageCountAutoCarveout<sizeof(typename epilogue::SharedStorage)>,
    cutlass::gemm::collective::StageCount<TUNE_STAGES>>;

using mainloop =
    typename cutlass::gemm::collective::CollectiveBuilder<sm90, tensor_cores, element, row, kVector,
                                                          element, column, kVector, float, tile,
                                                          cluster, stages, schedule>::CollectiveOp;

using kernel =
    cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, mainloop, epilogue>;
using product_on_device = cutlass::gemm::device::GemmUniversalAdapter<kernel>;

cudaError_t error_of(cutlass::Status status) {
  if (status == cutlass::Status::kSuccess) return cudaSuccess;
  const cudaError_t last = cudaGetLastError();
  return last != cudaSuccess ? last : cudaErrorNotSupported;
}

}  // namespace

// d (m x n) = a (m x k) times b (n x k) transposed: PyTorch's linear layer.
extern "C" cudaError_t product(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* d,
                               int m, int n, int k, char* workspace, int workspace_bytes,
                               cudaStream_t stream) {
  const auto rows_of = [](int length) {
    return cute::make_stride(std::int64_t{length}, cute::_1{}, std::int64_t{0});
  };
  typename product_on_device::Arguments arguments{
      cutlass::gemm::GemmUniversalMode::kGemm,
      {m, n, k, 1},
      {reinterpret_cast<const element*>(a), rows_of(k), reinterpret_cast<const element*>(b),
       rows_of(k)},
      {{}, nullptr, {}, reinterpret_cast<element*>(d), rows_of(n)}};
  if (product_on_device::get_workspace_size(arguments) > std::size_t(workspace_bytes)) {
    return cudaErrorInvalidValue;
  }
  product_on_device run;
  const auto fits = product_on_device::can_implement(arguments);
  if (fits != cutlass::Status::kSuccess) return error_of(fits);
  const auto ready = run.initialize(arguments, workspace, stream);
  return error_of(ready == cutlass::Status::kSuccess ? run.run(stream) : ready);
}
