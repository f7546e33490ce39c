// Loading, launching and timing kernels on the GPU.
#include <iostream>

#include "gpu_fixture.h"
#include "tests/fakes/says.h"

namespace tuner {
namespace {

// Spins for `microseconds` of the device's own clock.
const char* const kSpin =
    "__global__ void spin(unsigned long long microseconds) {\n"
    "  unsigned long long start, now;\n"
    "  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(start));\n"
    "  do { asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(now)); }\n"
    "  while (now - start < microseconds * 1000);\n}\n";

TEST_F(Gpu, FactsAreThoseOfAnArchitectureThatWeKnow) {
  const DeviceFacts& facts = backend->facts();
  std::cout << facts.name << ", " << facts.uuid << ", " << facts.arch << ", driver " << facts.driver
            << ", L2 " << facts.l2_bytes << ", " << facts.clock_khz << " kHz\n";
  const DeviceFacts nominal = nominal_facts(facts.arch);
  EXPECT_EQ(facts.max_threads_per_multiprocessor, nominal.max_threads_per_multiprocessor);
  EXPECT_EQ(facts.max_shared_memory_per_block_optin, nominal.max_shared_memory_per_block_optin);
  EXPECT_EQ(facts.warp_size, 32);
  EXPECT_GT(facts.memory_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(facts.uuid.size(), 40U);
}

TEST_F(Gpu, KernelsGetBuffersOffsetsAndScalars) {
  const auto kernel = load(
      "__global__ void axpy(float a, const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] += a * x[i];\n}\n",
      "axpy");
  const BufferId x = allocate(4096);
  const BufferId y = allocate(4096);
  upload<float>({x, 0}, std::vector<float>(1024, 2));
  upload<float>({y, 0}, std::vector<float>(1024, 1));
  const auto done = launch(kernel.id, geometry(4, 256),
                           std::vector{scalar(3.0F), at(x), at(y, 64), scalar(1000)});
  ASSERT_TRUE(done) << done.error().message;
  const auto found = download<float>({y, 0}, 1024);
  EXPECT_EQ(found[15], 1);
  EXPECT_EQ(found[16], 7);
  EXPECT_EQ(found[1015], 7);
  EXPECT_EQ(found[1016], 1);
}

// One thread has the copy engine bring a box into shared memory; what lies outside reads as zero.
TEST_F(Gpu, TensorMapsDescribeMatricesToTheCopyEngine) {
  if (backend->facts().compute_capability < 90) GTEST_SKIP() << "no copy engine";
  const auto kernel = load(
      "struct alignas(64) Map { unsigned long long words[16]; };\n"
      "__global__ void k(const __grid_constant__ Map map, float* out) {\n"
      "  __shared__ alignas(128) float box[4][8];\n"
      "  __shared__ unsigned long long barrier;\n"
      "  unsigned b = unsigned(__cvta_generic_to_shared(&barrier));\n"
      "  if (threadIdx.x == 0) {\n"
      "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(b));\n"
      "    asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");\n"
      "    asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;\" :: \"r\"(b));\n"
      "    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier\"\n"
      "                 \"::complete_tx::bytes [%0], [%1, {4, 2}], [%2];\"\n"
      "                 :: \"r\"(unsigned(__cvta_generic_to_shared(box))), \"l\"(&map), \"r\"(b)\n"
      "                 : \"memory\");\n"
      "  }\n"
      "  __syncthreads();\n"
      "  asm volatile(\"{ .reg .pred p; a: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\"\n"
      "               \" @!p bra a; }\" :: \"r\"(b) : \"memory\");\n"
      "  out[threadIdx.x] = box[threadIdx.x / 8][threadIdx.x % 8];\n}\n",
      "k");
  const BufferId matrix = allocate(5 * 8 * 4);
  const BufferId out = allocate(32 * 4);
  std::vector<float> values(40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  upload<float>({matrix, 0}, values);
  LaunchArgument map = at(matrix);
  map.map = TensorMap{DataType::kFloat32, {5, 8}, {4, 8}, 0};
  const auto done = launch(kernel.id, geometry(1, 32), std::vector{map, at(out)});
  ASSERT_TRUE(done) << done.error().message;
  const auto found = download<float>({out, 0}, 32);
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t col = 0; col < 8; ++col) {
      const bool inside = row + 2 < 5 && col + 4 < 8;
      EXPECT_EQ(found[row * 8 + col], inside ? values[(row + 2) * 8 + col + 4] : 0);
    }
  }
  map.map->extents = {4, 10};
  const auto refused = launch(kernel.id, geometry(1, 32), std::vector{map, at(out)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error, DeviceError::kLaunch);
  EXPECT_EQ(refused.error().message, "tensor map: rows of 40 bytes, must be a multiple of 16");
}

TEST_F(Gpu, TemplatesAndConstantsWork) {
  const auto kernel = load(
      "__constant__ float table[4];\n"
      "template <int N> __global__ void k(float* out) { out[threadIdx.x] = table[N]; }\n",
      "k<2>", {"table"});
  EXPECT_EQ(artifact.entry, "_Z1kILi2EEvPf");
  const std::vector<float> values{1, 2, 42, 4};
  ASSERT_EQ(artifact.symbols.size(), 1U);
  const auto set =
      backend->set_symbol(kernel.id, artifact.symbols[0].second, std::as_bytes(std::span(values)));
  ASSERT_TRUE(set) << set.error().message;
  const BufferId out = allocate(16);
  ASSERT_TRUE(launch(kernel.id, geometry(1, 4), std::vector{at(out)}));
  EXPECT_EQ(download<float>({out, 0}, 4), std::vector<float>(4, 42));
  const auto set_to = [&](const std::vector<float>& numbers) {
    return backend->set_symbol(kernel.id, artifact.symbols[0].second,
                               std::as_bytes(std::span(numbers)));
  };
  EXPECT_TRUE(set_to({7, 8})) << "the rest keeps what it held";
  ASSERT_TRUE(launch(kernel.id, geometry(1, 4), std::vector{at(out)}));
  EXPECT_EQ(download<float>({out, 0}, 4), std::vector<float>(4, 42));
  const auto refused = set_to(std::vector<float>(5));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error, DeviceError::kInvalid);
}

// Ten blocks leave their sums, a second kernel adds them up; both see one variable of the module.
TEST_F(Gpu, KernelsOfOneImageFollowEachOtherAndAreTimedAsOne) {
  const auto kernel = load(
      "__device__ int passes;\n"
      "__global__ void part(int* sums) {\n"
      "  if (threadIdx.x == 0) { sums[blockIdx.x] = blockIdx.x; passes = gridDim.x; }\n}\n"
      "template <int N> __global__ void finish(const int* sums, int* out, int more) {\n"
      "  extern __shared__ int s[];\n"
      "  s[threadIdx.x] = sums[threadIdx.x]; __syncthreads();\n"
      "  if (threadIdx.x == 0) {\n"
      "    int sum = more + N;\n"
      "    for (int i = 0; i < passes; ++i) sum += s[i];\n"
      "    *out = sum;\n  }\n}\n",
      "part", {}, {"finish<1000>"});
  ASSERT_EQ(kernel.then.size(), 1U);
  EXPECT_GT(kernel.then[0].resources.registers, 0);
  const BufferId sums = allocate(40);
  const BufferId out = allocate(4);
  LaunchSequence sequence{
      {kernel.id, geometry(10, 32), {at(sums)}},
      {kernel.then[0].id, geometry(1, 10, 100000), {at(sums), at(out), scalar(5)}}};
  const auto done = backend->launch(sequence);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(download<int>({out, 0}, 1)[0], 1050);
  for (const std::uint32_t launches : {1U, 20U}) {
    const auto one = time(kernel.id, geometry(10, 32), {at(sums)}, {50, launches, false, {}});
    const auto both = backend->time(sequence, {50, launches, false, {}});
    ASSERT_TRUE(one && both);
    std::cout << launches << " a sample: first kernel " << median(*one) * 1000 << " us, both "
              << median(*both) * 1000 << " us\n";
    EXPECT_GT(median(*both), median(*one));
  }
  sequence[1].geometry = geometry(1, 2048);
  const auto refused = backend->launch(sequence);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error, DeviceError::kLaunch);
  EXPECT_EQ(refused.error().message, "launch 2: block.x is 2048, the device allows 1024");
  backend->unload(kernel.id);
}

TEST_F(Gpu, LargeDynamicSharedMemoryIsOptedIn) {
  const auto kernel = load(
      "extern __shared__ float s[];\n"
      "__global__ void k(float* out, int last) {\n"
      "  s[last] = 5; __syncthreads(); out[0] = s[last];\n}\n",
      "k");
  const BufferId out = allocate(4);
  const auto most = backend->facts().max_shared_memory_per_block_optin;
  for (const std::int64_t bytes : {std::int64_t{1024}, std::int64_t{100000}, most}) {
    if (bytes > most) continue;
    const auto done = launch(kernel.id, geometry(1, 1, static_cast<std::uint64_t>(bytes)),
                             std::vector{at(out), scalar(static_cast<int>(bytes / 4 - 1))});
    ASSERT_TRUE(done) << bytes << ": " << done.error().message;
  }
  EXPECT_EQ(download<float>({out, 0}, 1)[0], 5);
}

TEST_F(Gpu, RefusalsSayWhyAndLeaveTheDeviceUsable) {
  const auto kernel =
      load("__global__ void __launch_bounds__(128) k(float* out) { out[threadIdx.x] = 1; }\n", "k");
  EXPECT_EQ(kernel.resources.max_threads, 128);
  const BufferId out = allocate(4096);
  const std::vector arguments{at(out)};
  const auto refused = [&](const LaunchGeometry& shape) {
    const auto done = launch(kernel.id, shape, arguments);
    if (done) return std::string("it ran");
    EXPECT_EQ(done.error().error, DeviceError::kLaunch) << done.error().message;
    return done.error().message;
  };
  EXPECT_TRUE(says(refused(geometry(1, 256)), "this kernel allows 128"));
  EXPECT_TRUE(says(refused(geometry(1, 2048)), "block.x is 2048"));
  EXPECT_TRUE(says(refused(geometry(0, 32)), "at least 1"));
  EXPECT_TRUE(says(refused(geometry(1, 32, 1 << 20)), "shared memory"));
  EXPECT_TRUE(launch(kernel.id, geometry(1, 128), arguments));
}

TEST_F(Gpu, AnArgumentListThatDoesNotFitIsRefused) {
  const auto kernel = load("__global__ void k(float* out, int n) { out[0] = n; }\n", "k");
  const BufferId out = allocate(4);
  const auto missing = launch(kernel.id, geometry(1, 1), std::vector{at(out)});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "the kernel takes 2 arguments, 1 are given");
  const auto wide = launch(kernel.id, geometry(1, 1), std::vector{at(out), scalar(1.0)});
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().message, "argument 2 has 8 bytes, the kernel expects 4");
}

TEST_F(Gpu, AnImageThatDoesNotLoadIsTheVariantsFault) {
  Artifact bad;
  bad.image = "not an image";
  bad.entry = "k";
  EXPECT_EQ(backend->load(bad).error().error, DeviceError::kInvalid);
  load("__global__ void k() {}\n", "k");
  artifact.entry = "another";
  EXPECT_EQ(backend->load(artifact).error().error, DeviceError::kInvalid);
}

TEST_F(Gpu, TimesAreThoseOfTheDevicesClock) {
  const auto kernel = load(kSpin, "spin");
  const std::vector arguments{scalar(std::uint64_t{300})};
  ASSERT_TRUE(launch(kernel.id, geometry(1, 1), arguments));
  for (const bool flush : {false, true}) {
    const auto times = time(kernel.id, geometry(1, 1), arguments, {100, 1, flush, {}});
    ASSERT_TRUE(times) << times.error().message;
    std::cout << (flush ? "cold" : "hot") << " 300 us spin: " << median(*times) << " ms\n";
    EXPECT_GE(median(*times), 0.299);
    EXPECT_LE(median(*times), 0.320);
  }
}

TEST_F(Gpu, AnEmptyKernelCostsMicrosecondsBecauseTheHostIsAhead) {
  const auto kernel = load("__global__ void k() {}\n", "k");
  ASSERT_TRUE(launch(kernel.id, geometry(1, 1), {}));
  for (const bool flush : {false, true}) {
    const auto times = time(kernel.id, geometry(1, 1), {}, {50, 1, flush, {}});
    ASSERT_TRUE(times) << times.error().message;
    std::cout << (flush ? "cold" : "hot") << " empty kernel: " << median(*times) * 1000 << " us\n";
    EXPECT_LT(median(*times), 0.012);
  }
  const auto many = time(kernel.id, geometry(1, 1), {}, {5, 100, false, {}});
  ASSERT_TRUE(many);
  std::cout << "100 launches a sample: " << median(*many) * 1000 << " us each\n";
  EXPECT_LT(median(*many), 0.008);
}

TEST_F(Gpu, FlushingTheCacheShowsInAReadThatWouldFit) {
  const auto kernel = load(
      "__global__ void k(const float4* in, float* out, int n) {\n"
      "  float sum = 0;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
      "       i += gridDim.x * blockDim.x) { float4 v = in[i]; sum += v.x + v.y + v.z + v.w; }\n"
      "  if (sum == 12345.678f) out[0] = sum;\n}\n",
      "k");
  const auto bytes = static_cast<std::uint64_t>(backend->facts().l2_bytes / 4);
  const BufferId in = allocate(bytes);
  const BufferId out = allocate(4);
  ASSERT_TRUE(
      backend->memory().fill({in, 0}, bytes, {Fill::Kind::kBytes, DataType::kUInt8, 0, 0, 0}));
  const std::vector arguments{at(in), at(out), scalar(static_cast<int>(bytes / 16))};
  const auto shape =
      geometry(static_cast<std::uint32_t>(backend->facts().multiprocessors) * 4, 256);
  ASSERT_TRUE(launch(kernel.id, shape, arguments));
  const auto hot = time(kernel.id, shape, arguments, {30, 1, false, {}});
  const auto cold = time(kernel.id, shape, arguments, {30, 1, true, {}});
  ASSERT_TRUE(hot && cold);
  std::cout << bytes << " bytes: hot " << median(*hot) << " ms, cold " << median(*cold) << " ms\n";
  EXPECT_GT(median(*cold), median(*hot));
}

TEST_F(Gpu, RestoresComeBeforeEverySample) {
  const auto kernel = load("__global__ void k(int* a) { a[0] += 1; }\n", "k");
  const BufferId work = allocate(4);
  const BufferId original = allocate(4);
  upload<int>({original, 0}, {10});
  const auto times =
      time(kernel.id, geometry(1, 1), std::vector{at(work)}, {70, 1, true, {{work, original, 4}}});
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(download<int>({work, 0}, 1)[0], 11);
  ASSERT_TRUE(time(kernel.id, geometry(1, 1), std::vector{at(work)}, {70, 1, false, {}}));
  EXPECT_EQ(download<int>({work, 0}, 1)[0], 81);
}

}  // namespace
}  // namespace tuner
