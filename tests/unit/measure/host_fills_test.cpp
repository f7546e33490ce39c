#include "tuner/measure/host_fills.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tuner {
namespace {

ArgumentPlan argument_of(DataType type, std::uint64_t elements, FillSpec::Kind kind) {
  ArgumentPlan plan;
  plan.name = "x";
  plan.type = type;
  plan.elements = elements;
  plan.fill.kind = kind;
  plan.seed = 7;
  return plan;
}

template <typename Number>
std::vector<Number> numbers_of(const ArgumentPlan& plan) {
  const auto bytes = made_on_host(plan);
  EXPECT_TRUE(bytes) << bytes.error();
  std::vector<Number> numbers(bytes->size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes->data(), bytes->size());
  return numbers;
}

TEST(HostFills, APermutationHoldsEachNumberOnceAndFollowsTheSeed) {
  ArgumentPlan plan = argument_of(DataType::kInt32, 1000, FillSpec::Kind::kPermutation);
  const auto first = numbers_of<std::int32_t>(plan);
  EXPECT_EQ(numbers_of<std::int32_t>(plan), first);
  auto sorted = first;
  std::ranges::sort(sorted);
  std::vector<std::int32_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  EXPECT_NE(first, all);
  plan.seed = 8;
  EXPECT_NE(numbers_of<std::int32_t>(plan), first);
}

TEST(HostFills, AChoiceTakesEachValueAboutAsOften) {
  ArgumentPlan plan = argument_of(DataType::kFloat64, 3000, FillSpec::Kind::kChoice);
  plan.fill.values = {0.5, -1, 4};
  const auto numbers = numbers_of<double>(plan);
  for (const double value : plan.fill.values) {
    EXPECT_NEAR(static_cast<double>(std::ranges::count(numbers, value)), 1000, 100);
  }
}

TEST(HostFills, AFormulaKnowsTheIndexAndTheSize) {
  ArgumentPlan plan = argument_of(DataType::kInt64, 10, FillSpec::Kind::kFormula);
  plan.fill.formula = "i % 3 * N";
  plan.fill.names = {{"N", 100}};
  EXPECT_EQ(numbers_of<std::int64_t>(plan),
            (std::vector<std::int64_t>{0, 100, 200, 0, 100, 200, 0, 100, 200, 0}));
  plan.fill.formula = "10 // (i - 5)";
  EXPECT_EQ(made_on_host(plan).error(), "division by zero at i = 5");
}

TEST(HostFills, OffsetsBeginAtZeroNeverFallAndEndAtTheTotal) {
  for (const double mean : {0.0, 0.5, 8.0, 1000.0}) {
    for (const double total : {0.0, 7.0, 5000.0}) {
      ArgumentPlan plan = argument_of(DataType::kInt32, 501, FillSpec::Kind::kRagged);
      plan.fill.a = mean;
      plan.fill.b = total;
      const auto offsets = numbers_of<std::int32_t>(plan);
      EXPECT_EQ(offsets.front(), 0);
      EXPECT_EQ(offsets.back(), static_cast<std::int32_t>(total));
      EXPECT_TRUE(std::ranges::is_sorted(offsets));
      if (total > 1000) {
        EXPECT_GT(offsets[1] - offsets[0] + offsets[3] - offsets[2], -1);
        EXPECT_NE(offsets[250], 2500);
      }
    }
  }
}

template <typename Number>
void expect_sorted(DataType type, std::vector<Number> numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  sort_elements(type, bytes);
  std::ranges::sort(numbers);
  EXPECT_EQ(std::memcmp(bytes.data(), numbers.data(), bytes.size()), 0) << name_of(type);
}

TEST(HostFills, NumbersOfEveryTypeAreSortedByWhatTheyMean) {
  expect_sorted<float>(DataType::kFloat32, {3, -1, 0.5F, -2.5F, 1e30F, -1e-30F});
  expect_sorted<double>(DataType::kFloat64, {3, -1, 0.5, -2.5, 0});
  expect_sorted<std::int8_t>(DataType::kInt8, {3, -1, 127, -128, 0});
  expect_sorted<std::int64_t>(DataType::kInt64, {3, -1, INT64_MIN, INT64_MAX});
  expect_sorted<std::uint16_t>(DataType::kUInt16, {3, 65535, 0, 32768});
  // Halves: -2, -1, 1, 2.
  std::vector<std::byte> halves;
  for (const double value : {2.0, -1.0, 1.0, -2.0}) {
    const auto one = scalar_bytes(DataType::kFloat16, value);
    halves.insert(halves.end(), one.begin(), one.end());
  }
  sort_elements(DataType::kFloat16, halves);
  std::vector<std::byte> expected;
  for (const double value : {-2.0, -1.0, 1.0, 2.0}) {
    const auto one = scalar_bytes(DataType::kFloat16, value);
    expected.insert(expected.end(), one.begin(), one.end());
  }
  EXPECT_EQ(halves, expected);
}

}  // namespace
}  // namespace tuner
