// The exported launchers as an application calls them, beside the same variants launched plainly
// and the vendor's libraries, at sizes that were tuned and at others: CSV, one line a size.
//
//   family,size,tuned,how,config_id,plain_ms,launcher_ms,library_ms,plain_ns,launcher_ns
//
// Milliseconds are those of the device, an event on each side of one call, in turns, L2 flushed,
// medians; nanoseconds those of the host, until a call returns. See README.md.

#include <cublas_v2.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cub/device/device_reduce.cuh>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "common.h"
#include "matmul_launcher.hpp"
#include "reduction_launcher.hpp"
#include "transpose_launcher.hpp"
#include "tuned_kernels.h"

namespace {

using Call = std::function<void()>;

// Median nanoseconds of the host for one call, in groups that the stream's queue holds.
double host_ns(const Call& call) {
  constexpr int kGroups = 31, kCalls = 64;
  std::vector<double> groups;
  for (int i = 0; i < kGroups; ++i) {
    check(cudaDeviceSynchronize(), "wait");
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < kCalls; ++k) call();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    groups.push_back(spent.count() / kCalls);
  }
  check(cudaDeviceSynchronize(), "wait");
  std::nth_element(groups.begin(), groups.begin() + kGroups / 2, groups.end());
  return groups[kGroups / 2];
}

struct Line {
  std::string family, size;
  bool tuned;
  int how, config_id;
};

// Host times only where the device soon works off what they put into its queue.
void print(Race& race, const Line& line, const Call& plain, const Call& launcher,
           const Call& library) {
  static const char* const kHow[] = {"exact",    "near_size",   "near_device",
                                     "fallback", "unsupported", "predicted"};
  const std::vector<double> ms = race.run({plain, launcher, library});
  const bool is_short = ms[1] < 0.2;
  std::printf("%s,%s,%s,%s,%d,%.6f,%.6f,%.6f,", line.family.c_str(), line.size.c_str(),
              line.tuned ? "true" : "false", kHow[line.how], line.config_id, ms[0], ms[1], ms[2]);
  if (is_short) std::printf("%.0f,%.0f", host_ns(plain), host_ns(launcher));
  std::printf(is_short ? "\n" : ",\n");
  std::fflush(stdout);
}

void must(cudaError_t status) { check(status, "launcher"); }

void run_matmul(Race& race, const std::string& sources, long long M, long long N, long long K,
                bool is_tuned) {
  namespace tuned = matmul_tuned;
  const tuned::device device = tuned::device_from(this_device());
  const tuned::dims size{M, N, K};
  const tuned::config c = tuned::select(device, size).cfg;
  const RtcKernel kernel = matmul_kernel(sources, c, size, device);
  Buffer<float> A(M * K), B(K * N), mine(M * N), called(M * N), theirs(M * N);
  fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
  fill<<<1024, 256>>>(B.data(), B.size(), 2, false);
  const long long tiles = ((M + c.BM - 1) / c.BM) * ((N + c.BN - 1) / c.BN);
  const bool parts = c.SPLIT_K > 1 || c.DIVIDE == tuned::DIVIDE_choice::steps;
  Buffer<float> workspace(parts ? tiles * c.BM * c.BN : 1);
  Buffer<unsigned> arrivals(parts ? tiles : 1);
  cublasHandle_t blas;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  check(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  const float one = 1, zero = 0;
  float *a = A.data(), *b = B.data(), *out = mine.data(), *w = workspace.data();
  unsigned* arrived = arrivals.data();
  int m = int(M), n = int(N), k = int(K), group = int(c.GROUP);
  const auto chosen = matmul_launcher::matmul(a, b, called.data(), m, n, k);
  must(chosen.status);
  print(
      race,
      {"matmul", std::to_string(M) + " " + std::to_string(N) + " " + std::to_string(K), is_tuned,
       int(chosen.chosen.how), chosen.chosen.config_id},
      [&] {
        kernel.launch({&a, &b, &out, &m, &n, &k, &group, &w, &arrived});
      },
      [&] { must(matmul_launcher::matmul(a, b, called.data(), m, n, k).status); },
      [&] {
        check(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero,
                          theirs.data(), n) == CUBLAS_STATUS_SUCCESS,
              "cublasSgemm");
      });
  expect_equal(mine, theirs, 2e-7 * K, "matmul, plain");
  expect_equal(called, theirs, 2e-7 * K, "matmul, launcher");
  cublasDestroy(blas);
}

void run_transpose(Race& race, const std::string& sources, long long M, long long N,
                   bool is_tuned) {
  namespace tuned = transpose_tuned;
  const tuned::device device = tuned::device_from(this_device());
  const tuned::dims size{M, N};
  const RtcKernel kernel = transpose_kernel(sources, tuned::select(device, size).cfg, size, device);
  Buffer<float> A(M * N), mine(M * N), called(M * N), theirs(M * N);
  fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
  cublasHandle_t blas;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  const float one = 1, zero = 0;
  float *a = A.data(), *out = mine.data();
  int m = int(M), n = int(N);
  const auto chosen = transpose_launcher::transpose(a, called.data(), m, n);
  must(chosen.status);
  print(
      race,
      {"transpose", std::to_string(M) + " " + std::to_string(N), is_tuned, int(chosen.chosen.how),
       chosen.chosen.config_id},
      [&] {
        kernel.launch({&a, &out, &m, &n});
      },
      [&] { must(transpose_launcher::transpose(a, called.data(), m, n).status); },
      [&] {
        check(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_T, m, n, &one, a, n, &zero, a, n,
                          theirs.data(), m) == CUBLAS_STATUS_SUCCESS,
              "cublasSgeam");
      });
  expect_equal(mine, theirs, 0, "transpose, plain");
  expect_equal(called, theirs, 0, "transpose, launcher");
  cublasDestroy(blas);
}

void run_reduction(Race& race, const std::string& sources, long long N, bool is_tuned) {
  namespace tuned = reduction_tuned;
  const tuned::device device = tuned::device_from(this_device());
  const tuned::dims size{N};
  const tuned::config c = tuned::select(device, size).cfg;
  const RtcKernel kernel = reduction_kernel(sources, c, size, device);
  const tuned::next_launch second = tuned::next_launch_of(0, c, size, device);
  const RtcKernel finish = second.takes_part
                               ? kernel.another(second.entry, shape_of(second.grid, second.block,
                                                                       second.dynamic_shared_bytes))
                               : kernel;
  int blocks = int(tuned::grid_of(c, size, device).x);
  Buffer<float> X(N), mine(1), called(1), theirs(1), partials(blocks), total(1);
  Buffer<unsigned> arrivals(1);
  fill<<<1024, 256>>>(X.data(), X.size(), 1, true);
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, X.data(), theirs.data(), N), "CUB");
  Buffer<char> storage(bytes);
  float *x = X.data(), *out = mine.data(), *p = partials.data(), *t = total.data();
  unsigned* arrived = arrivals.data();
  const auto chosen = reduction_launcher::reduction(x, called.data(), N);
  must(chosen.status);
  print(
      race,
      {"reduction", std::to_string(N), is_tuned, int(chosen.chosen.how), chosen.chosen.config_id},
      [&] {
        kernel.launch({&x, &out, &p, &t, &arrived, &blocks, &N});
        if (second.takes_part) finish.launch({&p, &blocks, &out});
      },
      [&] { must(reduction_launcher::reduction(x, called.data(), N).status); },
      [&] { check(cub::DeviceReduce::Sum(storage.data(), bytes, x, theirs.data(), N), "CUB"); });
  expect_equal(mine, theirs, 0, "reduction, plain");
  expect_equal(called, theirs, 0, "reduction, launcher");
}

// Even by logarithm: a third multiples of 32, a third of 4, a third any.
class Sizes {
 public:
  explicit Sizes(unsigned seed) : generator_(seed) {}
  long long extent(int which, double low, double high) {
    // Of the generator's bits, not a distribution's: the same everywhere.
    const double share = double(generator_()) / double(generator_.max());
    const auto raw =
        (long long)(std::exp(std::log(low) + share * (std::log(high) - std::log(low))));
    const long long unit = which % 3 == 0 ? 32 : which % 3 == 1 ? 4 : 1;
    return std::max(unit, raw / unit * unit);
  }

 private:
  std::mt19937 generator_;
};

}  // namespace

int main(int argc, char** argv) {
  check(argc >= 2, "usage: deployed KERNEL_SOURCES [UNSEEN_SIZES [SEED [FAMILY]]]");
  const int unseen = argc > 2 ? std::atoi(argv[2]) : 20;
  Sizes sizes(argc > 3 ? unsigned(std::atoi(argv[3])) : 1u);
  const auto wanted = [&](const char* family) {
    return argc <= 4 || family == std::string(argv[4]);
  };
  check(cudaFree(nullptr), "device");
  Race race;
  std::printf(
      "family,size,tuned,how,config_id,plain_ms,launcher_ms,library_ms,plain_ns,launcher_ns\n");
  if (wanted("matmul")) {
    for (int i = 0; i < unseen; ++i) {
      const long long M = sizes.extent(i, 64, 8192), N = sizes.extent(i, 64, 8192);
      run_matmul(race, argv[1], M, N, sizes.extent(i, 64, 8192), false);
    }
    for (const auto& one : matmul_tuned::entries) {
      run_matmul(race, argv[1], one.size.M, one.size.N, one.size.K, true);
    }
  }
  if (wanted("transpose")) {
    for (int i = 0; i < unseen; ++i) {
      const long long M = sizes.extent(i, 64, 16384);
      run_transpose(race, argv[1], M, sizes.extent(i, 64, 16384), false);
    }
    for (const auto& one : transpose_tuned::entries) {
      run_transpose(race, argv[1], one.size.M, one.size.N, true);
    }
  }
  if (wanted("reduction")) {
    for (int i = 0; i < unseen; ++i) {
      run_reduction(race, argv[1], sizes.extent(i, 1 << 12, 1 << 28), false);
    }
    for (const auto& one : reduction_tuned::entries) {
      run_reduction(race, argv[1], one.size.N, true);
    }
  }
}
