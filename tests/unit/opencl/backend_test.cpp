#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "tests/unit/opencl/device.h"
#include "tuner/plugin/sdk_elements.h"
#include "tuner/plugins/opencl/opencl_backend.h"
#include "tuner/plugins/opencl/opencl_compiler.h"

namespace tuner::opencl {
namespace {

constexpr std::uint64_t kGuard = 1024;  // as the host puts before what a kernel gets

std::vector<unsigned char> filled(OpenClBackend& backend, const tuner_fill& how) {
  constexpr std::uint64_t kElements = 1000;
  const std::uint64_t bytes = sdk::bytes_of_elements(how.type, kElements);
  const std::uint64_t buffer = backend.allocate(kGuard + bytes);
  backend.fill({buffer, kGuard}, kElements, how);
  std::vector<unsigned char> out(bytes);
  backend.download({buffer, kGuard}, out.data(), bytes);
  backend.release(buffer);
  return out;
}

TEST(Fill, DeviceAndHostMakeTheSameBytes) {
  TUNER_NEEDS_DEVICE();
  if (!all_devices().front().has_doubles) GTEST_SKIP() << "NO DOUBLE PRECISION HERE";
  OpenClBackend on_device(0, true);
  OpenClBackend on_host(0, false);
  for (std::uint32_t type = TUNER_FLOAT32; type <= TUNER_FLOAT8_E5M2; ++type) {
    for (std::uint32_t kind = TUNER_FILL_BYTES; kind <= TUNER_FILL_SEQUENCE; ++kind) {
      const tuner_fill how{kind, type, -3.25, 90.5, 42};
      const auto device = filled(on_device, how);
      EXPECT_EQ(device, filled(on_host, how)) << "type " << type << ", kind " << kind;
    }
  }
}

TEST(Fill, AMaskHidesWordsAndDoneAgainShowsThem) {
  TUNER_NEEDS_DEVICE();
  if (!all_devices().front().has_doubles) GTEST_SKIP() << "NO DOUBLE PRECISION HERE";
  OpenClBackend backend(0, true);
  const tuner_fill mask{TUNER_FILL_MASK, TUNER_UINT64, 12345, 0, 678};
  const std::vector<std::uint64_t> numbers{1, 2, 3};
  std::vector<std::uint64_t> words = numbers;
  const tuner_range all{backend.allocate(24), 0};
  backend.upload(all, words.data(), 24);
  backend.fill(all, 3, mask);
  backend.download(all, words.data(), 24);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(words[i], numbers[i] ^ sdk::elements::element_mask(12345, 678, i));
  }
  backend.fill(all, 3, mask);
  backend.download(all, words.data(), 24);
  EXPECT_EQ(words, numbers);
}

TEST(Compare, DeviceAndHostFindTheSameMistakes) {
  TUNER_NEEDS_DEVICE();
  if (!all_devices().front().has_doubles) GTEST_SKIP() << "NO DOUBLE PRECISION HERE";
  std::vector<float> expected(5000);
  std::iota(expected.begin(), expected.end(), 1.0F);
  std::vector<float> actual = expected;
  actual[77] += 0.5F;
  actual[4000] += 2.0F;
  expected[1] = actual[1] = std::numeric_limits<float>::infinity();
  for (const bool on_device : {true, false}) {
    OpenClBackend backend(0, on_device);
    const std::uint64_t left = backend.allocate(20000), right = backend.allocate(20000);
    backend.upload({left, 0}, actual.data(), 20000);
    backend.upload({right, 0}, expected.data(), 20000);
    const tuner_comparison found =
        backend.compare({left, 0}, {right, 0}, TUNER_FLOAT32, 5000, 0, 0.25);
    EXPECT_EQ(found.mismatches, 2U);
    EXPECT_EQ(found.first_mismatch, 77U);
    EXPECT_EQ(found.max_abs_error, 2.0);
    EXPECT_EQ(found.first_value, 78.5);
    EXPECT_EQ(found.first_expected, 78.0);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    backend.upload({left, 40}, &nan, sizeof nan);
    const tuner_comparison worse =
        backend.compare({left, 0}, {right, 0}, TUNER_FLOAT32, 5000, 0, 0.25);
    EXPECT_EQ(worse.mismatches, 3U);
    EXPECT_EQ(worse.max_abs_error, std::numeric_limits<double>::infinity());
  }
}

// Beyond 2^53 neighbours look equal as doubles.
TEST(Compare, WholeNumbersAreComparedAsSuch) {
  TUNER_NEEDS_DEVICE();
  for (const bool on_device : {all_devices().front().has_doubles, false}) {
    OpenClBackend backend(0, on_device);
    const std::int64_t values[] = {std::int64_t{1} << 60, -(std::int64_t{1} << 60)};
    const std::int64_t others[] = {values[0] + 1, values[1] - 1};
    const std::uint64_t left = backend.allocate(16), right = backend.allocate(16);
    backend.upload({left, 0}, values, 16);
    backend.upload({right, 0}, others, 16);
    EXPECT_EQ(backend.compare({left, 0}, {right, 0}, TUNER_INT64, 2, 0, 0).mismatches, 2U);
    EXPECT_EQ(backend.compare({left, 0}, {right, 0}, TUNER_INT64, 2, 0, 1).mismatches, 0U);
  }
}

TEST(Memory, WhatLiesOutsideABufferIsRefused) {
  TUNER_NEEDS_DEVICE();
  OpenClBackend backend(0, false);
  const std::uint64_t buffer = backend.allocate(100);
  int value = 0;
  EXPECT_THROW(backend.upload({buffer, 98}, &value, 4), sdk::Error);
  EXPECT_THROW(backend.download({buffer + 1, 0}, &value, 4), sdk::Error);
  backend.release(buffer);
  EXPECT_THROW(backend.download({buffer, 0}, &value, 4), sdk::Error);
}

// Kernels of these tests, on the first device.
class Launching : public testing::Test {
 protected:
  void SetUp() override {
    TUNER_NEEDS_DEVICE();
    backend_ = std::make_unique<OpenClBackend>(0, false);
  }

  std::uint64_t load(const std::string& source, const std::string& next = {}) {
    sdk::CompileRequest request;
    request.source = source;
    request.entry = "k";
    if (!next.empty()) request.next_entries = {next};
    request.arch = backend_->facts().arch;
    const sdk::CompileResult made = OpenClCompiler().compile(request);
    EXPECT_TRUE(made.compiled) << made.log;
    const std::uint64_t kernel = backend_->load(made.image, "k").kernel;
    if (!next.empty()) next_ = backend_->load_next(kernel, next).kernel;
    return kernel;
  }

  // `size` ints, guards before and behind.
  std::uint64_t ints(std::uint64_t size) {
    const std::uint64_t buffer = backend_->allocate(2 * kGuard + 4 * size);
    backend_->fill({buffer, 0}, 2 * kGuard + 4 * size, {TUNER_FILL_BYTES, TUNER_UINT8, 0, 0, 0});
    return buffer;
  }
  std::vector<int> read(std::uint64_t buffer, std::size_t size) {
    std::vector<int> out(size);
    backend_->download({buffer, kGuard}, out.data(), 4 * size);
    return out;
  }

  static tuner_argument argument(std::uint64_t buffer) {
    tuner_argument one{};
    one.is_buffer = 1;
    one.buffer = {buffer, kGuard};
    return one;
  }
  static tuner_launch launch(std::span<const tuner_argument> arguments, std::uint32_t grid,
                             std::uint32_t block) {
    tuner_launch one{};
    one.struct_size = sizeof one;
    one.grid[0] = grid;
    one.block[0] = block;
    for (int i = 1; i < 3; ++i) one.grid[i] = one.block[i] = 1;
    one.arguments = arguments.data();
    one.argument_count = arguments.size();
    return one;
  }

  std::unique_ptr<OpenClBackend> backend_;
  std::uint64_t next_ = 0;
};

constexpr const char* kAddIds =
    "__kernel void k(__global int* a) { a[get_global_id(0)] += get_group_id(0) + 1; }";

TEST_F(Launching, AKernelGetsWhatBeginsBehindTheGuard) {
  const std::uint64_t buffer = ints(6);
  const tuner_argument arguments[] = {argument(buffer)};
  backend_->launch(load(kAddIds), launch(arguments, 3, 2));
  EXPECT_EQ(read(buffer, 6), (std::vector<int>{1, 1, 2, 2, 3, 3}));
}

TEST_F(Launching, LocalMemoryIsAnArgumentOfTheLaunch) {
  const std::uint64_t kernel = load(
      "__kernel void k(__global int* a, __local int* l, int n) {\n"
      "  l[get_local_id(0)] = get_local_id(0) + n; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  a[get_global_id(0)] = l[get_local_size(0) - 1 - get_local_id(0)]; }");
  const std::uint64_t buffer = ints(4);
  const int n = 10;
  tuner_argument arguments[] = {argument(buffer), {}};
  arguments[1].scalar = &n;
  arguments[1].scalar_size = sizeof n;
  tuner_launch one = launch(arguments, 1, 4);
  EXPECT_THROW(backend_->launch(kernel, one), sdk::Error);
  one.dynamic_shared_bytes = 16;
  backend_->launch(kernel, one);
  EXPECT_EQ(read(buffer, 4), (std::vector<int>{13, 12, 11, 10}));
}

TEST_F(Launching, WhatFollowsRunsBehindAndZerosComeBefore) {
  const std::uint64_t kernel = load(
      std::string(kAddIds) + "__kernel void twice(__global int* a) { a[get_global_id(0)] *= 2; }",
      "twice");
  const std::uint64_t buffer = ints(2);
  const tuner_argument arguments[] = {argument(buffer)};
  const tuner_zeros zeros[] = {{{buffer, kGuard}, 8}};
  tuner_launch second = launch(arguments, 2, 1);
  tuner_launch first = launch(arguments, 2, 1);
  first.next = &second;
  first.next_kernel = next_;
  first.zeros = zeros;
  first.zeros_count = 1;
  backend_->launch(kernel, first);
  backend_->launch(kernel, first);
  EXPECT_EQ(read(buffer, 2), (std::vector<int>{2, 4}));
}

TEST_F(Launching, SamplesAreTimesAndTurnsAndRestoresAreKept) {
  const std::uint64_t kernel = load(kAddIds);
  const std::uint64_t one = ints(1), other = ints(1), kept = ints(1);
  const tuner_argument of_one[] = {argument(one)};
  const tuner_argument of_other[] = {argument(other)};
  const tuner_launch first = launch(of_one, 1, 1), second = launch(of_other, 1, 1);
  const tuner_launch* const turns[] = {&first, &second};
  const tuner_restore restores[] = {{one, kept, kGuard + 4}};
  const tuner_byte_fill fill{{one, kGuard + 3}, 1, 1, 0};
  tuner_timing timing{sizeof timing, 5, 2, 1, restores, 1, turns, 2, &fill, 1};
  std::vector<double> milliseconds(5, -1);
  backend_->time(kernel, first, timing, milliseconds);
  for (const double ms : milliseconds) {
    EXPECT_GT(ms, 0);
    EXPECT_LT(ms, 1000);
  }
  EXPECT_EQ(read(one, 1), (std::vector<int>{1 + (1 << 24)}));  // restored and filled before each
  EXPECT_EQ(read(other, 1), (std::vector<int>{5}));            // once in each of the five
}

TEST_F(Launching, ConstantsAreRefusedWithAWayOut) {
  const std::uint64_t kernel = load(kAddIds);
  try {
    backend_->set_symbol(kernel, "weights", nullptr, 0);
    FAIL() << "it was set";
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.status(), TUNER_UNSUPPORTED);
    EXPECT_NE(std::string(error.what()).find("make 'weights' an argument"), std::string::npos);
  }
}

TEST_F(Launching, WhatIsUnloadedIsGone) {
  const std::uint64_t kernel = load(kAddIds);
  const std::uint64_t buffer = ints(1);
  const tuner_argument arguments[] = {argument(buffer)};
  backend_->unload(kernel);
  EXPECT_THROW(backend_->launch(kernel, launch(arguments, 1, 1)), sdk::Error);
  EXPECT_THROW(backend_->load("no image", "k"), sdk::Error);
}

}  // namespace
}  // namespace tuner::opencl
