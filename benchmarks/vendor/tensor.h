#pragma once
// The tensor-core products beside cuBLAS, each for the layout of its study: B is K x N for bfloat16
// and N x K for tf32.

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include "common.h"
#include "matmul_bf16_tuned.h"
#include "matmul_tf32_tuned.h"

struct Product {
  long long M, N, K;
};

struct Bf16 {
  using Element = __nv_bfloat16;
  static constexpr const char* kName = "matmul bf16";
  static constexpr bool kTurnedB = false;
  static constexpr cudaDataType kType = CUDA_R_16BF;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F;
  static constexpr CUtensorMapDataType kMapType = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  // The study's, for results of up to six standard deviations.
  static double tolerance(double K) { return 2e-8 * std::pow(K, 1.5) + 0x1p-7 * 2 * std::sqrt(K); }
  static auto select(const Product& p) {
    namespace tuned = matmul_bf16_tuned;
    const tuned::device device = tuned::device_from(this_device());
    const tuned::dims size{p.M, p.N, p.K};
    const tuned::config c = tuned::select(device, size).cfg;
    return std::make_tuple(
        c, c.FORM == tuned::FORM_choice::wgmma, c.SHARE == tuned::SHARE_choice::tiles,
        shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                 tuned::dynamic_shared_bytes_of(c, size, device)));
  }
};

struct Tf32 {
  using Element = float;
  static constexpr const char* kName = "matmul tf32";
  static constexpr bool kTurnedB = true;
  static constexpr cudaDataType kType = CUDA_R_32F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F_FAST_TF32;
  static constexpr CUtensorMapDataType kMapType = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  // Operands are cut off here, and may be rounded there: each product differs by up to 2^-10 of it.
  static double tolerance(double K) { return 2e-3 * std::sqrt(K); }
  static auto select(const Product& p) {
    namespace tuned = matmul_tf32_tuned;
    const tuned::device device = tuned::device_from(this_device());
    const tuned::dims size{p.M, p.N, p.K};
    const tuned::config c = tuned::select(device, size).cfg;
    return std::make_tuple(
        c, c.FORM == tuned::FORM_choice::wgmma, c.SHARE == tuned::SHARE_choice::tiles,
        shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                 tuned::dynamic_shared_bytes_of(c, size, device)));
  }
};

// Boxes of `box_rows` rows and 128 bytes, swizzled: the study's tensor_map arguments.
template <class Type>
CUtensorMap map_of(Buffer<typename Type::Element>& matrix, long long rows, long long columns,
                   unsigned box_rows) {
  constexpr unsigned kSize = sizeof(typename Type::Element);
  CUtensorMap map;
  const cuuint64_t extents[] = {cuuint64_t(columns), cuuint64_t(rows)};
  const cuuint64_t strides[] = {cuuint64_t(columns) * kSize};
  const cuuint32_t box[] = {128 / kSize, box_rows};
  const cuuint32_t every_one[] = {1, 1};
  check(cuTensorMapEncodeTiled(&map, Type::kMapType, 2, matrix.data(), extents, strides, box,
                               every_one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
        "tensor map");
  return map;
}

template <class Config>
Definitions tensor_definitions(const Config& c, bool turned, bool wgmma, bool in_turns) {
  Definitions definitions;
  definitions.choice("TYPE", turned ? "tf32" : "bf16", true);
  definitions.choice("FORM", "mma", !wgmma).choice("FORM", "wgmma", wgmma);
  definitions.choice("SHARE", "rows", !in_turns).choice("SHARE", "tiles", in_turns);
  definitions.number("BM", c.BM).number("BN", c.BN).number("STAGES", c.STAGES);
  definitions.number("BLOCKS_PER_SM", c.BLOCKS_PER_SM).number("GROUP", c.GROUP);
  definitions.number("WM", c.WM).number("WN", c.WN).number("CONSUMERS", c.CONSUMERS);
  definitions.number("CLUSTER", c.CLUSTER).number("PERSISTENT", c.PERSISTENT);
  return definitions;
}

template <class Type>
void run_tensor(Race& race, Table& table, const std::string& sources, const Product& p) {
  using Element = typename Type::Element;
  const auto [c, wgmma, in_turns, shape] = Type::select(p);
  const RtcKernel kernel(sources, "matmul_tensor",
                         tensor_definitions(c, Type::kTurnedB, wgmma, in_turns), shape,
                         wgmma ? "a" : "");

  Buffer<Element> A(p.M * p.K), B(p.K * p.N), mine(p.M * p.N), theirs(p.M * p.N);
  fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
  fill<<<1024, 256>>>(B.data(), B.size(), 2, false);
  CUtensorMap a_map = map_of<Type>(A, p.M, p.K, c.BM);
  CUtensorMap b_map =
      Type::kTurnedB ? map_of<Type>(B, p.N, p.K, c.BN / c.CLUSTER) : map_of<Type>(B, p.K, p.N, 64);
  CUtensorMap c_map = map_of<Type>(mine, p.M, p.N, 64);

  cublasHandle_t blas;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  const float one = 1, zero = 0;
  const int m = int(p.M), n = int(p.N), k = int(p.K);
  const auto library = [&] {
    // Row-major C = A B is column-major C' = B' A'.
    check(cublasGemmEx(blas, Type::kTurnedB ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                       B.data(), Type::kType, Type::kTurnedB ? k : n, A.data(), Type::kType, k,
                       &zero, theirs.data(), Type::kType, n, Type::kCompute,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS,
          "cublasGemmEx");
  };
  Element *a = A.data(), *b = B.data(), *out = mine.data();
  int extents[] = {m, n, k};
  const auto ours = [&] {
    kernel.launch({&a, &b, &out, &a_map, &b_map, &c_map, &extents[0], &extents[1], &extents[2]});
  };

  const std::vector<double> times = race.run({ours, library});
  expect_equal(mine, theirs, Type::tolerance(double(p.K)), Type::kName);
  cublasDestroy(blas);
  table.line(Type::kName,
             std::to_string(p.M) + " " + std::to_string(p.N) + " " + std::to_string(p.K),
             2.0 * p.M * p.N * p.K, "GFLOP/s", times[0], {{"cuBLAS", times[1]}});
}
