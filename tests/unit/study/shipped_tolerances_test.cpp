// The tolerances of the shipped studies that add products up in float32, against the formula that
// they are derived from (search_spaces/matmul.yaml).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "tuner/check/checked_study.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {
namespace {

// The error that one of so many sums of `terms` products of numbers in [-1, 1] comes to.
double formula(double terms, double sums) { return 6.1e-9 * terms * std::log(sums); }

class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : bits_(seed) {}
  float next() {
    bits_ ^= bits_ << 13;
    bits_ ^= bits_ >> 7;
    bits_ ^= bits_ << 17;
    return static_cast<float>(bits_ >> 40) * 0x1p-23F - 1;
  }

 private:
  std::uint64_t bits_;
};

double worst_error(int sums, int terms, std::uint64_t seed) {
  Uniform numbers(seed);
  double worst = 0;
  for (int i = 0; i < sums; ++i) {
    float rounded = 0;
    double exact = 0;
    for (int k = 0; k < terms; ++k) {
      const float a = numbers.next(), b = numbers.next();
      exact += static_cast<double>(a) * static_cast<double>(b);
      rounded = static_cast<float>(static_cast<double>(rounded) +
                                   static_cast<double>(a) * static_cast<double>(b));
    }
    worst = std::max(worst, std::abs(static_cast<double>(rounded) - exact));
  }
  return worst;
}

TEST(ShippedTolerances, TheFormulaSaysWhatTheWorstOfManySumsIsOffBy) {
  for (const auto& [sums, terms] : {std::pair{1 << 16, 289}, std::pair{1 << 12, 2048}}) {
    double mean = 0;
    for (const std::uint64_t seed : {11, 12, 13}) mean += worst_error(sums, terms, seed) / 3;
    EXPECT_NEAR(mean / formula(terms, sums), 1, 0.35) << sums << " sums of " << terms;
  }
}

// A thousand variants verified on the largest matrices: one of them may fail by chance at most.
TEST(ShippedTolerances, SufficeForTheLargestSizes) {
  struct Sample {
    const char* study;
    Bindings size;
    double terms, sums;
  };
  const std::int64_t most = 8192;
  for (const Sample& one :
       {Sample{"matmul", {{"M", most}, {"N", most}, {"K", most}}, 8192, 0x1p26},
        Sample{"matmul", {{"M", most}, {"N", most}, {"K", std::int64_t{64}}}, 64, 0x1p26},
        Sample{"convolution2d", {{"H", most}, {"W", most}}, 289, 0x1p26}}) {
    const Study study = read_study(std::filesystem::path(TUNER_SOURCE_DIR) / "search_spaces" /
                                   (std::string(one.study) + ".yaml"));
    ASSERT_EQ(study.verify.size(), 1U) << one.study;
    const auto atol = study.verify.front().second.atol.evaluate(one.size);
    ASSERT_TRUE(atol) << one.study;
    EXPECT_GE(to_number(*atol), formula(one.terms, 1000 * one.sums)) << one.study;
    // A forgotten product is 0.25 on average.
    EXPECT_LT(to_number(*atol), 0.01) << one.study;
  }
}

}  // namespace
}  // namespace tuner
