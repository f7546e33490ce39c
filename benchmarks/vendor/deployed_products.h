#pragma once
// The products beside cuBLAS: those whose header and launcher were exported.

#include <cublas_v2.h>

#include <memory>
#include <string>
#include <vector>

#include "deployed.h"
#include "tensor.h"
#include "tuned_kernels.h"

#if __has_include("matmul_launcher.hpp") && __has_include("matmul_tuned.h")
#include "matmul_launcher.hpp"

inline void compare_matmul(Bench& bench, const Size& size) {
  namespace tuned = matmul_tuned;
  const long long M = size.extents[0], N = size.extents[1], K = size.extents[2];
  const tuned::device device = tuned::device_from(bench.device());
  const tuned::dims dims{M, N, K};
  Buffer<float> A(M * K), B(K * N), mine(M * N), called(M * N), theirs(M * N);
  fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
  fill<<<1024, 256>>>(B.data(), B.size(), 2, false);
  cublasHandle_t blas;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  check(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  const float one = 1, zero = 0;
  const int m = int(M), n = int(N), k = int(K);
  const auto plain = [&](int id) -> Call {
    const tuned::config& c = tuned::configs[id];
    const RtcKernel kernel =
        bench
            .kernel("matmul", id,
                    [&] { return matmul_kernel(bench.settings().sources, c, dims, device); })
            .another("matmul",
                     shape_of(tuned::grid_of(c, dims, device), tuned::block_of(c, dims, device),
                              tuned::dynamic_shared_bytes_of(c, dims, device)));
    const long long tiles = ((M + c.BM - 1) / c.BM) * ((N + c.BN - 1) / c.BN);
    const bool parts = c.SPLIT_K > 1 || c.DIVIDE == tuned::DIVIDE_choice::steps;
    const auto workspace = std::make_shared<Buffer<float>>(parts ? tiles * c.BM * c.BN : 1);
    const auto arrivals = std::make_shared<Buffer<unsigned>>(parts ? tiles : 1);
    return [=, a = A.data(), b = B.data(), out = mine.data(), M = m, N = n, K = k,
            group = int(c.GROUP)]() mutable {
      float* w = workspace->data();
      unsigned* arrived = arrivals->data();
      kernel.launch({&a, &b, &out, &M, &N, &K, &group, &w, &arrived});
    };
  };
  const auto launcher = [&] {
    return matmul_launcher::matmul(A.data(), B.data(), called.data(), m, n, k);
  };
  const auto first = launcher();
  const auto library = [&] {
    // Row-major C = A B is column-major C' = B' A'.
    check(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, B.data(), n, A.data(), k,
                      &zero, theirs.data(), n) == CUBLAS_STATUS_SUCCESS,
          "cublasSgemm");
  };
  const double tolerance = 2e-7 * double(K);
  bench.hold({"matmul",
              "cuBLAS",
              size,
              {first.status, int(first.chosen.how), first.chosen.config_id},
              {tuned::config_count,
               [&](int id) { return tuned::valid(tuned::configs[id], dims, device); }, plain},
              [&] { check(launcher().status, "launcher"); },
              library,
              [&] {
                return difference_of(mine, theirs) <= tolerance &&
                       difference_of(called, theirs) <= tolerance;
              }});
  cublasDestroy(blas);
}

inline Family matmul_family() {
  Family family{
      "matmul",
      {{{64, 8192}, {64, 8192}, {64, 8192}},
       {{"multiples of 32", {32, 32, 32}}, {"multiples of 4", {4, 4, 4}}, {"any", {1, 1, 1}}}},
      {},
      compare_matmul};
  for (const auto& one : matmul_tuned::entries) {
    family.tuned.push_back({{one.size.M, one.size.N, one.size.K}, "tuned"});
  }
  return family;
}
#endif

#if __has_include("matmul_bf16_launcher.hpp") && __has_include("matmul_bf16_tuned.h")
#include "matmul_bf16_launcher.hpp"

inline void compare_matmul_bf16(Bench& bench, const Size& size) {
  namespace tuned = matmul_bf16_tuned;
  const Product p{size.extents[0], size.extents[1], size.extents[2]};
  const tuned::device device = tuned::device_from(bench.device());
  const tuned::dims dims{p.M, p.N, p.K};
  TensorProduct<Bf16> product(p);
  Buffer<Bf16::Element> called(p.M * p.N);
  const auto plain = [&](int id) -> Call {
    const tuned::config& c = tuned::configs[id];
    const TensorVariant variant = Bf16::variant_of(c, p);
    const RtcKernel& kernel = bench.kernel("matmul_bf16", id, [&] {
      return tensor_kernel<Bf16>(bench.settings().sources, c, variant);
    });
    return product.launch(kernel.another("matmul_tensor", variant.shape), c);
  };
  const auto launcher = [&] {
    return matmul_bf16_launcher::matmul_bf16(product.A.data(), product.B.data(), called.data(),
                                             int(p.M), int(p.N), int(p.K));
  };
  const auto first = launcher();
  const double tolerance = Bf16::tolerance(double(p.K));
  bench.hold({"matmul_bf16",
              "cuBLAS",
              size,
              {first.status, int(first.chosen.how), first.chosen.config_id},
              {tuned::config_count,
               [&](int id) { return tuned::valid(tuned::configs[id], dims, device); }, plain},
              [&] { check(launcher().status, "launcher"); },
              [&] { product.library(); },
              [&] {
                return difference_of(product.mine, product.theirs) <= tolerance &&
                       difference_of(called, product.theirs) <= tolerance;
              }});
}

inline Family matmul_bf16_family() {
  // Rows of whole 16 bytes, which the kernel asks for.
  Family family{"matmul_bf16",
                {{{64, 8192}, {64, 8192}, {64, 8192}},
                 {{"multiples of 32", {32, 32, 32}}, {"rows of 16 bytes", {1, 8, 8}}}},
                {},
                compare_matmul_bf16};
  for (const auto& one : matmul_bf16_tuned::entries) {
    family.tuned.push_back({{one.size.M, one.size.N, one.size.K}, "tuned"});
  }
  return family;
}
#endif
