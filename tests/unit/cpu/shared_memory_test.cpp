#include <numeric>

#include "tests/unit/cpu/variant.h"

namespace tuner::cpu {
namespace {

Buffer<float> counting(std::size_t count) {
  Buffer<float> buffer{std::vector<float>(count)};
  std::iota(buffer.values.begin(), buffer.values.end(), 0.0f);
  return buffer;
}

// Each block reverses its elements.
void expect_reversed_blocks(const std::vector<float>& values, std::size_t block) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i / block * block;
    ASSERT_EQ(values[i], static_cast<float>(first + block - 1 - (i - first))) << "element " << i;
  }
}

TEST(SharedMemory, StaticArrayIsSharedByTheThreadsOfABlock) {
  Variant variant(R"(
extern "C" __global__ void kernel(float* data) {
  __shared__ float tile[64];
  tile[threadIdx.x] = data[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
})");
  auto data = counting(64 * 100);
  variant.run({100, 64}, data);
  expect_reversed_blocks(data.values, 64);
  EXPECT_EQ(variant.result.resources.static_shared_bytes, 256);
}

TEST(SharedMemory, DynamicArrayIsSharedByTheThreadsOfABlock) {
  Variant variant(R"(
extern "C" __global__ void kernel(float* data) {
  extern __shared__ float tile[];
  const int n = blockDim.x;
  tile[threadIdx.x] = data[blockIdx.x * n + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * n + threadIdx.x] = tile[n - 1 - threadIdx.x];
})");
  auto data = counting(96 * 50);
  variant.run({50, 96, 96 * 4}, data);
  expect_reversed_blocks(data.values, 96);
  EXPECT_EQ(variant.result.resources.static_shared_bytes, 0);
}

TEST(SharedMemory, DynamicArraysOfOtherNamesAndTypesAreTheSameMemory) {
  Variant variant(R"(
extern __shared__ __align__(16) unsigned char at_file_scope[];
namespace inner { extern __shared__ double as_double[]; }
template <typename T> __device__ T* words() {
  extern __shared__ __align__(16) float4 vectors[];
  return reinterpret_cast<T*>(vectors);
}
extern "C" __global__ void kernel(double* out) {
  if (threadIdx.x == 0) words<double>()[1] = 2.5;
  __syncthreads();
  if (threadIdx.x == 1) {
    out[0] = inner::as_double[1];
    out[1] = *reinterpret_cast<double*>(at_file_scope + 8);
    out[2] = (unsigned long)at_file_scope % 16;
  }
})");
  Buffer<double> out{{0, 0, -1}};
  variant.run({1, 2, 64}, out);
  EXPECT_EQ(out.values, (std::vector<double>{2.5, 2.5, 0}));
}

TEST(SharedMemory, EveryFormOfDeclarationCompiles) {
  Variant variant(R"(
template <int N> __device__ int padded(int i) {
  __shared__ __align__(16) int tile[8][N + 1];
  tile[i][N] = i;
  __syncthreads();
  return tile[7 - i][N];
}
__shared__ int at_file_scope;
extern "C" __global__ void kernel(int* out) {
  static __shared__ int with_static[8];
  __align__(32) __shared__ int align_first[8];
  volatile __shared__ int is_volatile[8];
  __shared__ struct { int a; float4 b[3]; } record;
  const int i = threadIdx.x;
  with_static[i] = align_first[i] = is_volatile[i] = i;
  if (i == 0) at_file_scope = record.a = 100;
  __syncthreads();
  const int j = 7 - i;
  out[i] = with_static[j] + align_first[j] + is_volatile[j] + at_file_scope + record.a +
           padded<4>(i) + padded<5>(i);
})");
  Buffer<int> out{std::vector<int>(8)};
  variant.run({1, 8}, out);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out.values[i], 200 + 5 * (7 - i));
}

TEST(SharedMemory, OnlyTheEntrysOwnArraysCount) {
  const auto result = compiled(request_for(R"(
extern "C" __global__ void other(float* a) { __shared__ float big[10000]; big[threadIdx.x] = a[0]; __syncthreads(); a[0] = big[9 - threadIdx.x]; }
extern "C" __global__ void kernel(float* a) { __shared__ float small[16]; small[threadIdx.x] = a[0]; __syncthreads(); a[0] = small[9 - threadIdx.x]; }
)"));
  ASSERT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(result.resources.static_shared_bytes, 64);
}

TEST(SharedMemory, TooMuchStaticMemoryDoesNotCompile) {
  const auto result =
      compiled(request_for("extern \"C\" __global__ void kernel(float* a) { __shared__ float "
                           "big[12289]; big[threadIdx.x] "
                           "= a[0]; __syncthreads(); a[0] = big[a[1] > 0]; }"));
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("too much static shared memory"), std::string::npos) << result.log;
}

TEST(SharedMemory, ReadingWhatNobodyWroteGivesNaNs) {
  const std::string source = R"(
extern "C" __global__ void kernel(float* out) {
  __shared__ float fixed[4];
  extern __shared__ float dynamic[];
  out[2 * blockIdx.x] = fixed[threadIdx.x];
  out[2 * blockIdx.x + 1] = dynamic[3];
  __syncthreads();
  fixed[threadIdx.x] = dynamic[3] = 1;
})";
  Buffer<float> out{std::vector<float>(64)};
  Variant(source).run({32, 1, 16}, out);
  for (const float value : out.values) EXPECT_TRUE(std::isnan(value));
}

TEST(SharedMemory, WritingBehindTheDynamicPartIsAFault) {
  Variant variant(
      "extern \"C\" __global__ void kernel(float* a) { extern __shared__ float s[]; "
      "s[threadIdx.x] = a[0]; a[0] = s[0]; }");
  Buffer<float> a{{1}};
  EXPECT_EQ(variant.fault(TUNER_RUNTIME_FAULT, {1, 64, 256}, a), "");
  const std::string fault = variant.fault(TUNER_RUNTIME_FAULT, {1, 64, 192}, a);
  EXPECT_NE(fault.find("block (0,0,0) writes 64 bytes outside of the block's shared memory, behind "
                       "its 192 dynamic ones"),
            std::string::npos)
      << fault;
}

TEST(SharedMemory, MoreThanADeviceHasIsRefused) {
  Variant variant(
      "extern \"C\" __global__ void kernel(float* a) { extern __shared__ float s[]; s[0] = a[0]; "
      "}");
  Buffer<float> a{{1}};
  EXPECT_EQ(variant.fault(TUNER_LAUNCH_REFUSED, {1, 1, 227 * 1024}, a), "");
  EXPECT_NE(variant.fault(TUNER_LAUNCH_REFUSED, {1, 1, 227 * 1024 + 1}, a).find("shared memory"),
            std::string::npos);
}

}  // namespace
}  // namespace tuner::cpu
