// Filling and comparing on the GPU against the formulas of abi.h, written a second time here.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>

#include "gpu_fixture.h"
#include "tuner/base/hash.h"
#include "tuner/model/data_type.h"
#include "tuner/plugin/sdk_elements.h"
#include "tuner/ports/backend.h"

namespace tuner {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

double expected_value(const Fill& how, std::uint64_t i) {
  const std::uint64_t r = splitmix64(how.seed + i);
  const double u = std::ldexp(static_cast<double>(r >> 11), -53);
  switch (how.kind) {
    case Fill::Kind::kUniform:
      return how.a + (how.b - how.a) * u;
    case Fill::Kind::kNormal: {
      const double fields = static_cast<double>(r & 0xFFFF) / 65535 +
                            static_cast<double>((r >> 16) & 0xFFFF) / 65535 +
                            static_cast<double>((r >> 32) & 0xFFFF) / 65535 +
                            static_cast<double>(r >> 48) / 65535;
      return how.a + how.b * ((fields - 2) * std::sqrt(3.0));
    }
    case Fill::Kind::kIntegers:
      return how.a + std::floor((how.b - how.a + 1) * u);
    case Fill::Kind::kSequence:
      return how.a + how.b * static_cast<double>(i);
    default:
      return how.a;
  }
}

// Integers are rounded to nearest and saturate.
double stored_value(DataType type, double value) {
  if (is_floating(type)) return value;
  const bool is_signed = type < DataType::kUInt8;
  const int bits = static_cast<int>(size_of(type)) * 8;
  const double high = std::ldexp(1, is_signed ? bits - 1 : bits) - 1;
  const double low = is_signed ? -std::ldexp(1, bits - 1) : 0;
  return std::clamp(std::nearbyint(value), low, high);
}

TEST_F(Gpu, FillFollowsTheFormulasForEveryTypeAndKind) {
  constexpr std::uint64_t kCount = 5000;
  constexpr std::uint64_t kOffset = 64;
  const BufferId buffer = allocate(kCount * 8 + kOffset);
  for (std::uint32_t type = 0; type < 12; ++type) {
    for (std::uint32_t kind = 1; kind <= 5; ++kind) {
      const Fill how{static_cast<Fill::Kind>(kind), static_cast<DataType>(type), 1, 90, 11};
      const auto done = backend->memory().fill({buffer, kOffset}, kCount, how);
      ASSERT_TRUE(done) << done.error().message;
      const std::size_t size = size_of(how.type);
      const auto found = download<std::byte>({buffer, kOffset}, kCount * size);
      for (std::uint64_t i = 0; i < kCount; ++i) {
        const double value = expected_value(how, i);
        const auto wanted = scalar_bytes(how.type, stored_value(how.type, value));
        ASSERT_EQ(std::memcmp(wanted.data(), found.data() + i * size, size), 0)
            << name_of(how.type) << ", kind " << kind << ", element " << i << ", value " << value;
      }
    }
  }
}

TEST_F(Gpu, ZipfDrawsTheHostsNumbers) {
  constexpr std::uint64_t kCount = 100000;
  const BufferId buffer = allocate(kCount * 4);
  for (const double alpha : {0.5, 1.1, 3.0}) {
    for (const double of : {1.0, 100.0, 65536.0}) {
      const Fill how{Fill::Kind::kZipf, DataType::kFloat32, alpha, of, 11};
      const auto done = backend->memory().fill({buffer, 0}, kCount, how);
      ASSERT_TRUE(done) << done.error().message;
      const auto found = download<float>({buffer, 0}, kCount);
      for (std::uint64_t i = 0; i < kCount; ++i) {
        const double r = sdk::elements::element_zipf(alpha, of, splitmix64(how.seed + i)) - 1;
        ASSERT_EQ(found[i], static_cast<float>(r)) << alpha << " " << of << ", element " << i;
      }
    }
  }
}

TEST_F(Gpu, FillWritesNothingBesideItsRange) {
  const BufferId buffer = allocate(4096);
  ASSERT_TRUE(backend->memory().fill({buffer, 0}, 4096,
                                     {Fill::Kind::kBytes, DataType::kUInt8, 0xCD, 0, 0}));
  ASSERT_TRUE(backend->memory().fill({buffer, 64}, 100,
                                     {Fill::Kind::kConstant, DataType::kFloat32, 1.5, 0, 0}));
  const auto bytes = download<unsigned char>({buffer, 0}, 4096);
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(bytes[i], 0xCD);
  for (std::size_t i = 64 + 400; i < 4096; ++i) ASSERT_EQ(bytes[i], 0xCD);
  EXPECT_EQ(download<float>({buffer, 64}, 100), std::vector<float>(100, 1.5F));
}

TEST_F(Gpu, CompareFindsCountAndFirstMismatchAnywhere) {
  constexpr std::uint64_t kCount = 3'000'001;
  const BufferId a = allocate(kCount * 4);
  const BufferId b = allocate(kCount * 4);
  const Fill how{Fill::Kind::kUniform, DataType::kFloat32, -1, 1, 3};
  ASSERT_TRUE(backend->memory().fill({a, 0}, kCount, how));
  ASSERT_TRUE(backend->memory().copy({b, 0}, {a, 0}, kCount * 4));
  auto found = backend->memory().compare({a, 0}, {b, 0}, DataType::kFloat32, kCount, 0, 0);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->mismatches, 0U);
  EXPECT_EQ(found->max_abs_error, 0);
  for (const std::uint64_t place : {kCount - 1, std::uint64_t{1234567}, std::uint64_t{17}}) {
    upload<float>({a, place * 4}, {100.0F});
  }
  found = backend->memory().compare({a, 0}, {b, 0}, DataType::kFloat32, kCount, 0, 1e-3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mismatches, 3U);
  EXPECT_EQ(found->first_mismatch, 17U);
  EXPECT_EQ(found->first_value, 100);
  EXPECT_EQ(found->first_expected, download<float>({b, 17 * 4}, 1)[0]);
  EXPECT_GE(found->max_abs_error, 99);
  EXPECT_LE(found->max_abs_error, 101);
}

TEST_F(Gpu, CompareTreatsNaNAndInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  const BufferId a = allocate(64);
  const BufferId b = allocate(64);
  upload<float>({a, 0}, {1, inf, 2, -inf});
  upload<float>({b, 0}, {1, inf, 2.5F, -inf});
  auto found = backend->memory().compare({a, 0}, {b, 0}, DataType::kFloat32, 4, 0, 0.6);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mismatches, 0U);
  EXPECT_EQ(found->max_abs_error, 0.5);
  upload<float>({a, 0}, {1, -inf, 2, kNaN});
  upload<float>({b, 0}, {1, inf, 2, kNaN});
  found = backend->memory().compare({a, 0}, {b, 0}, DataType::kFloat32, 4, 1, 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mismatches, 2U);
  EXPECT_EQ(found->first_mismatch, 1U);
  EXPECT_EQ(found->max_abs_error, kInf);
}

TEST_F(Gpu, CompareKnowsSixteenBitFloatsAndLargeIntegers) {
  const BufferId a = allocate(64);
  const BufferId b = allocate(64);
  upload<std::uint16_t>({a, 0}, {0x3C00, 0x4000});  // half 1, 2
  upload<std::uint16_t>({b, 0}, {0x3C00, 0x4200});  // half 1, 3
  const auto half = backend->memory().compare({a, 0}, {b, 0}, DataType::kFloat16, 2, 0, 0);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->mismatches, 1U);
  EXPECT_EQ(half->first_value, 2);
  EXPECT_EQ(half->first_expected, 3);
  upload<std::int64_t>({a, 0}, {(std::int64_t{1} << 60) + 1});
  upload<std::int64_t>({b, 0}, {std::int64_t{1} << 60});
  const auto large = backend->memory().compare({a, 0}, {b, 0}, DataType::kInt64, 1, 0, 0);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->mismatches, 1U);
  EXPECT_EQ(large->max_abs_error, 1);
}

TEST_F(Gpu, MemoryThatIsNotThereIsAnErrorAndNoMore) {
  const auto huge = backend->memory().allocate(std::uint64_t{1} << 50);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().error, DeviceError::kOutOfMemory) << huge.error().message;
  EXPECT_NE(allocate(1024), 0U);
}

// An application's memory is in the same context: here another backend's, whose buffers are named
// by their addresses.
TEST_F(Gpu, KernelsRunOnAdoptedMemory) {
  auto application = catalogue.open_backend("cuda", 0);
  ASSERT_TRUE(application) << application.error().message;
  const auto theirs = (*application)->memory().allocate(4096);
  ASSERT_TRUE(theirs);
  auto* adopting = dynamic_cast<AdoptsMemory*>(backend.get());
  ASSERT_NE(adopting, nullptr);
  const auto adopted = adopting->adopt(*theirs, 4096);
  ASSERT_TRUE(adopted) << adopted.error().message;
  const auto kernel = load("__global__ void k(int* x) { x[threadIdx.x] = threadIdx.x; }\n", "k");
  ASSERT_TRUE(launch(kernel.id, geometry(1, 1024), {at(*adopted)}));
  backend->memory().release(*adopted);
  std::vector<int> found(1024);
  ASSERT_TRUE(
      (*application)->memory().download({*theirs, 0}, std::as_writable_bytes(std::span(found))));
  EXPECT_EQ(found[1023], 1023);
  ASSERT_TRUE((*application)->memory().fill({*theirs, 0}, 1024, {}));
}

TEST_F(Gpu, FillAndCompareRunAtMemorySpeed) {
  constexpr std::uint64_t kCount = std::uint64_t{64} << 20;
  const BufferId a = allocate(kCount * 4);
  const Fill how{Fill::Kind::kUniform, DataType::kFloat32, -1, 1, 3};
  ASSERT_TRUE(backend->memory().fill({a, 0}, kCount, how));
  ASSERT_TRUE(backend->memory().compare({a, 0}, {a, 0}, DataType::kFloat32, kCount, 0, 0));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(backend->memory().fill({a, 0}, kCount, how));
  std::array<std::byte, 4> first{};  // fills are queued: what reads waits for them
  ASSERT_TRUE(backend->memory().download({a, 0}, first));
  const auto middle = std::chrono::steady_clock::now();
  ASSERT_TRUE(backend->memory().compare({a, 0}, {a, 0}, DataType::kFloat32, kCount, 0, 0));
  const auto end = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::milli> fill = middle - start;
  const std::chrono::duration<double, std::milli> compare = end - middle;
  std::cout << "256 MiB: fill " << fill.count() << " ms, compare " << compare.count() << " ms\n";
  EXPECT_LT(fill.count(), 100);
  EXPECT_LT(compare.count(), 100);
}

}  // namespace
}  // namespace tuner
