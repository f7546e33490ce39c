// Launches as they are deployed: from graphs, on buffers in turns, with launch attributes.
#include <algorithm>
#include <iostream>

#include "gpu_fixture.h"

namespace tuner {
namespace {

TimingRequest hot(std::uint32_t samples, std::uint32_t launches = 1) {
  TimingRequest request;
  request.samples = samples;
  request.launches_per_sample = launches;
  request.flush_cache = false;
  return request;
}

const char* const kCount = "__global__ void count(int* a, int by) { a[threadIdx.x] += by; }\n";

TEST_F(Gpu, AGraphLaunchesEverythingThatASampleHolds) {
  const auto kernel = load(std::string(kCount) + "__global__ void twice(int* a) { a[0] *= 2; }\n",
                           "count", {}, {"twice"});
  const BufferId a = allocate(4);
  KernelLaunch first{kernel.id, geometry(1, 1), {at(a), scalar(3)}};
  KernelLaunch second{kernel.then.at(0).id, geometry(1, 1), {at(a)}};
  TimingRequest request = hot(2, 2);
  request.graph = true;
  ASSERT_TRUE(backend->launch({first, second}));
  upload<int>({a, 0}, {0});
  const auto times = backend->time({first, second}, request);
  ASSERT_TRUE(times) << times.error().message;
  // Four times 2 (a + 3).
  EXPECT_EQ(download<int>({a, 0}, 1)[0], ((((0 + 3) * 2 + 3) * 2 + 3) * 2 + 3) * 2);
  EXPECT_EQ(times->size(), 2U);
}

TEST_F(Gpu, AGraphRestoresAndFlushesBeforeEachSample) {
  const auto kernel = load(kCount, "count");
  const BufferId work = allocate(4);
  const BufferId original = allocate(4);
  upload<int>({original, 0}, {10});
  TimingRequest request{70, 1, true, {{work, original, 4}}};
  request.graph = true;
  const auto times = time(kernel.id, geometry(1, 1), std::vector{at(work), scalar(1)}, request);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(download<int>({work, 0}, 1)[0], 11);
}

// A short kernel in a graph of a hundred: what it takes there, and what it takes in a stream.
TEST_F(Gpu, TimesFromAGraphAreThoseOfTheKernels) {
  const auto kernel = load(
      "__global__ void spin(unsigned long long ns) {\n"
      "  unsigned long long start, now;\n"
      "  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(start));\n"
      "  do { asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(now)); }\n"
      "  while (now - start < ns);\n}\n",
      "spin");
  const std::vector<LaunchArgument> arguments{scalar(20000ULL)};
  TimingRequest request = hot(20, 50);
  const auto stream = time(kernel.id, geometry(1, 1), arguments, request);
  request.graph = true;
  const auto graph = time(kernel.id, geometry(1, 1), arguments, request);
  ASSERT_TRUE(stream && graph);
  std::cout << "20 us of work: stream " << 1000 * median(*stream) << " us, graph "
            << 1000 * median(*graph) << " us\n";
  EXPECT_GT(median(*graph), 0.0185);  // some devices renew their timer once in a microsecond
  EXPECT_LT(median(*graph), 0.026);
}

TEST_F(Gpu, LaunchesTakeTurnsOnTheirBuffers) {
  const auto kernel = load(kCount, "count");
  const BufferId room = allocate(4096);
  TimingRequest request = hot(4, 2);
  for (int i = 0; i < 3; ++i) {
    upload<int>({room, 1024U * i}, {0});
    request.turns.push_back({{kernel.id, geometry(1, 1), {at(room, 1024U * i), scalar(1)}}});
  }
  for (const bool graph : {false, true}) {
    request.graph = graph;
    const auto times = backend->time(request.turns[0], request);
    ASSERT_TRUE(times) << times.error().message;
  }
  // Eight launches each time: numbers 0, 3, 6; 1, 4, 7; 2, 5.
  EXPECT_EQ(download<int>({room, 0}, 1)[0], 6);
  EXPECT_EQ(download<int>({room, 1024}, 1)[0], 6);
  EXPECT_EQ(download<int>({room, 2048}, 1)[0], 4);
}

// Reads a tenth of the cache: hot it is there, cold and in turns it is not.
TEST_F(Gpu, DataOnCopiesInTurnsAreNotInTheCache) {
  const auto kernel = load(
      "__global__ void sum(const float4* a, float* out, int n) {\n"
      "  float s = 0;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) "
      "{\n"
      "    const float4 v = a[i]; s += v.x + v.y + v.z + v.w;\n  }\n"
      "  if (s == 42.f) out[0] = s;\n}\n",
      "sum");
  const auto bytes = static_cast<std::uint64_t>(backend->facts().l2_bytes) / 10 / 1024 * 1024;
  const std::uint64_t copies = 21;
  const BufferId room = allocate(bytes * copies);
  const BufferId out = allocate(4);
  ASSERT_TRUE(backend->memory().fill({room, 0}, bytes * copies, {}));
  const auto of = [&](std::uint64_t copy) {
    return LaunchSequence{
        {kernel.id,
         geometry(264, 256),
         {at(room, copy * bytes), at(out), scalar(static_cast<int>(bytes / 16))}}};
  };
  TimingRequest request = hot(20, 10);
  const auto before = backend->time(of(0), request);
  for (std::uint64_t i = 0; i < copies; ++i) request.turns.push_back(of(i));
  const auto in_turns = backend->time(of(0), request);
  request.graph = true;
  const auto in_graph = backend->time(of(0), request);
  request.turns.clear();
  request.graph = false;
  const auto after = backend->time(of(0), request);
  ASSERT_TRUE(before && in_turns && in_graph && after);
  // The first timing of an idle device may be that of a clock that has yet to rise.
  const double hot_ms = std::min(median(*before), median(*after));
  std::cout << bytes << " bytes: hot " << 1000 * hot_ms << " us, in turns "
            << 1000 * median(*in_turns) << " us, in a graph " << 1000 * median(*in_graph)
            << " us\n";
  EXPECT_GT(median(*in_turns), 1.1 * hot_ms);
  EXPECT_GT(median(*in_graph), 1.1 * hot_ms);
}

// A launch that marks its data to stay finds no more of them than one that does not.
TEST_F(Gpu, AColdCacheHoldsNoLinesThatWereMarkedToPersist) {
  const char* const source =
      "__global__ void sum(const float4* a, float* out, int n, int keep) {\n"
      "  unsigned long long policy;\n"
      "  asm(\"createpolicy.fractional.L2::evict_last.b64 %0, 1.0;\" : \"=l\"(policy));\n"
      "  float s = 0;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) "
      "{\n"
      "    float4 v;\n"
      "    if (keep) {\n"
      "      asm volatile(\"ld.global.L2::cache_hint.v4.f32 {%0,%1,%2,%3}, [%4], %5;\"\n"
      "                   : \"=f\"(v.x), \"=f\"(v.y), \"=f\"(v.z), \"=f\"(v.w)\n"
      "                   : \"l\"(a + i), \"l\"(policy));\n"
      "    } else v = a[i];\n"
      "    s += v.x + v.y + v.z + v.w;\n  }\n"
      "  if (s == 42.f) out[0] = s;\n}\n";
  if (backend->facts().compute_capability < 80) GTEST_SKIP() << "no such policy";
  const auto kernel = load(source, "sum");
  const auto bytes = static_cast<std::uint64_t>(backend->facts().l2_bytes) / 4 / 1024 * 1024;
  const BufferId data = allocate(bytes);
  const BufferId out = allocate(4);
  ASSERT_TRUE(backend->memory().fill({data, 0}, bytes, {}));
  // One at a time, as a final takes them: marks are taken away once for samples queued together.
  const auto timed = [&](int keep, bool flush) {
    TimingRequest request = hot(1);
    request.flush_cache = flush;
    std::vector<double> all;
    for (int i = 0; i < 40; ++i) {
      const auto times =
          time(kernel.id, geometry(264, 512),
               std::vector{at(data), at(out), scalar(static_cast<int>(bytes / 16)), scalar(keep)},
               request);
      EXPECT_TRUE(times) << times.error().message;
      if (times) all.push_back(times->front());
    }
    return all.empty() ? 0 : median(all);
  };
  // The first timing of an idle device may be that of a clock that has yet to rise.
  const double first = timed(0, true);
  const double keeping = timed(1, true);
  const double usual = std::min(first, timed(0, true));
  const double warm = timed(0, false);
  std::cout << bytes << " bytes cold: " << 1000 * usual << " us, marked to persist "
            << 1000 * keeping << " us, hot " << 1000 * warm << " us\n";
  EXPECT_GT(keeping, usual - 0.25 * (usual - warm));
}

TEST_F(Gpu, ClustersAreThoseThatWereAskedFor) {
  if (backend->facts().compute_capability < 90) GTEST_SKIP() << "no clusters";
  const auto kernel = load(
      "__global__ void k(int* out) {\n  int blocks;\n"
      "  asm(\"mov.u32 %0, %%cluster_nctaid.x;\" : \"=r\"(blocks));\n"
      "  if (threadIdx.x == 0) out[blockIdx.x] = blocks;\n}\n",
      "k");
  const BufferId out = allocate(64);
  for (const std::uint32_t blocks : {1U, 2U, 8U, 16U}) {
    LaunchGeometry shape = geometry(16, 32);
    shape.attributes.cluster[0] = blocks;
    if (blocks > 1) shape.attributes.scheduling = ClusterScheduling::kSpread;
    const auto done = launch(kernel.id, shape, {at(out)});
    ASSERT_TRUE(done) << blocks << ": " << done.error().message;
    EXPECT_EQ(download<int>({out, 0}, 16), std::vector<int>(16, static_cast<int>(blocks)));
  }
  LaunchGeometry shape = geometry(16, 32);
  shape.attributes.cluster[0] = 2;
  TimingRequest request = hot(3, 4);
  request.graph = true;
  ASSERT_TRUE(time(kernel.id, shape, {at(out)}, request));
  EXPECT_EQ(download<int>({out, 0}, 16), std::vector<int>(16, 2));
}

// All blocks wait for each other; one block more than the device holds is refused, and the device
// stays good.
TEST_F(Gpu, CooperativeLaunchesHaveAllBlocksAtOnce) {
  const auto kernel = load(
      "__global__ void __launch_bounds__(1024, 1) k(unsigned* arrived, unsigned* out) {\n"
      "  if (threadIdx.x == 0) {\n"
      "    atomicAdd(arrived, 1);\n"
      "    while (atomicAdd(arrived, 0) < gridDim.x) {}\n"
      "    out[blockIdx.x] = 1;\n  }\n}\n",
      "k");
  const auto blocks = static_cast<std::uint32_t>(backend->facts().multiprocessors);
  const BufferId arrived = allocate(4);
  const BufferId out = allocate(blocks * 16);
  upload<unsigned>({arrived, 0}, {0});
  LaunchGeometry shape = geometry(blocks, 1024);
  shape.attributes.cooperative = true;
  const auto done = launch(kernel.id, shape, {at(arrived), at(out)});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(download<unsigned>({out, 0}, blocks), std::vector<unsigned>(blocks, 1));
  shape.grid[0] = 4 * blocks;
  const auto refused = launch(kernel.id, shape, {at(arrived), at(out)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error, DeviceError::kLaunch) << refused.error().message;
  EXPECT_EQ(download<unsigned>({out, 0}, 1)[0], 1U);
}

// The second kernel begins while the first is still running, and waits for it where it says so.
TEST_F(Gpu, ProgrammaticLaunchesOverlapAndStayRight) {
  if (backend->facts().compute_capability < 90) GTEST_SKIP() << "no programmatic launches";
  const auto kernel = load(
      "extern \"C\" __global__ void first(int* a) {\n"
      "  asm volatile(\"griddepcontrol.launch_dependents;\");\n"
      "  unsigned long long start, now;\n"
      "  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(start));\n"
      "  do { asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(now)); }\n"
      "  while (now - start < 20000);\n"
      "  a[0] += 1;\n}\n"
      "extern \"C\" __global__ void second(int* a) {\n"
      "  unsigned long long start, now;\n"
      "  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(start));\n"
      "  do { asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(now)); }\n"
      "  while (now - start < 15000);\n"
      "  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"
      "  a[1] = a[0];\n}\n",
      "first", {}, {"second"});
  const BufferId a = allocate(8);
  LaunchSequence sequence{{kernel.id, geometry(1, 1), {at(a)}},
                          {kernel.then.at(0).id, geometry(1, 1), {at(a)}}};
  ASSERT_TRUE(backend->launch(sequence));
  const auto timed = [&](bool programmatic, bool graph) {
    upload<int>({a, 0}, {0, 0});
    sequence[1].geometry.attributes.programmatic = programmatic;
    TimingRequest request = hot(10);
    request.graph = graph;
    const auto times = backend->time(sequence, request);
    EXPECT_TRUE(times) << times.error().message;
    EXPECT_EQ(download<int>({a, 0}, 2), (std::vector<int>{10, 10}));
    return times ? median(*times) : 0;
  };
  for (const bool graph : {false, true}) {
    const double one_by_one = timed(false, graph);
    const double overlapping = timed(true, graph);
    std::cout << (graph ? "graph" : "stream") << ": one by one " << 1000 * one_by_one
              << " us, programmatic " << 1000 * overlapping << " us\n";
    EXPECT_LT(overlapping, one_by_one - 0.008);
  }
}

TEST_F(Gpu, ACarveoutIsAWishThatIsPassedOn) {
  const auto kernel = load(kCount, "count");
  const BufferId a = allocate(4096);
  upload<int>({a, 0}, std::vector<int>(32, 0));
  for (const int percent : {0, 50, 100, -1}) {
    LaunchGeometry shape = geometry(1, 32);
    shape.attributes.carveout = percent;
    const auto done = launch(kernel.id, shape, {at(a), scalar(1)});
    ASSERT_TRUE(done) << percent << ": " << done.error().message;
  }
  EXPECT_EQ(download<int>({a, 0}, 32), std::vector<int>(32, 4));
}

TEST_F(Gpu, TheClockOfAMeasurementIsKnown) {
  // The stamps' kernel is compiled with those that fill.
  const BufferId a = allocate(4096);
  ASSERT_TRUE(
      backend->memory().fill({a, 0}, 1024, {Fill::Kind::kUniform, DataType::kFloat32, 0, 1, 1}));
  const auto kernel = load(kCount, "count");
  const auto times = time(kernel.id, geometry(1, 32), {at(a), scalar(1)}, hot(20, 100));
  ASSERT_TRUE(times);
  const Conditions now = backend->conditions();
  std::cout << now.clock_mhz << " MHz, " << now.watts << " W\n";
  EXPECT_GT(now.clock_mhz, 300);
  EXPECT_LT(now.clock_mhz, 4000);
}

}  // namespace
}  // namespace tuner
