#include <cmath>

#include "tests/unit/cpu/variant.h"
#include "tuner/plugins/cpu/host_compiler.h"

namespace tuner::cpu {
namespace {

TEST(AsNvccTakesIt, HostCodeIsReadAndNeverCalled) {
  Variant variant(R"(
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <mpi.h>
#define CHECK(call) check((call), #call)
inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) { printf("%s: %s", what, cudaGetErrorString(status)); throw status; }
}
inline void check(cublasStatus_t status, const char*) { if (status != CUBLAS_STATUS_SUCCESS) {} }
class Timer { cudaEvent_t begin_, end_; cudaStream_t stream_ = 0; };
static void* cublaslt_workspace = nullptr;
template <class T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }
struct Runner {
  std::vector<int> sizes;
  void run(float* x, int n, MPI_Comm comm) {
    cudaDeviceProp properties;
    cublasHandle_t handle;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cublasCreate(&handle));
    dim3 grid(n / 256 + properties.multiProcessorCount);
    twice<float><<<grid, 256, 0, cudaStream_t(0)>>>(x);
    CHECK(cudaMemcpy(x, x, n * sizeof(float), cudaMemcpyDeviceToHost));
  }
};
extern "C" __global__ void kernel(float* x) { x[threadIdx.x] += __dp4a(1, 2, 3); })");
  Buffer<float> x{{1, 2}};
  variant.run({1, 2}, x);
  EXPECT_EQ(x.values, (std::vector<float>{6, 7}));
}

TEST(AsNvccTakesIt, WhatOnlyADeviceCanDoIsRefusedInOneSentence) {
  const auto refusal = [](const std::string& body) {
    const auto result =
        compiled(request_for("__global__ void child() {}\n"
                             "extern \"C\" __global__ void kernel(int* x) {\n" +
                             body + "\n}"));
    EXPECT_FALSE(result.compiled) << body;
    return result.log;
  };
  EXPECT_EQ(refusal("\n#include <cuda/atomic>\ncuda::atomic<int> y;"),
            "error: the cpu backend has no <cuda/atomic>: kernels that use it need a GPU\n");
  // clang++ leaves it to the linker to say so.
  const auto says = [&](const std::string& body, const std::string& sentence) {
    const std::string log = refusal(body);
    return log.find(sentence) != std::string::npos ||
           log.find("undefined reference to `tuner_cpu_") != std::string::npos ||
           log.find("undefined reference to `void operator*") != std::string::npos;
  };
  EXPECT_TRUE(says("child<<<1, 1>>>();", "a kernel launches another one"));
  EXPECT_TRUE(says("cudaMalloc((void**)&x, 4);", "a kernel calls a function of the host's"));
}

TEST(AsNvccTakesIt, InlineAssemblyThatAVariantDoesNotUseIsNoTrouble) {
  const auto result =
      compiled(request_for("__device__ inline int lane() { int l; asm(\"elect.sync %0, %1;\" : "
                           "\"=r\"(l)); return l; }\n"
                           "extern \"C\" __global__ void kernel(int* x) { *x = 1; }"));
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST(AsNvccTakesIt, ALibrarysHeaderThatOnlyHostCodeNeedsIsNoTrouble) {
  const auto result =
      compiled(request_for("#include <thrust/device_vector.h>\n#include <cuda/atomic>\n"
                           "#include <cub/device/device_scan.cuh>\n"
                           "void host(int* x) {\n  thrust::device_vector<int> all(4);\n"
                           "  cub::DeviceScan::ExclusiveSum(nullptr, all.data(), x, x, 4);\n}\n"
                           "extern \"C\" __global__ void kernel(int* x) { *x = 1; }"));
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST(AsNvccTakesIt, WhatKernelsUseOfThrustIsThere) {
  Variant variant(R"(
#include <thrust/complex.h>
struct Set { template <class T> __device__ void operator()(T all) { thrust::get<0>(all) = 1; } };
extern "C" __global__ void kernel(float* x) {
  int order[] = {3, 1, 2};
  thrust::sort(thrust::seq, order, order + 3, thrust::greater<int>());
  const thrust::complex<float> z(x[0], 1);
  auto all = thrust::make_tuple(0.0f, 2);
  Set()(thrust::tie(x[1]));
  x[0] = (z * thrust::conj(z)).real() + order[2] + thrust::get<1>(all);
  x[2] = thrust::raw_pointer_cast(thrust::device_pointer_cast(x + 2))[0] +
         thrust::reduce(thrust::seq, order, order + 3) + thrust::maximum<float>()(x[0], 1);
})");
  Buffer<float> x{{2, 0, 5}};
  variant.run({1, 1}, x);
  EXPECT_EQ(x.values, (std::vector<float>{8, 1, 19}));
}

TEST(AsNvccTakesIt, HostCodeThatDoesNotCompileIsLeftOut) {
  const std::string kernel = "extern \"C\" __global__ void kernel(int* x) { *x = HOW; }\n";
  const std::string host =
      "using namespace nowhere::clocks;\nstatic unknown_array* unused = nullptr;\n"
      "namespace a { struct Timer { steady start = steady::now(); }; }\n"
      "static auto attribute() { known_nowhere a; a.id = 3; return a; }\n";
  std::string source = host + kernel;
  source.replace(source.find("HOW"), 3, "isfinite(1.0f) && !isnan(2.0)");
  const auto result = compiled(request_for(source));
  EXPECT_TRUE(result.compiled) << result.log;
  source.replace(source.find("isfinite"), 8, "undefined");
  const auto wrong = compiled(request_for(source));
  EXPECT_FALSE(wrong.compiled);
  EXPECT_TRUE(wrong.log.find("undefined") != std::string::npos) << wrong.log;
}

TEST(AsNvccTakesIt, DeviceCodeThatDoesNotCompileIsNotLeftOut) {
  const auto result =
      compiled(request_for("template <class T> __device__ int of(T) { return 1; }\n"
                           "__device__ int of(float x) { return unknown(x); }\n"
                           "extern \"C\" __global__ void kernel(int* x) { *x = of(1.0f); }\n"));
  EXPECT_FALSE(result.compiled);
}

TEST(AsNvccTakesIt, OnlyLaunchesAndNamesOfLibrariesAreChanged) {
  EXPECT_EQ(with_host_code("int x;"), "int x;");  // without the header that declares what they are
  const std::string mark = "struct tuner_cpu_names;";
  EXPECT_EQ(with_host_code(mark + "a<b<c<d>>> x; // \"<<<\"\nf(\"<<<1>>>\", R\"(<<<)\");"),
            mark + "a<b<c<d>>> x; // \"<<<\"\nf(\"<<<1>>>\", R\"(<<<)\");");
  EXPECT_EQ(with_host_code(mark + "\n k<<<1, f(2)>>>(x); cudaFoo(cuda_mine, y.cudaBar); "
                                  "int cudaOwn = 1; g(cudaOwn, (cudaBaz_t)2);"),
            mark +
                "struct cudaBaz_t : tuner_cpu_anything { using "
                "tuner_cpu_anything::tuner_cpu_anything; };\nstatic "
                "tuner_cpu_function<tuner_cpu_anything> cudaFoo;\n"
                "\n k *tuner_cpu_launch(1, f(2))(x); cudaFoo(cuda_mine, y.cudaBar); "
                "int cudaOwn = 1; g(cudaOwn, (cudaBaz_t)2);");
}

TEST(AsNvccTakesIt, IntegersOfSeveralLanes) {
  Variant variant(R"(
extern "C" __global__ void kernel(unsigned* u, int a, int b) {
  u[0] = __dp4a(0x01020304, (int)0xff010203, 10);
  u[1] = __dp4a(0x01020304u, 0xff010203u, 10u);
  u[2] = __byte_perm(0x33221100u, 0x77665544u, 0x7520u);
  u[3] = __usad(3u, 10u, 1u);
  u[4] = __sad(-3, 10, 1u);
  u[5] = __vadd4(0x01ff7f80u, 0x01010101u);
  u[6] = __vaddus4(0x01ff7f80u, 0x01010101u);
  u[7] = __vaddss4(0x01ff7f80u, 0x01010101u);
  u[8] = __vcmpgtu4(0x02020202u, 0x01020304u);
  u[9] = __vsadu4(0x01020304u, 0x04030201u);
  u[10] = __hadd(a, b) + 10;
  u[11] = umin(3u, 4u) + __umul64hi(1ull << 63, 6);
  int all;
  u[12] = __match_all_sync(0xffffffff, 7, &all) + all;
  u[13] = __isGlobal(u) + 2 * __isLocal(&all);
})");
  Buffer<unsigned> u{std::vector<unsigned>(14)};
  variant.run({1, 1}, u, -5, -2);
  EXPECT_EQ(u.values, (std::vector<unsigned>{29, 285, 0x77552200, 8, 14, 0x02008081, 0x02ff8081,
                                             0x02007f81, 0xff000000, 8, 6, 6, 2, 3}));
}

TEST(AsNvccTakesIt, MathematicsThatNoCLibraryHas) {
  Variant variant(R"(
extern "C" __global__ void kernel(double* d, float* f) {
  d[0] = erfinv(0.5); d[1] = erfcinv(1e-10); d[2] = normcdf(1.0); d[3] = normcdfinv(0.025);
  d[4] = erfcx(30.0); d[5] = norm4d(1.0, 2.0, 2.0, 4.0); d[6] = sinpi(1e15); d[7] = rcbrt(8.0);
  sincospif(0.5f, &f[0], &f[1]);
  f[2] = __fadd_ru(1.0f, 1e-20f); f[3] = __fadd_rz(-1.0f, 1e-20f); f[4] = __fmul_rz(0.1f, 0.1f);
  f[5] = __fdiv_rd(1.0f, 3.0f); f[6] = __fsqrt_ru(2.0f); f[7] = __double2float_rd(-0.1);
  f[8] = __fmaf_rd(1.0f, 1.0f, -1e-20f); f[9] = norm3df(2, 3, 6);
})");
  Buffer<double> d{std::vector<double>(8)};
  Buffer<float> f{std::vector<float>(10)};
  variant.run({1, 1}, d, f);
  const std::vector<double> expected{0.47693627620446987,
                                     4.5728249673894857,
                                     0.84134474606854293,
                                     -1.9599639845400545,
                                     0.018795888861416751,
                                     5,
                                     0,
                                     0.5};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(d.values[i], expected[i], 2e-15 * std::fabs(expected[i])) << i;
  }
  EXPECT_EQ(f.values, (std::vector<float>{1, 0, std::nextafter(1.0F, 2.0F),
                                          -std::nextafter(1.0F, 0.0F), 0.0099999998F, 0.33333331F,
                                          1.4142136F, -0.1F, std::nextafter(1.0F, 0.0F), 7}));
}

TEST(AsNvccTakesIt, GroupsOfThreads) {
  Variant variant(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__managed__ int calls;
struct Pair { double value; int index; };
__device__ int total(cg::thread_group group, int* room, int value) {
  room[group.thread_rank()] = value;
  group.sync();
  int sum = 0;
  for (unsigned i = 0; i < group.size(); ++i) sum += room[i];
  group.sync();
  return sum;
}
extern "C" __global__ void kernel(int* out) {
  __shared__ int room[64];
  const auto block = cg::this_thread_block();
  const unsigned i = threadIdx.x;
  out[i] = total(block, room, 1);
  out[64 + i] = total(cg::tiled_partition(block, 4), room + i / 4 * 4, int(i));
  const auto tile = cg::tiled_partition<8>(block);
  out[128 + i] = cg::exclusive_scan(tile, int(i % 8)) + tile.shfl(Pair{1.5, int(i)}, 3).index;
  if (i % 3 == 0) {
    const auto active = cg::coalesced_threads();
    out[192 + i] = active.size() * 100 + active.thread_rank();
    out[193 + i] = cg::reduce(active, int(i), cg::greater<int>());
    out[194 + i] = active.shfl_down(int(i), 1);
    if (active.thread_rank() == 0) atomicAdd(&calls, int(active.size()));
  }
  const auto odd = cg::binary_partition(tile, i % 2);
  out[258 + i] = odd.size() * 10 + odd.thread_rank();
  block.sync();
  if (i == 0) out[322] = calls;
})");
  Buffer<int> out{std::vector<int>(323)};
  variant.run({1, 64}, out);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(out.values[i], 64);
    EXPECT_EQ(out.values[64 + i], 4 * (i / 4 * 4) + 6);
    EXPECT_EQ(out.values[128 + i], i % 8 * (i % 8 - 1) / 2 + i / 8 * 8 + 3);
    EXPECT_EQ(out.values[258 + i], 40 + i % 8 / 2);
  }
  // Of 32 lanes 11 are multiples of 3, the last two of the block's second warp are 60 and 63.
  EXPECT_EQ(std::vector<int>(out.values.begin() + 192, out.values.begin() + 195),
            (std::vector<int>{1100, 30, 3}));
  EXPECT_EQ(std::vector<int>(out.values.begin() + 252, out.values.begin() + 257),
            (std::vector<int>{1109, 63, 63, 1110, 63}));
  EXPECT_EQ(out.values[322], 22);
}

TEST(AsNvccTakesIt, ReductionsAndScansOfCub) {
  Variant variant(R"(
#include <cub/cub.cuh>
extern "C" __global__ void kernel(int* out) {
  using Block = cub::BlockReduce<int, 64>;
  using Warp = cub::WarpReduce<int>;
  using Scan = cub::BlockScan<int, 64, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Block::TempStorage block;
  __shared__ typename Warp::TempStorage warp[2];
  __shared__ typename Scan::TempStorage scan;
  const int i = threadIdx.x;
  const int sum = Block(block).Sum(i), most = Warp(warp[i / 32]).Reduce(i, cub::Max());
  __syncthreads();
  const int some = Block(block).Reduce(i, [](int a, int b) { return a + b; }, 3);
  if (i == 0) out[128] = sum;
  if (i == 0) out[129] = some;
  if (i % 32 == 0) out[130 + i / 32] = most;
  Scan(scan).InclusiveSum(1, out[i]);
  __syncthreads();
  int all;
  Scan(scan).ExclusiveScan(i, out[64 + i], 7, cub::Sum(), all);
  if (i == 63) out[132] = all;
})");
  Buffer<int> out{std::vector<int>(133)};
  variant.run({1, 64}, out);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(out.values[i], i + 1);
    EXPECT_EQ(out.values[64 + i], 7 + i * (i - 1) / 2);
  }
  EXPECT_EQ(std::vector<int>(out.values.begin() + 128, out.values.end()),
            (std::vector<int>{2016, 3, 31, 63, 2016}));
}

TEST(AsNvccTakesIt, TensorCoresCopiesAndComplexNumbers) {
  Variant variant(R"(
#include <cuComplex.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void kernel(const half* a, const half* b, float* c, cuComplex* z) {
  __shared__ half tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) __pipeline_memcpy_async(&tile[i], &a[i], 2);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 1.0f);
  wmma::load_matrix_sync(fa, tile, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(sums, fa, fb, sums);
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] *= 2;
  wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
  z[0] = cuCdivf(cuCmulf(z[0], z[1]), z[1]);
})");
  const auto half_of = [](int number) {  // of 0 to 3
    return static_cast<std::uint16_t>(
        number == 0 ? 0 : 0x3C00 + (number - 1) * 0x400 - (number == 3 ? 0x200 : 0));
  };
  Buffer<std::uint16_t> a{std::vector<std::uint16_t>(256)};
  Buffer<std::uint16_t> b{std::vector<std::uint16_t>(256)};
  for (std::size_t i = 0; i < 256; ++i) {
    a.values[i] = half_of(static_cast<int>(i * 7 % 4));
    b.values[i] = half_of(static_cast<int>(i * i % 3));
  }
  Buffer<float> c{std::vector<float>(256)};
  Buffer<float> z{{1, 2, 3, 4}};
  variant.run({1, 32}, a, b, c, z);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      int sum = 1;
      for (int k = 0; k < 16; ++k) sum += (16 * i + k) * 7 % 4 * ((k + 16 * j) * (k + 16 * j) % 3);
      ASSERT_EQ(c.values[static_cast<std::size_t>(16 * i + j)], 2 * sum) << i << "," << j;
    }
  }
  EXPECT_NEAR(z.values[0], 1, 1e-6);
  EXPECT_NEAR(z.values[1], 2, 1e-6);
}

TEST(AsNvccTakesIt, AGridWaitsForItselfInACooperativeLaunch) {
  Variant variant(R"(
#include <cooperative_groups.h>
extern "C" __global__ void kernel(int* sums, int* out, int rounds) {
  const auto grid = cooperative_groups::this_grid();
  __shared__ int mine;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) mine = blockIdx.x + round;
    __syncthreads();
    atomicAdd(&sums[round], mine);
    grid.sync();
    if (round == 2 && blockIdx.x == 5) return;
  }
  out[grid.thread_rank()] = sums[rounds - 1] * grid.is_valid();
})");
  Buffer<int> sums{std::vector<int>(4)};
  Buffer<int> out{std::vector<int>(320)};
  const Shape shape{10, 32, 0, true};
  variant.run(shape, sums, out, 2);
  EXPECT_EQ(out.values, std::vector<int>(320, 32 * 55));
  EXPECT_NE(variant.fault(TUNER_RUNTIME_FAULT, shape, sums, out, 4)
                .find("not all blocks of the grid reach this_grid().sync()"),
            std::string::npos);
  EXPECT_EQ(variant.fault(TUNER_RUNTIME_FAULT, {1, 1}, sums, out, 1),
            "this_grid().sync() needs a cooperative launch, in thread (0,0,0) of block "
            "(0,0,0)");
  EXPECT_EQ(variant.fault(TUNER_LAUNCH_REFUSED, {1000, 32, 0, true}, sums, out, 1),
            "32000 threads in a cooperative launch; there may be 16384");
}

}  // namespace
}  // namespace tuner::cpu
