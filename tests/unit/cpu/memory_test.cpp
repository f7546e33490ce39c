#include "tuner/plugins/programs/memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace tuner::programs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
std::vector<T> filled(tuner_fill_kind kind, tuner_type type, double a, double b,
                      std::size_t count = 1000) {
  std::vector<T> out(count);
  const tuner_fill how{static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(type), a, b,
                       42};
  auto* data = reinterpret_cast<std::byte*>(out.data());
  fill_elements(data, 0, count / 3, how);  // in two parts, which must not show
  fill_elements(data, count / 3, count, how);
  return out;
}

TEST(Fill, UniformFollowsItsFormula) {
  const auto values = filled<float>(TUNER_FILL_UNIFORM, TUNER_FLOAT32, -1, 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double u =
        static_cast<double>(sdk::elements::splitmix(42 + i) >> 11) * std::ldexp(1.0, -53);
    ASSERT_EQ(values[i], static_cast<float>(-1 + 4 * u));
  }
}

TEST(Fill, NormalHasItsMeanAndVarianceAndIsBounded) {
  const auto values = filled<double>(TUNER_FILL_NORMAL, TUNER_FLOAT64, 10, 2, 100000);
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    ASSERT_LE(std::fabs(value - 10), 2 * 2 * std::sqrt(3.0) + 1e-9);
    sum += value - 10;
    squares += (value - 10) * (value - 10);
  }
  EXPECT_NEAR(sum / 100000, 0, 0.03);
  EXPECT_NEAR(squares / 100000, 4, 0.05);
}

TEST(Fill, IntegersReachBothEnds) {
  const auto values = filled<std::int8_t>(TUNER_FILL_INTEGERS, TUNER_INT8, -2, 2);
  std::vector<int> seen(5);
  for (const std::int8_t value : values) {
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 2);
    ++seen[static_cast<std::size_t>(value + 2)];
  }
  for (const int count : seen) EXPECT_GT(count, 150);
}

TEST(Fill, AMaskHidesWordsAndDoneAgainShowsThem) {
  const std::array<std::uint64_t, 3> numbers{1, 2, 3};
  std::array<std::uint64_t, 3> words = numbers;
  const tuner_fill mask{TUNER_FILL_MASK, TUNER_UINT64, 12345, 0, 678};
  auto* const data = reinterpret_cast<std::byte*>(words.data());
  fill_elements(data, 0, words.size(), mask);
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i],
              numbers[i] ^ sdk::elements::splitmix(sdk::elements::splitmix(678 + i) ^ 12345));
  }
  fill_elements(data, 0, words.size(), mask);
  EXPECT_EQ(words, numbers);
}

TEST(Fill, SequencesConstantsAndBytes) {
  EXPECT_EQ(filled<std::uint64_t>(TUNER_FILL_SEQUENCE, TUNER_UINT64, 5, 3, 4),
            (std::vector<std::uint64_t>{5, 8, 11, 14}));
  EXPECT_EQ(filled<std::int16_t>(TUNER_FILL_CONSTANT, TUNER_INT16, -7, 0, 2),
            (std::vector<std::int16_t>{-7, -7}));
  EXPECT_EQ(filled<std::uint32_t>(TUNER_FILL_BYTES, TUNER_UINT32, 255, 0, 2),
            (std::vector<std::uint32_t>{~0U, ~0U}));
  EXPECT_EQ(filled<std::uint16_t>(TUNER_FILL_CONSTANT, TUNER_FLOAT16, 1.5, 0, 1)[0], 0x3E00);
  EXPECT_EQ(filled<std::uint16_t>(TUNER_FILL_CONSTANT, TUNER_BFLOAT16, -2, 0, 1)[0], 0xC000);
}

template <typename T>
tuner_comparison compared(const std::vector<T>& actual, const std::vector<T>& expected,
                          tuner_type type, double rtol, double atol) {
  return compare_elements(reinterpret_cast<const std::byte*>(actual.data()),
                          reinterpret_cast<const std::byte*>(expected.data()), type, 0,
                          actual.size(), rtol, atol);
}

TEST(Compare, ToleranceIsAbsolutePlusRelativeToTheExpected) {
  const auto result =
      compared<double>({100, 102, 97, 0.5}, {100, 100, 100, 0}, TUNER_FLOAT64, 0.01, 1);
  EXPECT_EQ(result.mismatches, 1U);
  EXPECT_EQ(result.first_mismatch, 2U);
  EXPECT_EQ(result.max_abs_error, 3);
  EXPECT_EQ(result.first_value, 97);
  EXPECT_EQ(result.first_expected, 100);
}

TEST(Compare, InfinitiesAndNaNs) {
  EXPECT_EQ(compared<double>({kInfinity, -kInfinity}, {kInfinity, -kInfinity}, TUNER_FLOAT64, 0, 0)
                .mismatches,
            0U);
  EXPECT_EQ(
      compared<double>({1, kInfinity, -kInfinity}, {kInfinity, 1, kInfinity}, TUNER_FLOAT64, 1, 1)
          .mismatches,
      3U);
  const auto nan = compared<double>({kNan, 1, kNan}, {1, kNan, kNan}, TUNER_FLOAT64, 1, 1);
  EXPECT_EQ(nan.mismatches, 3U);
  EXPECT_EQ(nan.max_abs_error, kInfinity);
}

TEST(Compare, WideIntegersAreComparedAsIntegers) {
  const std::int64_t big = std::int64_t{1} << 60;
  const auto result = compared<std::int64_t>(
      {big, big + 1, std::numeric_limits<std::int64_t>::max()},
      {big, big, std::numeric_limits<std::int64_t>::min()}, TUNER_INT64, 0, 0);
  EXPECT_EQ(result.mismatches, 2U);
  EXPECT_EQ(result.first_mismatch, 1U);
  EXPECT_EQ(result.max_abs_error, 0x1p64);
}

TEST(Compare, PartsMergeToTheWhole) {
  std::vector<float> actual(100, 1);
  const std::vector<float> expected(100, 1);
  actual[30] = 2;
  actual[80] = 5;
  const auto part = [&](std::uint64_t begin, std::uint64_t end) {
    return compare_elements(reinterpret_cast<const std::byte*>(actual.data()),
                            reinterpret_cast<const std::byte*>(expected.data()), TUNER_FLOAT32,
                            begin, end, 0, 0);
  };
  const auto all = merge(merge(part(0, 20), part(20, 60)), part(60, 100));
  EXPECT_EQ(all.mismatches, 2U);
  EXPECT_EQ(all.first_mismatch, 30U);
  EXPECT_EQ(all.first_value, 2);
  EXPECT_EQ(all.max_abs_error, 4);
}

// Far from everything else of a process.
constexpr std::uint64_t kPlace = std::uint64_t{0x2345} << 32;

TEST(PlacedMemory, IsWhereItWasAskedForAndNeighboursShareAPage) {
  Memory memory;
  const auto first = memory.allocate_at(kPlace + 100, 50);
  const auto second = memory.allocate_at(kPlace + 200, 10000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.at({first, 0}, 50)), kPlace + 100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.at({second, 0}, 10000)), kPlace + 200);
  *memory.at({first, 49}, 1) = std::byte{1};
  *memory.at({second, 9999}, 1) = std::byte{2};
  memory.release(first);
  EXPECT_EQ(*memory.at({second, 9999}, 1), std::byte{2});
}

TEST(PlacedMemory, IsRefusedWhereSomethingElseIs) {
  Memory memory;
  const auto taken = reinterpret_cast<std::uintptr_t>(&memory);
  EXPECT_THROW(memory.allocate_at(taken, 8), sdk::Error);
}

}  // namespace
}  // namespace tuner::programs
