#pragma once
// The tensor-core products, each for the layout of its study: B is K x N for bfloat16 and N x K for
// tf32. Of those whose exported header there is.

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "common.h"

struct Product {
  long long M, N, K;
};

// What a configuration and a size come to.
struct TensorVariant {
  bool wgmma, in_turns;
  Shape shape;
};

#if __has_include("matmul_bf16_tuned.h")
#include "matmul_bf16_tuned.h"

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
    return tuned::select(tuned::device_from(this_device()), {p.M, p.N, p.K}).cfg;
  }
  static TensorVariant variant_of(const matmul_bf16_tuned::config& c, const Product& p) {
    namespace tuned = matmul_bf16_tuned;
    const tuned::device device = tuned::device_from(this_device());
    const tuned::dims size{p.M, p.N, p.K};
    return {c.FORM == tuned::FORM_choice::wgmma, c.SHARE == tuned::SHARE_choice::tiles,
            shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                     tuned::dynamic_shared_bytes_of(c, size, device))};
  }
};
#endif

#if __has_include("matmul_tf32_tuned.h")
#include "matmul_tf32_tuned.h"

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
    return tuned::select(tuned::device_from(this_device()), {p.M, p.N, p.K}).cfg;
  }
  static TensorVariant variant_of(const matmul_tf32_tuned::config& c, const Product& p) {
    namespace tuned = matmul_tf32_tuned;
    const tuned::device device = tuned::device_from(this_device());
    const tuned::dims size{p.M, p.N, p.K};
    return {c.FORM == tuned::FORM_choice::wgmma, c.SHARE == tuned::SHARE_choice::tiles,
            shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                     tuned::dynamic_shared_bytes_of(c, size, device))};
  }
};
#endif

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

template <class Type, class Config>
RtcKernel tensor_kernel(const std::string& sources, const Config& c, const TensorVariant& variant) {
  Definitions definitions;
  definitions.choice("TYPE", Type::kTurnedB ? "tf32" : "bf16", true);
  definitions.choice("FORM", "mma", !variant.wgmma).choice("FORM", "wgmma", variant.wgmma);
  definitions.choice("SHARE", "rows", !variant.in_turns);
  definitions.choice("SHARE", "tiles", variant.in_turns);
  definitions.number("BM", c.BM).number("BN", c.BN).number("STAGES", c.STAGES);
  definitions.number("BLOCKS_PER_SM", c.BLOCKS_PER_SM).number("GROUP", c.GROUP);
  definitions.number("WM", c.WM).number("WN", c.WN).number("CONSUMERS", c.CONSUMERS);
  definitions.number("CLUSTER", c.CLUSTER).number("CLUSTER_N", c.CLUSTER_N);
  definitions.number("SPLIT_K", c.SPLIT_K).number("STREAM", c.STREAM);
  definitions.number("PERSISTENT", c.PERSISTENT);
  return RtcKernel(sources, "matmul_tensor", definitions, variant.shape, variant.wgmma ? "a" : "");
}

// The matrices of a product: of the tuned kernel, of cuBLAS.
template <class Type>
class TensorProduct {
 public:
  using Element = typename Type::Element;

  explicit TensorProduct(const Product& product)
      : A(product.M * product.K),
        B(product.K * product.N),
        mine(product.M * product.N),
        theirs(product.M * product.N),
        p_(product) {
    fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
    fill<<<1024, 256>>>(B.data(), B.size(), 2, false);
    check(cublasCreate(&blas_) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  }
  ~TensorProduct() { cublasDestroy(blas_); }
  TensorProduct(const TensorProduct&) = delete;
  TensorProduct& operator=(const TensorProduct&) = delete;

  // cuBLAS, which writes `theirs`.
  void library() {
    const float one = 1, zero = 0;
    const int m = int(p_.M), n = int(p_.N), k = int(p_.K);
    // Row-major C = A B is column-major C' = B' A'.
    check(cublasGemmEx(blas_, Type::kTurnedB ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                       &one, B.data(), Type::kType, Type::kTurnedB ? k : n, A.data(), Type::kType,
                       k, &zero, theirs.data(), Type::kType, n, Type::kCompute,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS,
          "cublasGemmEx");
  }

  // A launch of the kernel, which writes `mine`.
  template <class Config>
  std::function<void()> launch(const RtcKernel& kernel, const Config& c) {
    Element *a = A.data(), *b = B.data(), *out = mine.data();
    CUtensorMap a_map = map_of<Type>(A, p_.M, p_.K, c.BM / c.CLUSTER_N);
    CUtensorMap b_map = Type::kTurnedB ? map_of<Type>(B, p_.N, p_.K, c.BN / c.CLUSTER)
                                       : map_of<Type>(B, p_.K, p_.N, 64 / c.CLUSTER);
    const bool turned = c.BM != 64 && c.BM % 128 != 0;  // as in the study
    CUtensorMap c_map = map_of<Type>(mine, p_.M, p_.N, turned ? 8 : 64);
    int m = int(p_.M), n = int(p_.N), k = int(p_.K);
    return [=]() mutable { kernel.launch({&a, &b, &out, &a_map, &b_map, &c_map, &m, &n, &k}); };
  }

  Buffer<Element> A, B, mine, theirs;

 private:
  Product p_;
  cublasHandle_t blas_ = nullptr;
};

template <class Type>
void run_tensor(Race& race, Table& table, const std::string& sources, const Product& p) {
  const auto c = Type::select(p);
  TensorProduct<Type> product(p);
  const auto ours = product.launch(tensor_kernel<Type>(sources, c, Type::variant_of(c, p)), c);
  const std::vector<double> times = race.run({ours, [&] { product.library(); }});
  expect_equal(product.mine, product.theirs, Type::tolerance(double(p.K)), Type::kName);
  table.line(Type::kName,
             std::to_string(p.M) + " " + std::to_string(p.N) + " " + std::to_string(p.K),
             2.0 * p.M * p.N * p.K, "GFLOP/s", times[0], {{"cuBLAS", times[1]}});
}
