#include "tuner/check/geometry_check.h"

#include <gtest/gtest.h>

#include <regex>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

Study study_with(const std::string& parameters, const std::string& launch,
                 const std::string& more = "") {
  return accepted("schema: 1\nkernel: {name: k, source: k.cu, entry: k}\n" +
                  ("problem_sizes: [{N: 64}]\nparameters: {" + parameters + "}\n") +
                  ("launch:\n" + launch) +
                  "arguments: [{name: Y, type: float, shape: [N], role: out}]\n" + more);
}

SearchSpace space_of(const Study& study, const DeviceFacts& device) {
  SpaceDefinition definition{study.parameters, study.derived, study.constraints, device.bindings()};
  for (const auto& [name, extent] : study.sizes.front().dims) definition.facts[name] = extent;
  return SearchSpace::build(std::move(definition));
}

std::string rendered(const std::vector<Complaint>& complaints, const Study& study) {
  std::string all;
  for (Complaint complaint : complaints) {
    complaint.where.file = "study.yaml";
    all += (all.empty() ? "" : "\n") + render(complaint, study.text);
  }
  return without_lines(all);
}

std::string geometry_of(const Study& study, const DeviceFacts& device = {}) {
  const auto report = check_geometry(study, space_of(study, device), study.sizes.front(), device);
  return rendered(report.complaints, study);
}

TEST(GeometryCheck, OneHealthyConfigurationIsEnough) {
  EXPECT_EQ(geometry_of(study_with("B: [2048, 64]", "  block: [B]\n  grid: [N]\n")), "");
}

TEST(GeometryCheck, WhatSomeConfigurationsGetWrongOnAnyDeviceIsAWarning) {
  const auto warnings_of = [](const Study& study) {
    const auto report = check_geometry(study, space_of(study, {}), study.sizes.front(), {});
    EXPECT_TRUE(report.complaints.empty());
    return rendered(report.warnings, study);
  };
  EXPECT_EQ(warnings_of(study_with("B: [0, 1, 2]", "  block: [32]\n  grid: [N // B]\n")),
            "study.yaml:7:10: division by zero, for 1 of the 3 configurations, as B=0 (these fail "
            "as 'launch'; a constraint leaves them out)");
  const std::string launch = "  block: [32]\n  grid: [N]\n";
  const auto with = [&](const std::string& argument) {
    return accepted(
        "schema: 1\nkernel: {name: k, source: k.cu, entry: k}\nproblem_sizes: [{N: 64}]\n"
        "parameters: {B: [1, 2, 300]}\nlaunch:\n" +
        launch + "arguments:\n  - " + argument +
        "\n"
        "  - {name: Y, type: float, shape: [N], role: out}\n");
  };
  EXPECT_EQ(warnings_of(with("{name: S, type: float, shape: [B - 1], role: scratch}")),
            "study.yaml:9:12: the shape of S 'B - 1' is 0, must be a whole number from 1 to "
            "1152921504606846976, for 1 of the 3 configurations, as B=1 (these fail as 'launch'; a "
            "constraint leaves them out)");
  EXPECT_EQ(warnings_of(with("{name: s, type: uint8, value: B}")),
            "study.yaml:9:12: s 'B' is 300, does not fit uint8, for 1 of the 3 configurations, as "
            "B=300 (these fail as 'launch'; a constraint leaves them out)");
  EXPECT_EQ(warnings_of(study_with("B: [2048, 64]", "  block: [B]\n  grid: [N]\n")), "")
      << "a limit of the device";
}

TEST(GeometryCheck, OptionsAreJudgedForEachConfiguration) {
  Study study = study_with("B: [32, 64], O: [--keep, -lineinfo]", "  block: [B]\n  grid: [N]\n");
  study.kernel.options = {"{O}"};
  const SearchSpace space = space_of(study, {});
  const GeometryReport some = check_options(study, space, study.sizes.front(), {});
  EXPECT_TRUE(some.complaints.empty());
  ASSERT_EQ(some.warnings.size(), 1U);
  EXPECT_EQ(some.warnings.front().where.line, 2);
  EXPECT_TRUE(some.warnings.front().message.starts_with(
      "'--keep' is no compiler option that a study may name"));
  EXPECT_TRUE(some.warnings.front().message.ends_with(", for 2 of the 4 configurations"));
  study.kernel.options = {"--keep={O}"};
  EXPECT_EQ(check_options(study, space, study.sizes.front(), {}).complaints.size(), 2U);
}

TEST(GeometryCheck, WorkIsAWholeNumberOfPieces) {
  const std::string launch = "  block: [B]\n  grid: [N]\n  work: ";
  EXPECT_EQ(geometry_of(study_with("B: [32, 64]", launch + "ceil_div(N, B)\n")), "");
  EXPECT_EQ(geometry_of(study_with("B: [32, 64]", launch + "N // 100\n")),
            "study.yaml:8:9: work is 0, for every configuration");
  EXPECT_EQ(geometry_of(study_with("B: [48]", launch + "N / B\n")),
            "study.yaml:8:9: '1.3333333333333333' is not a whole number, for every configuration "
            "(ceil_div(a, b) rounds a quotient up)");
}

TEST(GeometryCheck, AskingABackendForWhatItCannotDo) {
  const std::string launch = "  block: [B]\n  grid: [N]\n";
  const DeviceFacts cpu = nominal_facts("cpu");
  EXPECT_EQ(geometry_of(study_with("B: [32]", launch, "measure: {mode: graph}\n"), cpu),
            "study.yaml:9:17: 'mode: graph' cannot be measured with cpu, which launches nothing "
            "from a graph ('mode: stream' can)");
  EXPECT_EQ(geometry_of(study_with("B: [32]", launch, "measure: {cache: rotate}\n"), cpu), "");
  DeviceFacts plain;
  plain.backend = "toy";
  EXPECT_EQ(geometry_of(study_with("B: [32]", launch, "measure: {cache: rotate}\n"), plain),
            "study.yaml:9:18: 'cache: rotate' cannot be measured with toy, which always launches "
            "on the same buffers ('cache: cold' and 'cache: hot' can)");
  EXPECT_EQ(geometry_of(study_with("B: [32]", launch, "measure: {mode: graph, cache: rotate}\n"),
                        nominal_facts("sm_90")),
            "");
}

TEST(GeometryCheck, LaunchAttributesThatEveryConfigurationAsksFor) {
  const std::string launch = "  block: [32]\n  grid: [N]\n  cluster: [C]\n";
  DeviceFacts toy = nominal_facts("cpu");
  toy.backend = "toy";
  toy.abilities = {};
  EXPECT_EQ(geometry_of(study_with("C: [2, 4]", launch), toy),
            "study.yaml:8:13: launch attributes are not supported by toy, for every configuration");
  EXPECT_EQ(geometry_of(study_with("C: [1, 2]", launch), toy), "") << "1 asks for nothing";
  EXPECT_EQ(geometry_of(study_with("C: [2, 99]", launch), nominal_facts("sm_90")), "")
      << "a matter of each variant";
}

TEST(GeometryCheck, BlockOverTheLimitEverywhere) {
  EXPECT_EQ(geometry_of(study_with("B: [64, 128]", "  block: [B, 32]\n  grid: [N]\n")),
            "study.yaml:6:11: a block of 2048 threads is over the device's 1024, for every "
            "configuration");
  EXPECT_EQ(geometry_of(study_with("B: [65, 128]", "  block: [1, 1, B]\n  grid: [N]\n")),
            "study.yaml:6:17: block z is 65, over the device's 64, for every configuration");
}

TEST(GeometryCheck, GridAndBlockOfZeroEverywhere) {
  EXPECT_EQ(geometry_of(study_with("B: [65, 128]", "  block: [64 // B]\n  grid: [N // B]\n")),
            R"text(study.yaml:6:11: block x is 0, for every configuration
study.yaml:7:10: grid x is 0, for every configuration)text");
}

TEST(GeometryCheck, GridOverTheLimitEverywhere) {
  EXPECT_EQ(geometry_of(study_with("B: [1, 2]", "  block: [B]\n  grid: [N, 65536 * B]\n")),
            "study.yaml:7:13: grid y is 65536, over the device's 65535, for every configuration");
}

TEST(GeometryCheck, SharedMemoryOverTheLimitEverywhere) {
  EXPECT_EQ(geometry_of(study_with(
                "B: [1, 2]", "  block: [B]\n  grid: [N]\n  dynamic_shared_bytes: 50000 * B\n")),
            "study.yaml:8:25: dynamic_shared_bytes is 50000, over the device's 49152, for every "
            "configuration");
}

TEST(GeometryCheck, ExtentsThatAreNoWholeNumbersEverywhere) {
  EXPECT_EQ(
      geometry_of(study_with("B: [3, 5]", "  block: [B]\n  grid: [N / B, N // (B - B)]\n")),
      R"text(study.yaml:7:10: '21.333333333333332' is not a whole number, for every configuration (ceil_div(a, b) rounds a quotient up)
study.yaml:7:17: division by zero, for every configuration)text");
}

TEST(GeometryCheck, DifferentFaultsThatLeaveNothing) {
  EXPECT_EQ(
      geometry_of(study_with("B: [1, 2048]", "  block: [B]\n  grid: [B // 2]\n")),
      R"text(study.yaml:6:11: block x is 2048, over the device's 1024, for 1 of the 2 configurations and none can be launched
study.yaml:7:10: grid x is 0, for 1 of the 2 configurations and none can be launched)text");
}

TEST(GeometryCheck, LargeSpacesAreSampled) {
  EXPECT_EQ(geometry_of(study_with("A: {range: [1, 1000]}, B: {range: [1, 1000]}",
                                   "  block: [2000]\n  grid: [A * B]\n")),
            "study.yaml:6:11: block x is 2000, over the device's 1024, for 4082 of the 4082 "
            "configurations looked at, all of them");
}

TEST(EmptySpace, NamesTheConstraintThatNothingSatisfies) {
  const Study study = study_with("B: [1, 2]", "  block: [B]\n  grid: [N]\n",
                                 "constraints:\n  - B > 1\n  - B > 5\n");
  EXPECT_EQ(rendered(check_not_empty(study, space_of(study, {})), study),
            "study.yaml:11:5: no configuration satisfies this constraint");
}

TEST(EmptySpace, SaysWhyAConstraintHasNoValue) {
  const Study study = study_with("B: [1, 2]", "  block: [B]\n  grid: [N]\n",
                                 "constraints:\n  - 8 % (B - B) == 0\n");
  EXPECT_EQ(rendered(check_not_empty(study, space_of(study, {})), study),
            "study.yaml:10:5: no configuration satisfies this constraint (division by zero at "
            "column 3 with B = 1)");
}

TEST(EmptySpace, NamesTheStrictestOfConstraintsThatContradict) {
  const Study study = study_with("B: [1, 2, 3]", "  block: [B]\n  grid: [N]\n",
                                 "constraints:\n  - B < 3\n  - B > 2\n");
  const std::string message = rendered(check_not_empty(study, space_of(study, {})), study);
  // The share may be an estimate.
  EXPECT_EQ(std::regex_replace(message, std::regex("6[67]%"), "#%"),
            "study.yaml:11:5: no configuration satisfies all constraints; this one alone removes "
            "#% of them");
}

TEST(EmptySpace, IsNotComplainedOfWhenThereIsAConfiguration) {
  const Study study = study_with("B: [1, 2]", "  block: [B]\n  grid: [N]\n");
  EXPECT_TRUE(check_not_empty(study, space_of(study, {})).empty());
}

}  // namespace
}  // namespace tuner::testing
