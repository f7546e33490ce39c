#include "tuner/study/unverified.h"

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

Study with(const std::string& arguments, const std::string& reference) {
  return accepted(unreferenced_study(R"yaml(arguments:
  - {name: X, type: float, shape: [N], fill: {constant: 2}}
)yaml" + arguments) +
                  reference);
}

const std::string kOut = "  - {name: Y, type: float, shape: [N], role: out}\n";
const std::string kInOut = "  - {name: Z, type: float, shape: [N], role: inout, fill: zeros}\n";

TEST(Unverified, WithoutAReferenceNothingIsVerified) {
  EXPECT_EQ(unverified_text(with(kOut, "")), "nothing verifies 'Y'");
  EXPECT_EQ(unverified_text(with(kInOut, "")), "nothing verifies 'Z'");
  EXPECT_EQ(unverified_text(with(kOut + kInOut, "")), "nothing verifies 'Y', 'Z'");
}

TEST(Unverified, TheReferenceVerifiesWhatItTakes) {
  EXPECT_EQ(unverified_text(with(kOut + kInOut, "reference: {entry: r, block: [1], grid: [N]}\n")),
            "");
  EXPECT_EQ(unverified_text(with(kOut + kInOut,
                                 "reference: {entry: r, block: [1], grid: [N], "
                                 "arguments: [X, Z]}\n")),
            "nothing verifies 'Y'");
}

TEST(Unverified, NoneIsWhatTheUserAskedFor) {
  const Study study = with(kOut, "reference: {entry: r, block: [1], grid: [N]}\nverify: none\n");
  EXPECT_EQ(unverified_text(study), "answers were not compared, as was asked for");
  EXPECT_FALSE(study.reference) << "nobody needs its answers";
  EXPECT_NE(complaints_of(R"yaml(schema: 1
parameters: {B: [1]}
verify: nothing
)yaml")
                .find("'verify' must be a map"),
            std::string::npos);
}

// Such as the counter of a reduction.
TEST(Unverified, BesideAVerifiedOutputAnInOutBufferMayBeWorkingSpace) {
  EXPECT_EQ(unverified_text(with(kOut + kInOut,
                                 "reference: {entry: r, block: [1], grid: [N], "
                                 "arguments: [X, Y]}\n")),
            "");
}

TEST(Unverified, AKernelWithoutOutputsIsNot) {
  EXPECT_EQ(unverified_text(with("", "")), "no argument is an output");
}

TEST(Unverified, InOutBuffersThatNothingVerifiesAreWarnedOf) {
  EXPECT_NE(warnings_of(unreferenced_study("arguments:\n" + kInOut))
                .find("nothing verifies 'Z': wrong answers would be ranked"),
            std::string::npos);
}

}  // namespace
}  // namespace tuner::testing
