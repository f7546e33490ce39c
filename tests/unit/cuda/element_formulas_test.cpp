#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "tuner/model/data_type.h"
#include "tuner/plugin/abi.h"
#include "tuner/plugin/sdk_elements.h"
#include "tuner/plugins/cuda/device_kernels.h"

namespace tuner::cuda {
namespace {

using namespace sdk::elements;

static_assert(kUniform == static_cast<int>(TUNER_FILL_UNIFORM) &&
              kMask == static_cast<int>(TUNER_FILL_MASK) &&
              kZipf == static_cast<int>(TUNER_FILL_ZIPF));
static_assert(kBf16 == static_cast<int>(TUNER_BFLOAT16) && kU64 == static_cast<int>(TUNER_UINT64));

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Formulas, SplitmixIsThePublishedFunction) {
  // First outputs of splitmix64 seeded with 1234567.
  EXPECT_EQ(splitmix(1234567), 6457827717110365317ULL);
  EXPECT_EQ(splitmix(1234567 + 0x9E3779B97F4A7C15ULL), 3203168211198807973ULL);
}

TEST(Formulas, ElementsStayInTheirRangeWithTheRightMoments) {
  double sum = 0;
  double squares = 0;
  double lowest = kInf;
  double highest = -kInf;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double u = element_value(kUniform, -1, 3, 7, i);
    lowest = std::min(lowest, u);
    highest = std::max(highest, u);
    const double z = element_value(kNormal, 10, 2, 7, i);
    sum += z;
    squares += (z - 10) * (z - 10);
    const double n = element_value(kIntegers, -2, 2, 7, i);
    ASSERT_EQ(n, std::floor(n));
    ASSERT_LE(std::fabs(n), 2);
  }
  EXPECT_GE(lowest, -1);
  EXPECT_LT(highest, 3);
  EXPECT_LT(lowest, -0.999);
  EXPECT_GT(highest, 2.999);
  EXPECT_NEAR(sum / kCount, 10, 0.03);
  EXPECT_NEAR(squares / kCount, 4, 0.06);  // standard deviation 2
  EXPECT_EQ(element_value(kSequence, 5, 0.5, 7, 4), 7);
  EXPECT_EQ(element_value(kConstant, 5, 9, 7, 4), 5);
}

TEST(Formulas, PowersAndLogarithmsAreThoseOfTheLibrary) {
  for (double x = -1000; x <= 0; x += 0.37) {
    ASSERT_NEAR(power_of_two(x) / std::exp2(x), 1, 1e-15) << x;
  }
  EXPECT_EQ(power_of_two(-5000), 0);
  for (double m = 1; m < 2; m += 0.0013) ASSERT_NEAR(log_of(m), std::log2(m), 1e-15) << m;
}

// Pearson's statistic over bins of at least 20 expected draws; its deviation is sqrt(2 * freedom).
TEST(Formulas, ZipfDrawsEachNumberAsOftenAsItsLawSays) {
  constexpr int kDraws = 200000;
  for (const double alpha : {0.01, 0.5, 1.0, 1.1, 2.0, 5.0}) {
    for (const int of : {2, 3, 7, 100, 256, 2048, 65536}) {
      std::vector<int> seen(static_cast<std::size_t>(of));
      for (int i = 0; i < kDraws; ++i) {
        const double k = element_value(kZipf, alpha, of, 7, i);
        ASSERT_EQ(k, std::floor(k));
        ++seen.at(static_cast<std::size_t>(k));  // throws below 0 and from `of` on
      }
      double all = 0;
      for (int k = 0; k < of; ++k) all += std::pow(k + 1, -alpha);
      double statistic = 0;
      double expected = 0;
      int drawn = 0;
      int freedom = -1;
      for (int k = 0; k < of; ++k) {
        expected += kDraws * std::pow(k + 1, -alpha) / all;
        drawn += seen[static_cast<std::size_t>(k)];
        if (expected < 20 && k + 1 < of) continue;
        statistic += (drawn - expected) * (drawn - expected) / expected;
        ++freedom;
        expected = drawn = 0;
      }
      EXPECT_LT(std::fabs(statistic - freedom), 5 * std::sqrt(2 * freedom)) << alpha << " " << of;
    }
  }
  EXPECT_EQ(element_value(kZipf, 1.1, 1, 7, 3), 0);
  EXPECT_EQ(element_value(kZipf, 1000, 65536, 7, 3), 0);
  EXPECT_NE(element_value(kZipf, 0.01, 65536, 7, 3), element_value(kZipf, 0.01, 65536, 8, 3));
}

// Reference: round to nearest even by exact search over all finite 16-bit patterns.
TEST(Formulas, HalfRoundsToTheNearestOfAllPatterns) {
  std::vector<double> all;
  for (uint bits = 0; bits < 0x7C00; ++bits) all.push_back(widen_half(static_cast<ushort>(bits)));
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    ASSERT_LT(all[i], all[i + 1]);
    const double middle = (all[i] + all[i + 1]) / 2;
    const double beyond = std::nextafter(middle, kInf);
    const double before = std::nextafter(middle, 0);
    ASSERT_EQ(narrow_float(all[i], 10, 15), i);
    ASSERT_EQ(narrow_float(-all[i], 10, 15), 0x8000 | i);
    ASSERT_EQ(narrow_float(middle, 10, 15), i % 2 == 0 ? i : i + 1);
    ASSERT_EQ(narrow_float(beyond, 10, 15), i + 1);
    ASSERT_EQ(narrow_float(before, 10, 15), i);
  }
  EXPECT_EQ(narrow_float(65519.99, 10, 15), 0x7BFF);
  EXPECT_EQ(narrow_float(65520, 10, 15), 0x7C00);
  EXPECT_EQ(narrow_float(1e300, 10, 15), 0x7C00);
  EXPECT_EQ(narrow_float(-kInf, 10, 15), 0xFC00);
  EXPECT_TRUE(std::isnan(widen_half(narrow_float(kNaN, 10, 15))));
  EXPECT_EQ(widen_half(0x7C00), kInf);
}

TEST(Formulas, BfloatRoundsToTheNearestOfAllPatterns) {
  for (uint bits = 0; bits < 0x7F7F; ++bits) {
    const double low = widen_bfloat(static_cast<ushort>(bits));
    const double high = widen_bfloat(static_cast<ushort>(bits + 1));
    const double middle = (low + high) / 2;
    ASSERT_EQ(narrow_float(low, 7, 127), bits);
    ASSERT_EQ(narrow_float(middle, 7, 127), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(narrow_float(std::nextafter(middle, kInf), 7, 127), bits + 1);
  }
  EXPECT_EQ(narrow_float(kInf, 7, 127), 0x7F80);
  EXPECT_EQ(narrow_float(1e39, 7, 127), 0x7F80);
  EXPECT_EQ(widen_bfloat(0x3F80), 1.0);
}

TEST(Formulas, IntegersRoundAndSaturate) {
  signed char small = 0;
  store_element(&small, 0, kI8, 200.0);
  EXPECT_EQ(small, 127);
  store_element(&small, 0, kI8, -2.5);
  EXPECT_EQ(small, -2);
  std::int64_t large = 0;
  store_element(&large, 0, kI64, 1e300);
  EXPECT_EQ(large, std::numeric_limits<std::int64_t>::max());
  store_element(&large, 0, kI64, -kInf);
  EXPECT_EQ(large, std::numeric_limits<std::int64_t>::min());
  ulong unsigned_large = 1;
  store_element(&unsigned_large, 0, kU64, -3.0);
  EXPECT_EQ(unsigned_large, 0U);
  store_element(&unsigned_large, 0, kU64, 1e19);
  EXPECT_EQ(unsigned_large, 10000000000000000000ULL);
}

// By the definition of "OCP 8-bit Floating Point Specification", all 256 patterns of both, and the
// numbers half way between neighbours, which go to the even one; as the program converts them.
TEST(Formulas, EightBitFloatsAreThoseOfOcp) {
  for (const auto& [type, data_type, mantissa, bias] :
       {std::tuple(kE4m3, DataType::kFloat8E4M3, 3, 7),
        std::tuple(kE5m2, DataType::kFloat8E5M2, 2, 15)}) {
    double before = 0;
    for (int bits = 0; bits < 128; ++bits) {
      const uchar pattern = static_cast<uchar>(bits);
      const double value = load_element(&pattern, 0, type);
      const int exponent = bits >> mantissa;
      const int fraction = bits & ((1 << mantissa) - 1);
      if (type == kE5m2 && exponent == 31) {
        EXPECT_TRUE(fraction == 0 ? std::isinf(value) : std::isnan(value)) << bits;
        continue;
      }
      if (bits == 127) {
        EXPECT_TRUE(std::isnan(value));
        continue;
      }
      EXPECT_EQ(value, std::ldexp(fraction + (exponent > 0 ? 1 << mantissa : 0),
                                  std::max(exponent, 1) - bias - mantissa))
          << bits;
      for (const double number : {value, -value, (before + value) / 2, value * 1.01}) {
        uchar stored = 0;
        store_element(&stored, 0, type, number);
        EXPECT_EQ(std::byte{stored}, scalar_bytes(data_type, number).front()) << number;
      }
      uchar middle = 0;
      store_element(&middle, 0, type, (before + value) / 2);
      if (bits > 0) {
        EXPECT_EQ(middle, bits % 2 == 0 ? bits : bits - 1);
      }
      before = value;
    }
    uchar large = 0;
    store_element(&large, 0, type, 1e30);
    EXPECT_EQ(load_element(&large, 0, type), before) << "the largest number";
    EXPECT_EQ(std::byte{large}, scalar_bytes(data_type, 1e30).front());
  }
}

TEST(Formulas, EveryTypeReadsBackWhatWasStoredAndIsWhatTheHouseMakesOfIt) {
  for (const TypeFacts& one : kDataTypes) {
    const auto type = static_cast<uint>(one.type);
    unsigned char bytes[32] = {};
    store_element(bytes, 2, type, 40);
    EXPECT_EQ(load_element(bytes, 2, type), 40) << one.name;
    EXPECT_EQ(load_element(bytes, 1, type), 0) << one.name;
    for (const double number : {0.0, 1.0, 15.0, 0.1, -2.6, 1e-3}) {
      if (!is_floating(one.type) && number != std::floor(number)) continue;
      store_element(bytes, 0, type, number);
      const auto ours = scalar_bytes(one.type, number);
      EXPECT_EQ(std::memcmp(bytes, ours.data(), ours.size()), 0) << one.name << " " << number;
    }
  }
}

ElementCheck compare(double actual, double expected, double rtol, double atol) {
  return check_element(&actual, &expected, 0, kF64, rtol, atol);
}

TEST(Formulas, ComparesWithBothTolerances) {
  EXPECT_TRUE(compare(1.5, 1.0, 0, 0.5).passes);
  EXPECT_FALSE(compare(1.5, 1.0, 0, 0.49).passes);
  EXPECT_TRUE(compare(-110, -100, 0.1, 0).passes);
  EXPECT_FALSE(compare(-111, -100, 0.1, 0).passes);
  EXPECT_EQ(compare(-111, -100, 0.1, 0).error, 11);
}

TEST(Formulas, NaNNeverPassesAndInfinitiesOnlyMeetTheirEqual) {
  EXPECT_FALSE(compare(kNaN, kNaN, 1, 1).passes);
  EXPECT_FALSE(compare(0, kNaN, 1, 1).passes);
  EXPECT_EQ(compare(kNaN, 0, 1, 1).error, kInf);
  EXPECT_TRUE(compare(kInf, kInf, 0, 0).passes);
  EXPECT_EQ(compare(kInf, kInf, 0, 0).error, 0);
  EXPECT_FALSE(compare(kInf, -kInf, 1, 1).passes);
  EXPECT_FALSE(compare(1, kInf, 1, 1).passes);
  EXPECT_FALSE(compare(kInf, 1, 1, 1).passes);
}

TEST(Formulas, LargeIntegersAreComparedExactly) {
  const std::int64_t a = (1LL << 60) + 1;
  const std::int64_t b = 1LL << 60;
  EXPECT_FALSE(check_element(&a, &b, 0, kI64, 0, 0).passes);
  EXPECT_EQ(check_element(&a, &b, 0, kI64, 0, 1).error, 1);
  EXPECT_TRUE(check_element(&a, &b, 0, kI64, 0, 1).passes);
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(check_element(&lowest, &highest, 0, kI64, 0, 0).error, 18446744073709551616.0);
}

}  // namespace
}  // namespace tuner::cuda
