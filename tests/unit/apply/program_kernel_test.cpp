#include "tuner/apply/program_kernel.h"

#include <gtest/gtest.h>

#include "applied_study.h"
#include "tests/fakes/says.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

Study with_entry(const std::string& entry) {
  Study study;
  study.kernel.entry = entry;
  return study;
}

constexpr const char* kPlain = "_Z5scalePffi";  // scale(float*, float, int)
constexpr const char* kInstance =
    "_ZN1n5scaleIfLi128EEEvPT_fi";  // n::scale<float, 128>(float*, ...)
constexpr const char* kHidden = "_ZN12_GLOBAL__N_15scaleIdLb1EEEvPT_";

TEST(ProgramKernel, IsTheStudysByTheNameOfItsFunction) {
  for (const char* name : {kPlain, kInstance, kHidden, "scale"}) {
    EXPECT_TRUE(is_kernel_of(with_entry("scale"), "", name)) << name;
    EXPECT_TRUE(is_kernel_of(with_entry("other::scale"), "", name)) << name;
    EXPECT_FALSE(is_kernel_of(with_entry("rescale"), "", name)) << name;
    EXPECT_FALSE(is_kernel_of(with_entry("cale"), "", name)) << name;
  }
  EXPECT_TRUE(is_kernel_of(with_entry("sc{KIND}e"), "", kPlain));
  EXPECT_FALSE(is_kernel_of(with_entry("sc{KIND}"), "", "rescale"));
}

TEST(ProgramKernel, HasTheTemplateArgumentsThatTheStudyWrites) {
  EXPECT_TRUE(is_kernel_of(with_entry("scale<float, {BLOCK}>"), "", kInstance));
  EXPECT_TRUE(is_kernel_of(with_entry("scale<{T}, 128>"), "", kInstance));
  EXPECT_FALSE(is_kernel_of(with_entry("scale<double, {BLOCK}>"), "", kInstance));
  EXPECT_FALSE(is_kernel_of(with_entry("scale<float, 64>"), "", kInstance));
  EXPECT_TRUE(is_kernel_of(with_entry("scale<double, true>"), "", kHidden));
}

TEST(ProgramKernel, MayHaveAnotherNameThatTheUserSays) {
  EXPECT_TRUE(is_kernel_of(with_entry("other"), "scale<float", kInstance));
  EXPECT_TRUE(is_kernel_of(with_entry("other"), "void n::*(float*, float, int)", kInstance));
  EXPECT_FALSE(is_kernel_of(with_entry("other"), "n::*(float*)", kInstance));
  EXPECT_FALSE(is_kernel_of(with_entry("scale"), "scale<double", kInstance));
}

constexpr const char* kArguments =
    "  - {name: x, type: float32, shape: [H, W], role: inout}\n"
    "  - {name: factor, type: float32, value: 2.5}\n"
    "  - {name: width, type: int32, value: W}\n";

TEST(ProgramKernel, WithOtherParametersIsNotTheStudys) {
  const Study study = study_with(kArguments);
  EXPECT_EQ(misfit(study, {kPlain, {8, 4, 4}}), "");
  EXPECT_EQ(misfit(study, {"scale", {8, 4, 4}}), "");  // extern "C": no types
  EXPECT_EQ(misfit(study, {kPlain, {8, 4}}), "it takes 2 parameters, and the study's kernel 3");
  EXPECT_EQ(misfit(study, {kPlain, {8, 4, 8}}),
            "its parameter 3 has 8 bytes, and 'width' of the study has 4");
  EXPECT_EQ(misfit(study, {"_Z5scalePdfi", {8, 4, 4}}),
            "its parameter 1 points to float64, and 'x' of the study is float32");
  EXPECT_EQ(misfit(study, {"_Z5scalePvfi", {8, 4, 4}}), "");
}

TEST(ProgramKernel, SizesStandInStructsToo) {
  const Study study = study_with(
      "  - {name: shape, type: Shape, value: {width: W, height: H, scale: 2, x: x}}\n"
      "  - {name: x, type: float32, shape: [H, W], role: inout}\n",
      "types: {Shape: [{width: int32}, {height: int32}, {scale: float32}, {x: pointer}]}\n");
  const auto parts = size_parts(study);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].name, "shape.height");
  EXPECT_EQ(parts[1].offset, 4U);
}

std::string refusal(const std::string& arguments, const std::string& more = {}) {
  try {
    require_one_launch(study_with(arguments, more));
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(ProgramKernel, OfAStudyThatNoLaunchCanReplaceIsRefused) {
  EXPECT_EQ(refusal(kArguments), "");
  EXPECT_TRUE(says(refusal(std::string(kArguments) +
                           "  - {name: sums, type: float32, shape: [H], role: workspace}\n"),
                   "'sums' is memory of the tuned kernel's own"));
  EXPECT_TRUE(says(refusal(kArguments, "constants:\n  - {name: c, type: float32, shape: [4]}\n"),
                   "the program sets 'c' in its own module"));
}

}  // namespace
}  // namespace tuner
