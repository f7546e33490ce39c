// Hints about a study's lists follow from a ranking.

#include "tuner/commands/what_next.h"

#include <gtest/gtest.h>

#include <functional>

namespace tuner {
namespace {

// BLOCK threads, up to 1024 on this device; each of UNROLL's values for each of BLOCK's.
Study study_with(std::vector<Value> blocks) {
  Study study;
  study.parameters = {{"BLOCK", std::move(blocks), {}},
                      {"UNROLL", {std::int64_t{1}, std::int64_t{2}}, {}}};
  study.launch.grid = {Expression::parse_or_throw("64"), {}, {}};
  study.launch.block = {Expression::parse_or_throw("BLOCK"), {}, {}};
  return study;
}

using Times = std::function<double(double block, double unroll)>;

RankedResults ranked(const Study& study, const Times& time) {
  RankedResults results;
  results.device.name = "gpu";
  results.device.compute_capability = 90;
  for (const Value& block : study.parameters[0].values) {
    for (const Value& unroll : study.parameters[1].values) {
      Trial trial;
      trial.configuration = {block, unroll};
      trial.timing.median = time(to_number(block), to_number(unroll));
      trial.objective = SearchFigure(trial.timing.median / 1000);
      results.trials.push_back(trial);
    }
  }
  std::ranges::sort(results.trials, {}, [](const Trial& one) { return one.timing.median; });
  results.ranked = results.trials.size();
  return results;
}

std::vector<std::string> hints(const Study& study, const Times& time) {
  return hint_lines({study_hints(study, ranked(study, time))});
}

using Lines = std::vector<std::string>;
const std::vector<Value> kBlocks{std::int64_t{32}, std::int64_t{64}, std::int64_t{128}};

double larger_is_faster(double block, double unroll) { return 1000 / block + unroll; }
double smaller_is_faster(double block, double unroll) { return block + unroll; }

TEST(StudyHints, AValueAtTheEndOfItsListThatWinsHasASuccessor) {
  EXPECT_EQ(hints(study_with(kBlocks), larger_is_faster),
            Lines{"BLOCK 128 wins and is the largest of its list: try BLOCK 256"});
  EXPECT_EQ(hints(study_with(kBlocks), smaller_is_faster),
            Lines{"BLOCK 32 wins and is the smallest of its list: try BLOCK 16"});
  EXPECT_EQ(
      hints(study_with({std::int64_t{96}, std::int64_t{64}, std::int64_t{32}}), larger_is_faster),
      Lines{"BLOCK 96 wins and is the largest of its list: try BLOCK 128"});
}

TEST(StudyHints, ThereIsNoneWhereTheNextValueCannotBeOrTheListIsNoRow) {
  // More threads than the device has; a constraint; below 1; two values; a middle one; words.
  Study study = study_with({std::int64_t{256}, std::int64_t{512}, std::int64_t{1024}});
  EXPECT_EQ(hints(study, larger_is_faster), Lines{});
  study = study_with(kBlocks);
  study.constraints = {Expression::parse_or_throw("BLOCK <= 128")};
  EXPECT_EQ(hints(study, larger_is_faster), Lines{});
  study = study_with({std::int64_t{1}, std::int64_t{2}, std::int64_t{4}});
  EXPECT_EQ(hints(study, smaller_is_faster), Lines{});
  EXPECT_EQ(hints(study_with({std::int64_t{32}, std::int64_t{64}}), larger_is_faster), Lines{});
  const auto in_the_middle = [](double block, double unroll) {
    return std::abs(block - 64) + unroll;
  };
  EXPECT_EQ(hints(study_with(kBlocks), in_the_middle), Lines{});
}

TEST(StudyHints, ALastValueThatIsHardlyBetterIsNoReasonToGoOn) {
  const auto flat = [](double block, double unroll) { return 100 - block / 1e4 + unroll * 50; };
  EXPECT_EQ(hints(study_with(kBlocks), flat),
            Lines{"BLOCK makes no difference: the best with each value are within 1 %"});
}

TEST(StudyHints, ThoseOfSeveralSizesAreCounted) {
  const Study study = study_with(kBlocks);
  const auto no_unroll = [](double block, double) { return 1000 / block; };
  const auto end = study_hints(study, ranked(study, larger_is_faster));
  const auto both = study_hints(study, ranked(study, no_unroll));
  const std::string end_text = "BLOCK 128 wins and is the largest of its list: try BLOCK 256";
  EXPECT_EQ(
      hint_lines({both, both}),
      (Lines{end_text, "UNROLL makes no difference: the best with each value are within 1 %"}));
  EXPECT_EQ(hint_lines({both, end}), Lines{end_text});
  EXPECT_EQ(hint_lines({end, {}}), Lines{end_text + " (at 1 of 2 sizes)"});
}

// Its times say nothing about a GPU.
TEST(StudyHints, TheHostGivesNoneForACudaKernel) {
  Study study = study_with(kBlocks);
  RankedResults results = ranked(study, larger_is_faster);
  results.device.compute_capability = 0;
  EXPECT_TRUE(study_hints(study, results).empty());
  study.kernel.subject = Subject::kCommand;
  EXPECT_FALSE(study_hints(study, results).empty());
}

}  // namespace
}  // namespace tuner
