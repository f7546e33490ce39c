// The tuned winners beside the vendor's libraries, in turns, in one run: matmul beside cuBLAS,
// transpose beside cuBLAS geam and a device copy, reduction beside CUB.
//
// The winners come from the headers that `tuner export --format header` writes. See README.md.

#include <cublas_v2.h>

#include <cmath>
#include <cub/device/device_reduce.cuh>
#include <map>

#include "matmul_tuned.h"
#include "race.h"
#include "reduction_tuned.h"
#include "rtc_kernel.h"
#include "transpose_tuned.h"

namespace {

// Uniform in [-1, 1], or whole numbers in [-8, 8] (sums of which are exact).
__global__ void fill(float* data, std::size_t size, unsigned seed, bool whole) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < size;
       i += std::size_t(gridDim.x) * blockDim.x) {
    unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull + seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    data[i] = whole ? float(int(z % 17) - 8) : float(z >> 40) * 0x1p-23f - 1;
  }
}

// The largest difference, NaN counting as infinite.
__global__ void compare(const float* a, const float* b, std::size_t size, int* worst) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < size;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const float difference = fabsf(a[i] - b[i]);
    const float seen = difference <= 3e38f ? difference : INFINITY;
    if (seen > 0) atomicMax(worst, __float_as_int(seen));
  }
}

void expect_equal(Buffer<float>& a, Buffer<float>& b, double tolerance, const char* what) {
  Buffer<int> worst(1);
  compare<<<1024, 256>>>(a.data(), b.data(), a.size(), worst.data());
  float difference = 0;
  check(cudaMemcpy(&difference, worst.data(), 4, cudaMemcpyDeviceToHost), "compare");
  check(difference <= tolerance, std::string(what) + ": differs by " + std::to_string(difference));
}

template <class Extent>
Shape shape_of(const Extent& grid, const Extent& block, long long shared_bytes) {
  return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, unsigned(shared_bytes)};
}

cudaDeviceProp this_device() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "device");
  return properties;
}

// One line of the table; the ratios are collected for the geometric mean.
class Table {
 public:
  void line(const std::string& family, const std::string& size, double work, const char* unit,
            double tuned_ms, const std::map<std::string, double>& others) {
    std::printf("%-10s %-20s tuned %9.4f ms %8.1f %s", family.c_str(), size.c_str(), tuned_ms,
                work / tuned_ms / 1e6, unit);
    for (const auto& [name, ms] : others) {
      std::printf("  %s %9.4f ms %8.1f (x %.3f)", name.c_str(), ms, work / ms / 1e6, ms / tuned_ms);
      ratios_[family + " / " + name].push_back(ms / tuned_ms);
    }
    std::printf("\n");
  }
  ~Table() {
    for (const auto& [name, ratios] : ratios_) {
      double sum = 0;
      for (const double ratio : ratios) sum += std::log(ratio);
      std::printf("geometric mean, %s: %.3f over %zu sizes, lowest %.3f\n", name.c_str(),
                  std::exp(sum / ratios.size()), ratios.size(),
                  *std::min_element(ratios.begin(), ratios.end()));
    }
  }

 private:
  std::map<std::string, std::vector<double>> ratios_;
};

void run_matmul(Race& race, Table& table, const std::string& sources, long long M, long long N,
                long long K) {
  namespace tuned = matmul_tuned;
  const tuned::device device = tuned::device_from(this_device());
  const tuned::dims size{M, N, K};
  const tuned::config c = tuned::select(device, size).cfg;
  Definitions definitions;
  definitions.choice("FORM", "naive", c.FORM == tuned::FORM_choice::naive)
      .choice("FORM", "shared", c.FORM == tuned::FORM_choice::shared)
      .choice("FORM", "registers", c.FORM == tuned::FORM_choice::registers)
      .choice("FORM", "warptile", c.FORM == tuned::FORM_choice::warptile)
      .choice("SHARED", "static", c.SHARED == tuned::SHARED_choice::static_)
      .choice("SHARED", "dynamic", c.SHARED == tuned::SHARED_choice::dynamic)
      .choice("WALK", "snake", c.WALK == tuned::WALK_choice::snake)
      .choice("WALK", "columns", c.WALK == tuned::WALK_choice::columns)
      .choice("WALK", "squares", c.WALK == tuned::WALK_choice::squares);
  definitions.number("BM", c.BM).number("BN", c.BN).number("BK", c.BK).number("WM", c.WM);
  definitions.number("WN", c.WN).number("TM", c.TM).number("TN", c.TN).number("VEC", c.VEC);
  definitions.number("PAD", c.PAD).number("STAGES", c.STAGES).number("SPLIT_K", c.SPLIT_K);
  definitions.number("GROUP", c.GROUP);
  const RtcKernel kernel(sources, "matmul", definitions,
                         shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                                  tuned::dynamic_shared_bytes_of(c, size, device)));

  Buffer<float> A(M * K), B(K * N), mine(M * N), theirs(M * N);
  fill<<<1024, 256>>>(A.data(), A.size(), 1, false);
  fill<<<1024, 256>>>(B.data(), B.size(), 2, false);
  // As large as the study's: one tile of C for each block that splits K.
  const long long tiles = ((M + c.BM - 1) / c.BM) * ((N + c.BN - 1) / c.BN);
  Buffer<float> workspace(c.SPLIT_K > 1 ? tiles * c.BM * c.BN : 1);
  Buffer<unsigned> arrivals(c.SPLIT_K > 1 ? tiles : 1);

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
  int m = int(M), n = int(N), k = int(K);
  const auto ours = [&] { kernel.launch({&a, &b, &out, &m, &n, &k, &w, &arrived}); };

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
  Definitions definitions;
  definitions.choice("FORM", "coalesced_read", c.FORM == tuned::FORM_choice::coalesced_read)
      .choice("FORM", "coalesced_write", c.FORM == tuned::FORM_choice::coalesced_write)
      .choice("FORM", "shared", c.FORM == tuned::FORM_choice::shared)
      .choice("SHARED", "static", c.SHARED == tuned::SHARED_choice::static_)
      .choice("SHARED", "dynamic", c.SHARED == tuned::SHARED_choice::dynamic)
      .choice("ORDER", "rows", c.ORDER == tuned::ORDER_choice::rows)
      .choice("ORDER", "columns", c.ORDER == tuned::ORDER_choice::columns);
  definitions.number("BM", c.BM).number("BN", c.BN).number("TM", c.TM).number("VEC", c.VEC);
  definitions.number("PAD", c.PAD).number("SWIZZLE", c.SWIZZLE).number("STREAM", c.STREAM);
  const RtcKernel kernel(sources, "transpose", definitions,
                         shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                                  tuned::dynamic_shared_bytes_of(c, size, device)));

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
  Definitions definitions;
  definitions.choice("FORM", "global", c.FORM == tuned::FORM_choice::global)
      .choice("FORM", "shared", c.FORM == tuned::FORM_choice::shared)
      .choice("FORM", "shuffle", c.FORM == tuned::FORM_choice::shuffle)
      .choice("FINISH", "atomic", c.FINISH == tuned::FINISH_choice::atomic)
      .choice("FINISH", "last_block", c.FINISH == tuned::FINISH_choice::last_block)
      .choice("SHARED", "static", c.SHARED == tuned::SHARED_choice::static_)
      .choice("SHARED", "dynamic", c.SHARED == tuned::SHARED_choice::dynamic);
  definitions.number("BLOCK", c.BLOCK).number("VEC", c.VEC).number("UNROLL", c.UNROLL);
  definitions.number("STREAM", c.STREAM).number("BLOCKS_PER_SM", c.BLOCKS_PER_SM);
  const Shape shape = shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                               tuned::dynamic_shared_bytes_of(c, size, device));
  const RtcKernel kernel(sources, "reduction", definitions, shape);

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
  const auto ours = [&] { kernel.launch({&x, &out, &p, &t, &arrived, &N}); };

  const std::vector<double> times = race.run({ours, library});
  expect_equal(mine, theirs, 0, "reduction");
  table.line("reduction", std::to_string(N), 4.0 * N, "GB/s", times[0], {{"CUB", times[1]}});
}

}  // namespace

int main(int argc, char** argv) {
  check(argc == 2, "usage: vendor KERNEL_SOURCES");
  check(cudaFree(nullptr), "device");
  std::printf("%s\n", this_device().name);
  Race race;
  Table table;
  const long long products[][3] = {{512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
                                   {4096, 4096, 4096}, {8192, 8192, 8192}, {6000, 4000, 4800},
                                   {4096, 4096, 128},  {128, 4096, 4096},  {64, 64, 65536},
                                   {8192, 64, 8192},   {1000, 1000, 1000}, {3001, 2999, 4001}};
  for (const auto& [m, n, k] : products) run_matmul(race, table, argv[1], m, n, k);
  const long long matrices[][2] = {
      {2048, 2048}, {4096, 4096}, {8192, 8192}, {16384, 16384}, {8191, 4097}};
  for (const auto& [m, n] : matrices) run_transpose(race, table, argv[1], m, n);
  for (const long long n : {1ll << 20, 1ll << 24, 1ll << 26, 1ll << 28, 1ll << 30, 100000007ll}) {
    run_reduction(race, table, argv[1], n);
  }
}
