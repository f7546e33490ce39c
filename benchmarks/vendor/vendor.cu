// The tuned winners beside the vendor's libraries, in turns, in one run: matmul (float32; bfloat16
// and tf32 on the tensor cores) beside cuBLAS, transpose beside cuBLAS geam and a device copy,
// reduction beside CUB.
//
// The winners come from the headers that `tuner export --format header` writes. See README.md.

#include <cublas_v2.h>

#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <iterator>
#include <string>
#include <vector>

#include "common.h"
#include "tensor.h"
#include "tuned_kernels.h"

namespace {

void run_matmul(Race& race, Table& table, const std::string& sources, long long M, long long N,
                long long K) {
  namespace tuned = matmul_tuned;
  const tuned::device device = tuned::device_from(this_device());
  const tuned::dims size{M, N, K};
  const tuned::config c = tuned::select(device, size).cfg;
  const RtcKernel kernel = matmul_kernel(sources, c, size, device);

  Buffer<float> A(M * K), B(K * N), mine(M * N), theirs(M * N);
  fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
  fill<<<1024, 256>>>(B.data(), B.size(), 2, false);
  // As large as the study's: where several blocks share a tile of C.
  const long long tiles = ((M + c.BM - 1) / c.BM) * ((N + c.BN - 1) / c.BN);
  const bool parts = c.SPLIT_K > 1 || c.DIVIDE == tuned::DIVIDE_choice::steps;
  Buffer<float> workspace(parts ? tiles * c.BM * c.BN : 1);
  Buffer<unsigned> arrivals(parts ? tiles : 1);

  cublasHandle_t blas;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  check(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  const float one = 1, zero = 0;
  const auto library = [&] {
    // Row-major C = A B is column-major C' = B' A'.
    check(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B.data(), N, A.data(), K,
                      &zero, theirs.data(), N) == CUBLAS_STATUS_SUCCESS,
          "cublasSgemm");
  };
  float *a = A.data(), *b = B.data(), *out = mine.data(), *w = workspace.data();
  unsigned* arrived = arrivals.data();
  int m = int(M), n = int(N), k = int(K), group = int(c.GROUP);
  const auto ours = [&] { kernel.launch({&a, &b, &out, &m, &n, &k, &group, &w, &arrived}); };

  const std::vector<double> times = race.run({ours, library});
  expect_equal(mine, theirs, 2e-7 * K, "matmul");
  cublasDestroy(blas);
  table.line("matmul", std::to_string(M) + " " + std::to_string(N) + " " + std::to_string(K),
             2.0 * M * N * K, "GFLOP/s", times[0], {{"cuBLAS", times[1]}});
}

void run_transpose(Race& race, Table& table, const std::string& sources, long long M, long long N) {
  namespace tuned = transpose_tuned;
  const tuned::device device = tuned::device_from(this_device());
  const tuned::dims size{M, N};
  const tuned::config c = tuned::select(device, size).cfg;
  const RtcKernel kernel = transpose_kernel(sources, c, size, device);

  Buffer<float> A(M * N), mine(M * N), theirs(M * N), copied(M * N);
  fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
  cublasHandle_t blas;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
  const float one = 1, zero = 0;
  const auto geam = [&] {
    check(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_T, M, N, &one, A.data(), N, &zero, A.data(), N,
                      theirs.data(), M) == CUBLAS_STATUS_SUCCESS,
          "cublasSgeam");
  };
  const auto copy = [&] {
    check(cudaMemcpyAsync(copied.data(), A.data(), A.bytes(), cudaMemcpyDeviceToDevice), "copy");
  };
  float *a = A.data(), *out = mine.data();
  int m = int(M), n = int(N);
  const auto ours = [&] { kernel.launch({&a, &out, &m, &n}); };

  const std::vector<double> times = race.run({ours, geam, copy});
  expect_equal(mine, theirs, 0, "transpose");
  cublasDestroy(blas);
  table.line("transpose", std::to_string(M) + " " + std::to_string(N), 8.0 * M * N, "GB/s",
             times[0], {{"geam", times[1]}, {"copy", times[2]}});
}

void run_reduction(Race& race, Table& table, const std::string& sources, long long N) {
  namespace tuned = reduction_tuned;
  const tuned::device device = tuned::device_from(this_device());
  const tuned::dims size{N};
  const tuned::config c = tuned::select(device, size).cfg;
  const Shape shape = shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                               tuned::dynamic_shared_bytes_of(c, size, device));
  const RtcKernel kernel = reduction_kernel(sources, c, size, device);
  const tuned::next_launch second = tuned::next_launch_of(0, c, size, device);
  const RtcKernel finish = second.takes_part
                               ? kernel.another(second.entry, shape_of(second.grid, second.block,
                                                                       second.dynamic_shared_bytes))
                               : kernel;

  Buffer<float> X(N), mine(1), theirs(1), partials(shape.grid[0]), total(1);
  Buffer<unsigned> arrivals(1);
  fill<<<1024, 256>>>(X.data(), X.size(), 1, true);
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, X.data(), theirs.data(), N), "CUB");
  Buffer<char> storage(bytes);
  const auto library = [&] {
    check(cub::DeviceReduce::Sum(storage.data(), bytes, X.data(), theirs.data(), N), "CUB");
  };
  float *x = X.data(), *out = mine.data(), *p = partials.data(), *t = total.data();
  unsigned* arrived = arrivals.data();
  int blocks = int(shape.grid[0]);
  const auto ours = [&] {
    kernel.launch({&x, &out, &p, &t, &arrived, &blocks, &N});
    if (second.takes_part) finish.launch({&p, &blocks, &out});
  };

  const std::vector<double> times = race.run({ours, library});
  expect_equal(mine, theirs, 0, "reduction");
  table.line("reduction", std::to_string(N), 4.0 * N, "GB/s", times[0], {{"CUB", times[1]}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string families[] = {"matmul", "tensor", "transpose", "reduction"};
  const std::vector<std::string> asked(argv + std::min(argc, 2), argv + argc);
  const auto known = [&](const std::string& name) {
    return std::find(std::begin(families), std::end(families), name) != std::end(families);
  };
  check(argc >= 2 && std::all_of(asked.begin(), asked.end(), known),
        "usage: vendor KERNEL_SOURCES [matmul tensor transpose reduction]");
  const auto wanted = [&](const std::string& family) {
    return asked.empty() || std::find(asked.begin(), asked.end(), family) != asked.end();
  };
  check(cudaFree(nullptr), "device");
  std::printf("%s\n", this_device().name);
  Race race;
  Table table;
  const long long products[][3] = {{512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
                                   {4096, 4096, 4096}, {8192, 8192, 8192}, {6000, 4000, 4800},
                                   {4096, 4096, 128},  {128, 4096, 4096},  {64, 64, 65536},
                                   {8192, 64, 8192},   {1000, 1000, 1000}, {3001, 2999, 4001}};
  if (wanted("matmul")) {
    for (const auto& [m, n, k] : products) run_matmul(race, table, argv[1], m, n, k);
  }
  if (wanted("tensor")) {
    for (const Product& product :
         {Product{4096, 4096, 4096}, Product{8192, 8192, 8192}, Product{2048, 2048, 2048},
          Product{1024, 1024, 1024}, Product{128, 8192, 8192}, Product{5000, 3000, 2008}}) {
      run_tensor<Bf16>(race, table, argv[1], product);
      run_tensor<Tf32>(race, table, argv[1], product);
    }
  }
  if (wanted("transpose")) {
    const long long matrices[][2] = {
        {2048, 2048}, {4096, 4096}, {8192, 8192}, {16384, 16384}, {8191, 4097}};
    for (const auto& [m, n] : matrices) run_transpose(race, table, argv[1], m, n);
  }
  if (wanted("reduction")) {
    for (const long long n : {1ll << 20, 1ll << 24, 1ll << 26, 1ll << 28, 1ll << 30, 100000007ll}) {
      run_reduction(race, table, argv[1], n);
    }
  }
}
