// What a comparison says of a pair, and which pairs are over a limit.

#include <gtest/gtest.h>

#include "tuner/commands/comparison.h"

namespace tuner {
namespace {

BestPair pair_of(const std::string& dimension, SpeedUp b_over_a) {
  BestPair pair;
  pair.kernel = "axpy";
  pair.size.dims = {{dimension, 8}};
  pair.a.device = pair.b.device = "gpu";
  pair.basis = Basis::kFinal;
  pair.b_over_a = b_over_a;
  return pair;
}

std::string ratio_line(const BestPair& pair) {
  const std::string text = comparison_text({{pair}, {}, {}}, "a", "b");
  const std::size_t at = text.find("  B is ");
  return text.substr(at, text.find('\n', at) - at);
}

TEST(ComparisonText, SaysWhichWayARatioCounts) {
  EXPECT_EQ(ratio_line(pair_of("n", {0.5, 0.4, 0.8})),
            "  B is 2.0000x slower (1.2500 to 2.5000, both in their finals)");
  EXPECT_EQ(ratio_line(pair_of("n", {2, 1.5, 2.5})),
            "  B is 2.0000x faster (1.5000 to 2.5000, both in their finals)");
  EXPECT_EQ(ratio_line(pair_of("n", {0.8, 0.5, 1.25})),
            "  B is 1.2500x slower (0.8000 to 2.0000, both in their finals): not to be told apart");
  BestPair metric = pair_of("n", {0.5, 0.5, 0.5});
  metric.objective = {"gflops", true, {}};
  EXPECT_EQ(ratio_line(metric), "  B is 2.0000x worse (both in their finals)");
}

TEST(ComparisonText, NamesThePairsThatAreOverTheLimit) {
  const Compared compared{
      {pair_of("n", {0.5, 0.4, 0.8}), pair_of("m", {0.98, 0.9, 1.01}), pair_of("k", {2, 2, 2})},
      {},
      {}};
  EXPECT_EQ(over_limit_text(compared, 0.03),
            "over the limit of 3 %:\n  axpy, n8 on gpu: B is 2.0000x slower, at least 1.2500x\n");
  EXPECT_EQ(over_limit_text(compared, 0.5), "");
}

}  // namespace
}  // namespace tuner
