#include <gtest/gtest.h>

#include "tests/unit/measure/evaluation_fixture.h"
#include "tests/unit/resolve/studies.h"

namespace tuner {
namespace {

using test::expr;
using test::h200;
using test::scale_study;

// x is an (n / 4) x 4 matrix, of which the kernel gets a map.
Study study_with_map(const std::string& rows, const std::string& swizzle) {
  Study study = scale_study();
  study.arguments[0].shape = {expr("n // 4"), expr("4")};
  ArgumentSpec map;
  map.name = "x_map";
  map.is_scalar = true;
  map.map =
      TensorMapSpec{"x", study.arguments[0].shape, {expr(rows), expr("4")}, expr(swizzle), {}};
  study.arguments.push_back(map);
  study.reference->arguments = {"x", "y", "n"};
  return study;
}

Expected<VariantPlan, std::string> variant_of(const Study& study) {
  const SearchSpace space = SearchSpace::build(space_definition(study, study.sizes[0], h200()));
  return variant_plan(study, space, {std::int64_t{64}, std::int64_t{2}});
}

TEST(TensorMapPlan, FollowsTheConfiguration) {
  const auto plan = variant_of(study_with_map("BLOCK", "16 * VEC"));
  ASSERT_TRUE(plan) << plan.error();
  ASSERT_EQ(plan->overrides.size(), 1U);
  EXPECT_EQ(plan->overrides[0].first, 3U);
  const auto& argument = plan->overrides[0].second;
  ASSERT_TRUE(argument.map.has_value());
  EXPECT_EQ(argument.map->of, 0U);
  EXPECT_EQ(argument.map->map.type, DataType::kFloat32);
  EXPECT_EQ(argument.map->map.extents, (std::vector<std::uint64_t>{250, 4}));
  EXPECT_EQ(argument.map->map.box, (std::vector<std::uint32_t>{64, 4}));
  EXPECT_EQ(argument.map->map.swizzle, 32U);
}

TEST(TensorMapPlan, IsPartOfTheSizeWhereNothingVaries) {
  const Study study = study_with_map("8", "0");
  const auto plan = size_plan(study, study.sizes[0], h200(), {});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->arguments[3].map->map.box, (std::vector<std::uint32_t>{8, 4}));
  EXPECT_TRUE(variant_of(study)->overrides.empty());
}

TEST(TensorMapPlan, FollowsTheShapeOfAWorkspace) {
  Study study = study_with_map("8", "0");
  study.arguments[0].role = Role::kWorkspace;
  study.arguments[0].shape = {expr("2 * BLOCK"), expr("4")};
  study.arguments[3].map->extents = study.arguments[0].shape;
  const auto plan = variant_of(study);
  ASSERT_TRUE(plan) << plan.error();
  ASSERT_EQ(plan->overrides.size(), 2U) << "the workspace and its map";
  EXPECT_EQ(plan->overrides[1].second.map->map.extents, (std::vector<std::uint64_t>{128, 4}));
}

TEST(TensorMapPlan, SaysWhatIsWrong) {
  EXPECT_EQ(variant_of(study_with_map("BLOCK * 5", "0")).error(),
            "the box of x_map 'BLOCK * 5' is 320, must be a whole number from 1 to 256");
  EXPECT_EQ(variant_of(study_with_map("BLOCK", "20 * VEC")).error(),
            "the swizzle of x_map '20 * VEC' is 40, must be 0, 32, 64 or 128");
}

class TensorMapLaunch : public test::EvaluationTest {};

// The kernel and the reference each see a map of the buffer that they are to write.
TEST_F(TensorMapLaunch, PassesTheBufferThatTheMapIsOf) {
  ArgumentPlan map = argument("y_map", Role::kIn);
  map.is_scalar = true;
  map.elements = 0;
  map.map = TensorMapPlan{1, {DataType::kFloat32, {10, 10}, {5, 10}, 0}};
  plan_.arguments.push_back(map);
  plan_.reference->arguments.push_back(3);
  const auto through_map = [](const FakeBackend::Call& call) {
    ASSERT_TRUE(call.arguments[3].map.has_value());
    EXPECT_EQ(call.arguments[3].map->box[0], 5U);
    for (int i = 0; i < kElements; ++i) call.buffer<float>(3)[i] = 2 * call.buffer<float>(kX)[i];
  };
  add_kernel("reference", through_map);
  add_kernel("mapped", through_map);
  const Verdict verdict = evaluate("mapped");
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
}

}  // namespace
}  // namespace tuner
