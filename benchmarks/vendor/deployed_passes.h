#pragma once
// The families that go over their data once: transpose beside geam, sum beside CUB, softmax beside
// a copy. Those whose header and launcher were exported.

#include <cublas_v2.h>

#include <cub/device/device_reduce.cuh>
#include <memory>
#include <string>
#include <vector>

#include "deployed.h"
#include "tuned_kernels.h"

#if __has_include("transpose_launcher.hpp") && __has_include("transpose_tuned.h")
#include "transpose_launcher.hpp"

inline void compare_transpose(Bench& bench, const Size& size) {
  namespace tuned = transpose_tuned;
  const long long M = size.extents[0], N = size.extents[1];
  const tuned::device device = tuned::device_from(bench.device());
  const tuned::dims dims{M, N};
  Buffer<float> A(M * N), mine(M * N), called(M * N), theirs(M * N);
  fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
  cublasHandle_t blas;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  const float one = 1, zero = 0;
  const int m = int(M), n = int(N);
  const auto plain = [&](int id) -> Call {
    const tuned::config& c = tuned::configs[id];
    const RtcKernel kernel =
        bench
            .kernel("transpose", id,
                    [&] { return transpose_kernel(bench.settings().sources, c, dims, device); })
            .another("transpose",
                     shape_of(tuned::grid_of(c, dims, device), tuned::block_of(c, dims, device),
                              tuned::dynamic_shared_bytes_of(c, dims, device)));
    return [=, a = A.data(), out = mine.data(), M = m, N = n]() mutable {
      kernel.launch({&a, &out, &M, &N});
    };
  };
  const auto launcher = [&] {
    return transpose_launcher::transpose(A.data(), called.data(), m, n);
  };
  const auto first = launcher();
  const auto library = [&] {
    check(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_T, m, n, &one, A.data(), n, &zero, A.data(), n,
                      theirs.data(), m) == CUBLAS_STATUS_SUCCESS,
          "cublasSgeam");
  };
  bench.hold(
      {"transpose",
       "geam",
       size,
       {first.status, int(first.chosen.how), first.chosen.config_id},
       {tuned::config_count, [&](int id) { return tuned::valid(tuned::configs[id], dims, device); },
        plain},
       [&] { check(launcher().status, "launcher"); },
       library,
       [&] { return difference_of(mine, theirs) == 0 && difference_of(called, theirs) == 0; }});
  cublasDestroy(blas);
}

inline Family transpose_family() {
  Family family{"transpose",
                {{{64, 16384}, {64, 16384}},
                 {{"multiples of 32", {32, 32}}, {"multiples of 4", {4, 4}}, {"any", {1, 1}}}},
                {},
                compare_transpose};
  for (const auto& one : transpose_tuned::entries) {
    family.tuned.push_back({{one.size.M, one.size.N}, "tuned"});
  }
  return family;
}
#endif

#if __has_include("reduction_launcher.hpp") && __has_include("reduction_tuned.h")
#include "reduction_launcher.hpp"

// The kernel of a configuration and what follows it, of buffers that live as long as the call.
inline Call reduction_call(Bench& bench, int id, long long N, float* X, float* sum) {
  namespace tuned = reduction_tuned;
  const tuned::device device = tuned::device_from(bench.device());
  const tuned::dims dims{N};
  const tuned::config& c = tuned::configs[id];
  const Shape shape = shape_of(tuned::grid_of(c, dims, device), tuned::block_of(c, dims, device),
                               tuned::dynamic_shared_bytes_of(c, dims, device));
  const RtcKernel& compiled = bench.kernel(
      "reduction", id, [&] { return reduction_kernel(bench.settings().sources, c, dims, device); });
  const RtcKernel kernel = compiled.another("reduction", shape);
  const tuned::next_launch second = tuned::next_launch_of(0, c, dims, device);
  const RtcKernel finish = second.takes_part
                               ? kernel.another(second.entry, shape_of(second.grid, second.block,
                                                                       second.dynamic_shared_bytes))
                               : kernel;
  const auto partials = std::make_shared<Buffer<float>>(shape.grid[0]);
  const auto total = std::make_shared<Buffer<float>>(1);
  const auto arrivals = std::make_shared<Buffer<unsigned>>(1);
  return [=, blocks = int(shape.grid[0])]() mutable {
    float *p = partials->data(), *t = total->data();
    unsigned* arrived = arrivals->data();
    kernel.launch({&X, &sum, &p, &t, &arrived, &blocks, &N});
    if (second.takes_part) finish.launch({&p, &blocks, &sum});
  };
}

inline void compare_reduction(Bench& bench, const Size& size) {
  namespace tuned = reduction_tuned;
  const long long N = size.extents[0];
  Buffer<float> X(N), mine(1), called(1), theirs(1);
  fill<<<1024, 256>>>(X.data(), X.size(), 1, true);  // whole numbers, whose sums are exact
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, X.data(), theirs.data(), N), "CUB");
  Buffer<char> storage(bytes);
  const auto launcher = [&] { return reduction_launcher::reduction(X.data(), called.data(), N); };
  const auto first = launcher();
  bench.hold(
      {"reduction",
       "CUB",
       size,
       {first.status, int(first.chosen.how), first.chosen.config_id},
       {tuned::config_count,
        [&](int id) {
          return tuned::valid(tuned::configs[id], {N}, tuned::device_from(bench.device()));
        },
        [&](int id) { return reduction_call(bench, id, N, X.data(), mine.data()); }},
       [&] { check(launcher().status, "launcher"); },
       [&] {
         check(cub::DeviceReduce::Sum(storage.data(), bytes, X.data(), theirs.data(), N), "CUB");
       },
       [&] { return difference_of(mine, theirs) == 0 && difference_of(called, theirs) == 0; }});
}

inline Family reduction_family() {
  Family family{
      "reduction",
      {{{1 << 12, 1 << 28}}, {{"multiples of 32", {32}}, {"multiples of 4", {4}}, {"any", {1}}}},
      {},
      compare_reduction};
  for (const auto& one : reduction_tuned::entries) family.tuned.push_back({{one.size.N}, "tuned"});
  return family;
}
#endif

#if __has_include("softmax_launcher.hpp") && __has_include("softmax_tuned.h")
#include "softmax_launcher.hpp"

// A block of 256 for each row, summed in double.
__global__ void right_softmax(const float* X, float* Y, long long N) {
  __shared__ double shared[256];
  const float* x = X + blockIdx.x * N;
  const auto all = [&](double mine, bool is_sum) {
    shared[threadIdx.x] = mine;
    for (unsigned half = 128; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x >= half) continue;
      const double other = shared[threadIdx.x + half];
      shared[threadIdx.x] = is_sum ? shared[threadIdx.x] + other : fmax(shared[threadIdx.x], other);
    }
    __syncthreads();
    const double result = shared[0];
    __syncthreads();
    return result;
  };
  double most = -INFINITY, sum = 0;
  for (long long i = threadIdx.x; i < N; i += 256) most = fmax(most, double(x[i]));
  most = all(most, false);
  for (long long i = threadIdx.x; i < N; i += 256) sum += exp(double(x[i]) - most);
  sum = all(sum, true);
  for (long long i = threadIdx.x; i < N; i += 256) {
    Y[blockIdx.x * N + i] = float(exp(double(x[i]) - most) / sum);
  }
}

inline void compare_softmax(Bench& bench, const Size& size) {
  namespace tuned = softmax_tuned;
  const long long M = size.extents[0], N = size.extents[1];
  const tuned::device device = tuned::device_from(bench.device());
  const tuned::dims dims{M, N};
  Buffer<float> X(M * N), mine(M * N), called(M * N), right(M * N), copied(M * N);
  fill<<<1024, 256>>>(X.data(), X.size(), 1, false);
  right_softmax<<<unsigned(M), 256>>>(X.data(), right.data(), N);
  check(cudaGetLastError(), "softmax");
  const auto plain = [&](int id) -> Call {
    const tuned::config& c = tuned::configs[id];
    const RtcKernel kernel =
        bench
            .kernel("softmax", id,
                    [&] { return softmax_kernel(bench.settings().sources, c, dims, device); })
            .another("softmax",
                     shape_of(tuned::grid_of(c, dims, device), tuned::block_of(c, dims, device),
                              tuned::dynamic_shared_bytes_of(c, dims, device)));
    return [=, x = X.data(), out = mine.data(), M = int(M), N = int(N)]() mutable {
      kernel.launch({&x, &out, &M, &N});
    };
  };
  const auto launcher = [&] {
    return softmax_launcher::softmax(X.data(), called.data(), int(M), int(N));
  };
  const auto first = launcher();
  constexpr double kRelative = 1e-5;  // the study's
  bench.hold({"softmax",
              "a copy",
              size,
              {first.status, int(first.chosen.how), first.chosen.config_id},
              {tuned::config_count,
               [&](int id) { return tuned::valid(tuned::configs[id], dims, device); }, plain},
              [&] { check(launcher().status, "launcher"); },
              [&] {
                check(cudaMemcpyAsync(copied.data(), X.data(), X.bytes(), cudaMemcpyDeviceToDevice),
                      "copy");
              },
              [&] {
                return difference_of(mine, right, kRelative) == 0 &&
                       difference_of(called, right, kRelative) == 0;
              }});
}

inline Family softmax_family() {
  Family family{
      "softmax",
      {{{16, 65536}, {32, 65536}}, {{"rows of 16 bytes", {1, 4}}, {"any", {1, 1}}}, 1ll << 27},
      {},
      compare_softmax};
  for (const auto& one : softmax_tuned::entries) {
    family.tuned.push_back({{one.size.M, one.size.N}, "tuned"});
  }
  return family;
}
#endif
