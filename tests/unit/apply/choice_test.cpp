#include "tuner/apply/choice.h"

#include <gtest/gtest.h>

#include <cstring>

#include "applied_study.h"
#include "tests/fakes/says.h"

namespace tuner {
namespace {

const ProgramDevice kH200{"NVIDIA H200", 90, 132};
const std::string kNoText;

constexpr const char* kBoth =
    "  - {name: x, type: float32, shape: [H, W], role: inout}\n"
    "  - {name: factor, type: float32, value: 2.5}\n"
    "  - {name: width, type: int32, value: W}\n"
    "  - {name: height, type: int64, value: H}\n";

struct Chosen {
  explicit Chosen(const std::string& arguments, const std::string& more = {})
      : study(study_with(arguments, more)), chooser(study, results, kNoText) {}
  std::string of(const ProgramLaunch& launch, const ProgramDevice& device = kH200) const {
    const auto variant = chooser.choose(device, launch);
    if (!variant) return variant.error();
    return variant->size.label() + " " +
           configuration_text(study.parameters, variant->configuration) + " " +
           std::string(name_of(variant->how)) + " grid " +
           std::to_string(variant->geometry.grid[0]) + "," +
           std::to_string(variant->geometry.grid[1]);
  }
  Study study;
  std::vector<RankedResults> results = tuned_results();
  VariantChooser chooser;
};

// scale<6> computes something else than scale<64>, for all that is known.
TEST(Choice, AnInstanceWithAValueThatWasNeverRightIsNone) {
  Chosen chosen(kBoth);
  EXPECT_EQ(chosen.chooser.unknown_instance("_Z5scaleILi6EEvPffil"), "");
  chosen.study.kernel.entry = "scale<{BLOCK}>";
  EXPECT_EQ(chosen.chooser.unknown_instance("_Z5scaleILi64EEvPffil"), "");
  EXPECT_EQ(chosen.chooser.unknown_instance("_Z5scaleILi6EEvPffil"),
            "its BLOCK is 6, with which nothing was right");
}

TEST(Choice, TheScalarsOfALaunchAreItsSize) {
  const Chosen chosen(kBoth);
  ASSERT_EQ(chosen.chooser.parts().size(), 2U);
  EXPECT_EQ(chosen.of(launch_of(9, 9, 9, {bytes(std::int32_t{64}), bytes(std::int64_t{200})})),
            "H200_W64 BLOCK=64 exact grid 1,200");
}

TEST(Choice, OfAnotherSizeIsThatOfTheNearestOne) {
  const Chosen chosen(kBoth);
  EXPECT_EQ(chosen.of(launch_of(9, 9, 9, {bytes(std::int32_t{30}), bytes(std::int64_t{310})})),
            "H310_W30 BLOCK=128 near_size grid 1,310");
}

TEST(Choice, ASizeOfNothingIsLeft) {
  const Chosen chosen(kBoth);
  EXPECT_EQ(chosen.of(launch_of(9, 9, 9, {bytes(std::int32_t{0}), bytes(std::int64_t{310})})),
            "no tuned configuration can run H=310, W=0");
}

TEST(Choice, ScalarsThatContradictEachOtherAreLeft) {
  const Chosen chosen(std::string(kBoth) + "  - {name: stride, type: int32, value: W}\n");
  const std::string h = bytes(std::int64_t{100});
  EXPECT_EQ(chosen.of(launch_of(9, 9, 9, {bytes(std::int32_t{64}), h, bytes(std::int32_t{80})})),
            "'stride' is 80, and the study has it as W, which is 64 elsewhere");
  const Chosen computed(std::string(kBoth) + "  - {name: count, type: uint32, value: H * W}\n");
  EXPECT_EQ(
      computed.of(launch_of(9, 9, 9, {bytes(std::int32_t{64}), h, bytes(std::uint32_t{6400})})),
      "H100_W64 BLOCK=32 exact grid 2,100");
  EXPECT_EQ(computed.of(launch_of(9, 9, 9, {bytes(std::int32_t{64}), h, bytes(std::uint32_t{5})})),
            "'count' is 5, not 'H * W' of H=100, W=64");
}

constexpr const char* kWidth =
    "  - {name: x, type: float32, shape: [H, W], role: inout}\n"
    "  - {name: width, type: int32, value: W}\n";

TEST(Choice, ADimensionWithoutAScalarFollowsFromTheOneSizeThatIsLaunchedSo) {
  const Chosen chosen(kWidth);
  const std::string wide = bytes(std::int32_t{64});
  EXPECT_EQ(chosen.of(launch_of(2, 200, 32, {wide})), "H200_W64 BLOCK=64 exact grid 1,200");
  EXPECT_EQ(chosen.of(launch_of(1, 200, 64, {wide})), "H200_W64 BLOCK=64 exact grid 1,200");
  // Half of the rows: another launch of the program may do the others.
  EXPECT_EQ(chosen.of(launch_of(2, 150, 32, {wide})),
            "no scalar says what H is, and no tuned size is launched so");
  EXPECT_EQ(chosen.of(launch_of(1, 150, 32, {bytes(std::int32_t{32})})),
            "no launch of the study's has this geometry at H=300, W=32");
}

TEST(Choice, ALaunchWithAnOffsetMayBeOneOfSeveral) {
  const Chosen chosen(std::string(kBoth) + "  - {name: begin, type: int32, value: 0}\n");
  const std::vector<std::string> values{bytes(std::int32_t{64}), bytes(std::int64_t{200})};
  EXPECT_EQ(chosen.of(launch_of(1, 200, 64, values)), "H200_W64 BLOCK=64 exact grid 1,200");
  EXPECT_EQ(chosen.of(launch_of(1, 100, 64, values)),
            "no launch of the study's has this geometry at H=200, W=64");
}

TEST(Choice, SizesThatAreLaunchedAlikeAreNotGuessed) {
  const Study study = study_of(
      "kernel: {name: scale, source: s.cu, entry: scale}\n"
      "problem_sizes: [{H: 100, W: 64}, {H: 200, W: 64}]\n"
      "parameters: {BLOCK: [32, 64, 128]}\n"
      "launch: {block: [BLOCK], grid: [8]}\n"
      "arguments:\n" +
      std::string(kWidth));
  const std::vector<RankedResults> results{results_of(100, 64, 32), results_of(200, 64, 64)};
  const VariantChooser chooser(study, results, kNoText);
  const auto variant = chooser.choose(kH200, launch_of(8, 1, 32, {bytes(std::int32_t{64})}));
  ASSERT_FALSE(variant);
  EXPECT_EQ(variant.error(), "no scalar says what H is, and several tuned sizes are launched so");
}

TEST(Choice, ScalarsThatFollowFromTheConfigurationAreTheVariants) {
  const Chosen chosen(std::string(kBoth) +
                      "  - {name: tiles, type: int32, value: \"W // BLOCK\"}\n");
  ASSERT_EQ(chosen.chooser.parts().size(), 2U);  // it says nothing of the size
  const auto variant = chosen.chooser.choose(
      kH200, launch_of(9, 9, 9, {bytes(std::int32_t{64}), bytes(std::int64_t{100})}));
  ASSERT_TRUE(variant) << variant.error();
  ASSERT_EQ(variant->scalars.size(), 1U);
  EXPECT_EQ(variant->scalars[0].first, 4U);
  std::int32_t tiles = 0;
  std::memcpy(&tiles, variant->scalars[0].second.data(), sizeof tiles);
  EXPECT_EQ(tiles, 2);
}

TEST(Choice, OfADeviceThatWasNotTunedIsThatOfTheNearest) {
  const Chosen chosen(kBoth);
  const auto launch = launch_of(9, 9, 9, {bytes(std::int32_t{64}), bytes(std::int64_t{200})});
  EXPECT_EQ(chosen.of(launch, {"NVIDIA H100", 90, 132}),
            "H200_W64 BLOCK=64 near_device grid 1,200");
  EXPECT_EQ(chosen.of(launch, {"Unheard-of", 3, 1}),
            "nothing was tuned on 'Unheard-of', and nothing is known of its like");
}

TEST(Choice, TheVariantIsCompiledForTheDeviceWithItsDefinitions) {
  const Chosen chosen(kBoth);
  const auto variant = chosen.chooser.choose(
      kH200, launch_of(9, 9, 9, {bytes(std::int32_t{64}), bytes(std::int64_t{200})}));
  ASSERT_TRUE(variant);
  EXPECT_EQ(variant->request.arch, "sm_90");
  EXPECT_EQ(variant->request.entry, "scale");
  EXPECT_EQ(variant->request.defines,
            (std::vector<std::pair<std::string, std::string>>{{"TUNE_BLOCK", "64"}}));
}

}  // namespace
}  // namespace tuner
