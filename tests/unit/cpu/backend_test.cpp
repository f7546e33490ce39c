#include <array>
#include <cstring>
#include <tuple>

#include "tests/unit/cpu/variant.h"
#include "tuner/plugins/cpu/image.h"

extern "C" const tuner_plugin tuner_plugin_v2;

namespace tuner::cpu {
namespace {

std::string collected;
const tuner_sink kCollect{&collected, [](void* to, const void* data, std::size_t size) {
                            static_cast<std::string*>(to)->append(static_cast<const char*>(data),
                                                                  size);
                          }};

TEST(Backend, FactsDescribeTheHost) {
  const tuner_device_facts facts = open_backend()->facts();
  EXPECT_NE(std::strlen(facts.name), 0U);
  EXPECT_EQ(std::string(facts.arch).find('_'), std::string::npos);
  EXPECT_GE(facts.multiprocessors, 1);
  EXPECT_GT(facts.memory_bytes, 1 << 20);
  EXPECT_EQ(facts.max_threads_per_block, 1024);
  EXPECT_EQ(facts.max_shared_memory_per_block, 48 * 1024);
  EXPECT_EQ(facts.compute_capability, 0);
}

TEST(Backend, BuffersAreAlignedAndChecked) {
  auto backend = open_backend();
  for (const std::uint64_t bytes : {1, 255, 256, 4096, 100001}) {
    const std::uint64_t id = backend->allocate(bytes);
    std::vector<char> data(bytes, 'x');
    backend->upload({id, 0}, data.data(), bytes);
    EXPECT_THROW(backend->upload({id, 1}, data.data(), bytes), sdk::Error);
    EXPECT_THROW(backend->upload({id, ~std::uint64_t{0}}, data.data(), bytes), sdk::Error);
    backend->release(id);
    EXPECT_THROW(backend->download({id, 0}, data.data(), bytes), sdk::Error);
  }
  EXPECT_THROW(backend->allocate(~std::uint64_t{0}), sdk::Error);
  EXPECT_NO_THROW(backend->release(backend->allocate(0)));
}

TEST(Backend, AdoptedMemoryIsABufferThatIsNotFreed) {
  auto backend = open_backend();
  std::vector<int> own(100, 7);
  const auto address = reinterpret_cast<std::uintptr_t>(own.data());
  const std::uint64_t id = backend->adopt(address, own.size() * sizeof(int));
  backend->fill({id, 40}, 90, {TUNER_FILL_CONSTANT, TUNER_INT32, 1, 0, 0});
  EXPECT_EQ(own[9], 7);
  EXPECT_EQ(own[10], 1);
  EXPECT_THROW(backend->fill({id, 40}, 91, {TUNER_FILL_CONSTANT, TUNER_INT32, 1, 0, 0}),
               sdk::Error);
  backend->release(id);
  EXPECT_EQ(own[99], 1);
}

TEST(Backend, FillCopyAndCompareWorkOnRanges) {
  auto backend = open_backend({{"threads", "3"}});
  constexpr std::uint64_t kCount = 200000;  // enough to be split between the threads
  const std::uint64_t a = backend->allocate(kCount * 4 + 400);
  const std::uint64_t b = backend->allocate(kCount * 4);
  backend->fill({a, 400}, kCount, {TUNER_FILL_SEQUENCE, TUNER_INT32, 1, 1, 0});
  backend->copy({b, 0}, {a, 400}, kCount * 4);
  EXPECT_EQ(backend->compare({b, 0}, {a, 400}, TUNER_INT32, kCount, 0, 0).mismatches, 0U);
  const int wrong = -1;
  backend->upload({b, 150000 * 4}, &wrong, 4);
  const auto result = backend->compare({b, 0}, {a, 400}, TUNER_INT32, kCount, 0, 0);
  EXPECT_EQ(result.mismatches, 1U);
  EXPECT_EQ(result.first_mismatch, 150000U);
  EXPECT_EQ(result.first_expected, 150001);
  EXPECT_THROW(backend->fill({a, 0}, kCount + 101, {TUNER_FILL_CONSTANT, TUNER_INT32, 1, 1, 0}),
               sdk::Error);
  EXPECT_THROW(backend->fill({a, 0}, 1, {TUNER_FILL_CONSTANT, 14, 1, 1, 0}), sdk::Error);
  EXPECT_THROW(backend->fill({a, 0}, 1, {8, TUNER_INT32, 1, 1, 0}), sdk::Error);
}

TEST(Backend, ImagesThatAreNoVariantsDoNotLoad) {
  auto backend = open_backend();
  for (const std::string& image : {std::string(),
                                   std::string("\x7f"
                                               "ELF"),
                                   std::string(5000, 'x')}) {
    EXPECT_THROW(backend->load(image, "tuner_cpu_entry_0"), sdk::Error);
  }
  const auto result = compiled(request_for("extern \"C\" __global__ void kernel() {}"));
  for (const std::size_t size : {100U, 1000U, 4000U}) {
    EXPECT_THROW(backend->load(result.image.substr(0, size), result.entry), sdk::Error) << size;
  }
  EXPECT_THROW(backend->load(result.image, "another"), sdk::Error);
  EXPECT_NO_THROW(backend->unload(backend->load(result.image, result.entry).kernel));
}

constexpr const char* kTwoKernels = R"(
__device__ int seen;
__global__ void first(int* data) { data[threadIdx.x] = threadIdx.x; seen = blockDim.x; }
template <int N> __global__ void second(int* data, int more) {
  __shared__ int words[N];
  words[threadIdx.x] = data[threadIdx.x] + more + seen;
  __syncthreads();
  data[threadIdx.x] = words[N - 1 - threadIdx.x];
})";

TEST(Backend, KernelsOfOneImageFollowEachOther) {
  auto request = request_for(kTwoKernels, "first");
  request.next_entries = {"second<4>"};
  Variant variant(request);
  CpuBackend& backend = *variant.backend;
  ASSERT_EQ(variant.result.next.size(), 1U);
  const auto next_kernel = backend.load_next(variant.kernel, variant.result.next[0].entry);
  const std::uint64_t buffer = backend.allocate(16);
  const int more = 100;
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}, {0, 4, {0, 0}, &more}};
  tuner_launch next = launch_of(arguments, {1, 4});
  tuner_launch launch = next;
  launch.argument_count = 1;
  launch.next_kernel = next_kernel.kernel;
  launch.next = &next;
  const auto contents = [&] {
    std::vector<int> out(4);
    backend.download({buffer, 0}, out.data(), 16);
    return out;
  };
  backend.launch(variant.kernel, launch);
  EXPECT_EQ(contents(), (std::vector<int>{107, 106, 105, 104}));
  std::vector<double> milliseconds(2, -1);
  backend.time(variant.kernel, launch,
               {sizeof(tuner_timing), 2, 3, 0, nullptr, 0, nullptr, 0, nullptr, 0}, milliseconds);
  EXPECT_EQ(contents(), (std::vector<int>{107, 106, 105, 104}));
  EXPECT_GT(milliseconds[0], 0);

  backend.fill({buffer, 0}, 4, {TUNER_FILL_CONSTANT, TUNER_INT32, 9, 0, 0});
  next.block[0] = 2048;
  EXPECT_THROW(backend.launch(variant.kernel, launch), sdk::Error);
  EXPECT_EQ(contents(), std::vector<int>(4, 9)) << "the first one ran";
  EXPECT_THROW(backend.load_next(variant.kernel, "another"), sdk::Error);
  backend.unload(variant.kernel);
  EXPECT_THROW(backend.launch(next_kernel.kernel, next), sdk::Error);
}

TEST(Backend, ThousandsOfVariantsMayBeLoadedOneAfterTheOther) {
  auto backend = open_backend();
  const auto result = compiled(request_for(
      "__device__ int calls; extern \"C\" __global__ void kernel(int* o) { *o = ++calls; }"));
  const std::uint64_t buffer = backend->allocate(4);
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}};
  const tuner_launch launch = launch_of(arguments);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t kernel = backend->load(result.image, result.entry).kernel;
    backend->launch(kernel, launch);
    backend->unload(kernel);
  }
  int calls = 0;
  backend->download({buffer, 0}, &calls, 4);
  EXPECT_EQ(calls, 1) << "every load starts with fresh variables";
}

TEST(Backend, VariantsThatAreLoadedTogetherAreDifferentOnes) {
  auto backend = open_backend();
  const std::uint64_t buffer = backend->allocate(4);
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}};
  const tuner_launch launch = launch_of(arguments);
  std::vector<std::uint64_t> kernels;
  for (int i = 0; i < 3; ++i) {
    const auto result = compiled(request_for(
        "extern \"C\" __global__ void kernel(int* o) { *o = " + std::to_string(i) + "; }"));
    kernels.push_back(backend->load(result.image, result.entry).kernel);
  }
  for (int i = 0; i < 3; ++i) {
    backend->launch(kernels[static_cast<std::size_t>(i)], launch);
    int answer = -1;
    backend->download({buffer, 0}, &answer, 4);
    EXPECT_EQ(answer, i);
  }
}

TEST(Backend, AKernelMayTakeAsManyArgumentsAsItsSourceSays) {
  std::array<int, 300> ones{};
  ones.fill(1);
  std::string parameters = "int* y";
  std::string sum = "0";
  for (std::size_t i = 0; i < ones.size(); ++i) {
    parameters += ", int a" + std::to_string(i);
    sum += " + a" + std::to_string(i);
  }
  Variant variant("__global__ void kernel(" + parameters + ") { *y = " + sum + "; }\n");
  Buffer<int> y{{0}};
  std::apply([&](const auto&... each) { variant.run({}, y, each...); }, ones);
  EXPECT_EQ(y.values[0], 300);
  EXPECT_EQ(variant.fault(TUNER_INVALID, {}, y, 1), "the kernel takes 301 arguments, not 2");
}

TEST(Backend, TimingRestoresBeforeEachSampleAndCountsLaunches) {
  Variant variant("extern \"C\" __global__ void kernel(int* o) { atomicAdd(o, 1); }");
  CpuBackend& backend = *variant.backend;
  const std::uint64_t buffer = backend.allocate(4);
  const std::uint64_t saved = backend.allocate(4);
  const int hundred = 100;
  backend.upload({saved, 0}, &hundred, 4);
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}};
  const tuner_launch launch = launch_of(arguments, {1, 10});
  const tuner_restore restore{buffer, saved, 4};
  const tuner_byte_fill fill{{buffer, 3}, 1, 1, 0};
  std::vector<double> milliseconds(3, -1);
  backend.time(variant.kernel, launch,
               {sizeof(tuner_timing), 3, 5, 1, &restore, 1, nullptr, 0, &fill, 1}, milliseconds);
  for (const double one : milliseconds) EXPECT_GT(one, 0);
  int count = 0;
  backend.download({buffer, 0}, &count, 4);
  EXPECT_EQ(count, 100 + 5 * 10 + (1 << 24)) << "filled behind the copy";
}

TEST(Backend, OptionsAreChecked) {
  EXPECT_THROW(open_backend({{"order", "backwards"}}), sdk::Error);
  EXPECT_THROW(open_backend({{"threads", "-1"}}), sdk::Error);
  EXPECT_THROW(open_backend({{"unknown", "1"}}), sdk::Error);
  EXPECT_NO_THROW(open_backend({{"order", "random"}, {"seed", "5"}, {"poison_shared", "off"}}));
}

TEST(Plugin, AMachineShowsItselfAsSoManyDevicesAsAreAskedFor) {
  const auto opened = [](std::uint32_t device, const char* total) {
    const tuner_pair pair{sdk::str("devices"), sdk::str(total)};
    return CpuBackend(device, sdk::Options(CpuBackend::kOptions, std::span(&pair, 1))).facts();
  };
  const tuner_device_facts first = opened(0, "4");
  const tuner_device_facts last = opened(3, "4");
  EXPECT_STREQ(first.name, last.name);
  EXPECT_STREQ(first.uuid, "cpu-0");
  EXPECT_STREQ(last.uuid, "cpu-3");
  EXPECT_STREQ(opened(0, "1").uuid, "") << "one device needs no name";
  try {
    opened(4, "4");
    ADD_FAILURE() << "a fifth of four devices";
  } catch (const sdk::Error& error) {
    EXPECT_STREQ(error.what(), "there are only devices 0 to 3");
  }
  EXPECT_THROW(opened(0, "0"), sdk::Error);
  EXPECT_THROW(opened(0, "65"), sdk::Error);
}

TEST(Plugin, OffersABackendAndItsCompiler) {
  const auto* backends =
      static_cast<const tuner_backend_factory*>(tuner_plugin_v2.get_factory(TUNER_KIND_BACKEND));
  const auto* compilers =
      static_cast<const tuner_compiler_factory*>(tuner_plugin_v2.get_factory(TUNER_KIND_COMPILER));
  ASSERT_NE(backends, nullptr);
  ASSERT_NE(compilers, nullptr);
  EXPECT_STREQ(backends->info(0)->name, "cpu");
  EXPECT_STREQ(compilers->info(0)->name, "cpu");
  EXPECT_EQ(backends->device_count(0, kCollect), 1);
  EXPECT_EQ(tuner_plugin_v2.get_factory(TUNER_KIND_STRATEGY), nullptr);
}

TEST(Plugin, AVariantGoesThroughTheTables) {
  const auto* backends =
      static_cast<const tuner_backend_factory*>(tuner_plugin_v2.get_factory(TUNER_KIND_BACKEND));
  const auto result =
      compiled(request_for("extern \"C\" __global__ void kernel(int* o) { *o = 7; __trap(); }"));
  tuner_backend backend{};
  backend.struct_size = sizeof backend;
  ASSERT_EQ(backends->open(0, 0, nullptr, 0, &backend, kCollect), TUNER_OK) << collected;
  tuner_loaded_kernel kernel{};
  std::uint64_t buffer = 0;
  const tuner_str entry = sdk::str(result.entry);
  ASSERT_EQ(
      backend.kernels->load(backend.self, sdk::str(result.image), &entry, 1, &kernel, kCollect),
      TUNER_OK);
  ASSERT_EQ(backend.memory->allocate(backend.self, 4, &buffer, kCollect), TUNER_OK);
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}};
  const tuner_launch launch = launch_of(arguments);
  collected.clear();
  EXPECT_EQ(backend.kernels->launch(backend.self, kernel.kernel, &launch, kCollect),
            TUNER_RUNTIME_FAULT);
  EXPECT_NE(collected.find("__trap()"), std::string::npos);
  int out = 0;
  EXPECT_EQ(backend.memory->download(backend.self, {buffer, 0}, &out, 4, kCollect), TUNER_OK);
  EXPECT_EQ(out, 7);
  for (const char* name :
       {TUNER_ABILITY_POWER, TUNER_ABILITY_GRAPH, TUNER_ABILITY_COUNTERS, "tuner.unheard_of/1"}) {
    EXPECT_EQ(backend.ability(backend.self, name), nullptr) << name;
  }
  backend.destroy(backend.self);
}

}  // namespace
}  // namespace tuner::cpu
