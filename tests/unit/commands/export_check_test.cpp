// At which sizes an export is checked.

#include "tuner/commands/export_check.h"

#include <gtest/gtest.h>

#include "tuner/base/error.h"

namespace tuner {
namespace {

ProblemSize size(std::int64_t n) { return {{{"N", n}}}; }

TunedTable tuned(std::vector<std::int64_t> extents) {
  TunedTable table;
  for (const std::int64_t n : extents) table.entries.push_back({0, 0, size(n), {}, 1, {}});
  return table;
}

Study study_of(std::int64_t n) {
  Study study;
  study.sizes = {size(n)};
  return study;
}

TEST(SizesToCheck, AreTheTunedOnesUnlessOthersAreAskedFor) {
  const auto sizes = sizes_to_check({}, study_of(64), tuned({64, 128, 64}));
  EXPECT_EQ(sizes, (std::vector<ProblemSize>{size(64), size(128)})) << "each once, of two devices";
}

TEST(SizesToCheck, NamedOnesComeBeforeDrawnOnes) {
  const auto sizes = sizes_to_check({{"N=77"}, 3, 1, 0}, study_of(64), tuned({64, 128}));
  ASSERT_EQ(sizes.size(), 4U);
  EXPECT_EQ(sizes.front(), size(77));
  EXPECT_EQ(sizes, sizes_to_check({{"N=77"}, 3, 1, 0}, study_of(64), tuned({64, 128})));
}

TEST(SizesToCheck, AreDrawnFromTheDomainAndNoLargerThanAsked) {
  Study study = study_of(64);
  study.domain = SizeDomain{{{"N", 1000, 100000}}, {{Expression(), 1}}};
  for (const ProblemSize& one : sizes_to_check({{}, 20, 1, 2000}, study, tuned({64}))) {
    EXPECT_GE(one.dims[0].second, 1000);
    EXPECT_LE(one.dims[0].second, 2000);
  }
}

TEST(SizesToCheck, RefuseADimensionThatTheStudyHasNot) {
  EXPECT_THROW(sizes_to_check({{"M=7"}, 0, 1, 0}, study_of(64), tuned({64})), InputError);
}

}  // namespace
}  // namespace tuner
