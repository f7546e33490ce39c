#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"
#include "tuner/check/checked_study.h"
#include "tuner/check/geometry_check.h"

namespace tuner::testing {
namespace {

std::string study_with_then(const std::string& then) {
  return "schema: 1\n"
         "kernel: {name: k, source: k.cu, entry: k}\n"
         "problem_sizes: [{N: 64}]\n"
         "parameters: {B: [32, 64], PASSES: [1, 2]}\n"
         "arguments:\n"
         "  - {name: X, type: float32, shape: [N], fill: {uniform: [0, 1]}}\n"
         "  - {name: Y, type: float32, shape: [N], role: out}\n"
         "reference: {entry: r, block: [1], grid: [N]}\n"
         "launch:\n"
         "  block: [B]\n"
         "  grid: [N]\n" +
         then;
}

TEST(Then, IsReadWithGeometryArgumentsAndCondition) {
  const Study study = accepted(study_with_then(R"yaml(  then:
    - {entry: "finish<{B}>", block: [B, 2], grid: 1, dynamic_shared_bytes: 4 * B, arguments: [Y], when: PASSES == 2}
    - {entry: last, block: {x: 32}, grid: [N // 32]}
)yaml"));
  ASSERT_EQ(study.then.size(), 2U);
  EXPECT_EQ(study.then[0].entry, "finish<{B}>");
  EXPECT_EQ(study.then[0].launch.block[1].text(), "2");
  EXPECT_EQ(study.then[0].launch.grid[0].text(), "1");
  EXPECT_EQ(study.then[0].launch.dynamic_shared_bytes.text(), "4 * B");
  EXPECT_EQ(study.then[0].arguments, std::vector<std::string>{"Y"});
  EXPECT_EQ(study.then[0].when.text(), "PASSES == 2");
  EXPECT_TRUE(study.then[1].arguments.empty());
  EXPECT_TRUE(study.then[1].when.empty());
}

TEST(Then, MistakesAreReportedWhereTheyAre) {
  EXPECT_EQ(complaints_of(study_with_then(R"yaml(  then:
    - {entry: "a<{C}>", block: [B], grid: [Q], arguments: [X, y], when: TIMES > 1}
    - {entry: b, blocks: [B], grid: [1]}
    - {block: [1], grid: [1], arguments: []}
    - c
    - {entry: d, block: [1], grid: [1], arguments: Y}
)yaml")),
            R"text(study.yaml:13:19: unknown name 'C'
study.yaml:13:44: unknown name 'Q'
study.yaml:13:63: the kernel has no argument 'y' (did you mean 'Y'?)
study.yaml:13:73: unknown name 'TIMES'
study.yaml:14:7: missing key 'block' in a launch of 'then'
study.yaml:14:18: unknown key 'blocks' in a launch of 'then' (did you mean 'block'?)
study.yaml:15:7: missing key 'entry' in a launch of 'then'
study.yaml:15:42: a kernel without arguments computes nothing (leave the key out to pass all of them)
study.yaml:16:7: a launch of 'then' must be a map (key: value), not text
study.yaml:17:52: 'arguments' of a launch of 'then' must be a list, not text)text");
  EXPECT_EQ(complaints_of(study_with_then("  then: {entry: a, block: [1], grid: [1]}\n")),
            "study.yaml:12:9: 'then' must be a list, not a map");
}

TEST(Then, MoreLaunchesThanAnyoneNeedsAreRefused) {
  std::string then = "  then:\n";
  for (int i = 0; i < 16; ++i) then += "    - {entry: a, block: [1], grid: [1]}\n";
  EXPECT_EQ(complaints_of(study_with_then(then)),
            "study.yaml:28:7: at most 15 launches may follow, not 16");
}

// The second launch can never be made, and only configurations with one are left.
TEST(Then, ALaunchThatNeverFitsIsFoundBeforeAnythingRuns) {
  const auto complaints = [](const std::string& condition) {
    const StudyFolder folder(
        study_with_then("  then:\n    - {entry: a, block: [B * 100], grid: [1], "
                        "when: " +
                        condition + "}\n"));
    const Study study = read_study(folder.file());
    const DeviceFacts device = nominal_facts("sm_90");
    const SearchSpace space =
        SearchSpace::build({study.parameters, study.derived, study.constraints, {}});
    return check_geometry(study, space, study.sizes.front(), device).complaints;
  };
  EXPECT_TRUE(complaints("PASSES == 2").empty()) << "half of them have one launch";
  const auto found = complaints("PASSES >= 1");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where.line, 13);
  EXPECT_EQ(found[0].message, "block x is 3200, over the device's 1024, for every configuration");
  const auto senseless = complaints("1 // (B - B)");
  ASSERT_EQ(senseless.size(), 1U);
  EXPECT_EQ(senseless[0].where.line, 13);
  EXPECT_EQ(senseless[0].message, "division by zero, for every configuration");
}

std::string study_with_rounds(const std::string& launch, const std::string& reference = "") {
  std::string study = study_with_then("  arguments: [A, B2]\n" + launch);
  study.replace(study.find("  - {name: X"), study.find("reference:") - study.find("  - {name: X"),
                "  - {name: A, type: float32, shape: [N], role: inout, fill: {uniform: [0, 1]}}\n"
                "  - {name: B2, type: float32, shape: [N], role: out}\n"
                "  - {name: X, type: float32, shape: [N], fill: {uniform: [0, 1]}}\n"
                "  - {name: k, type: int32, value: B}\n");
  const std::string own = "reference: {entry: r, block: [1], grid: [N]";
  study.replace(study.find(own), own.size(), own + ", arguments: [A, B2]" + reference);
  return study;
}

TEST(Rounds, AreReadOfTheStudyAndOfItsReference) {
  const Study study = accepted(study_with_rounds(
      "  repeat: N // 8\n  swap: [[A, B2]]\n  then: [{entry: f, block: [1], grid: [1], arguments: "
      "[X, k]}]\n",
      ", configuration: {B: 64}, repeat: 2 * N, swap: [[A, B2]], then: [{entry: r2, block: [B], "
      "grid: [1], arguments: [k]}]"));
  EXPECT_EQ(study.launch_arguments, (std::vector<std::string>{"A", "B2"}));
  EXPECT_EQ(study.rounds.repeat.text(), "N // 8");
  ASSERT_EQ(study.rounds.swap.size(), 1U);
  EXPECT_EQ(study.rounds.swap[0].second, "B2");
  EXPECT_EQ(study.reference->rounds.repeat.text(), "2 * N");
  ASSERT_EQ(study.reference->then.size(), 1U);
  EXPECT_EQ(study.reference->then[0].launch.block[0].text(), "B") << "it says which: 64";
}

TEST(Rounds, MistakesAreReportedWhereTheyAre) {
  EXPECT_EQ(complaints_of(
                study_with_rounds("  repeat: M\n  swap: [[A, X], [A, A], [A], [A, k], [Q, A]]\n")),
            R"text(study.yaml:15:11: unknown name 'M'
study.yaml:16:14: 'A' and 'X' cannot change places: 'X' has role in, and would be written to (role: inout)
study.yaml:16:22: 'A' cannot change places with itself
study.yaml:16:26: 'swap' is a list of pairs (swap: [[a, b]])
study.yaml:16:35: 'A' and 'k' cannot change places: they must be buffers of one type and one shape
study.yaml:16:40: the kernel has no argument 'Q' (known: A, B2, X and k))text");
  EXPECT_EQ(complaints_of(study_with_rounds("  repeat: 2\n  swap: [A, B2]\n")),
            R"text(study.yaml:16:10: 'swap' is a list of pairs (swap: [[a, b]])
study.yaml:16:13: 'swap' is a list of pairs (swap: [[a, b]]))text");
  EXPECT_EQ(complaints_of(study_with_rounds("  swap: [[A, B2]]\n")),
            "study.yaml:15:9: 'swap' has no effect without 'repeat' (repeat: how often all "
            "launches are made)");
  for (const auto& [rounds, message] : std::vector<std::pair<std::string, std::string>>{
           {"  repeat: 2\n  swap: [A, B2]\n",
            "study.yaml:16:10: 'swap' is a list of pairs (swap: [[a, b]])"},
           {"  repeat: 2\n  swap: A\n", "study.yaml:16:9: 'swap' must be a list, not text"},
           {"  repeat: [2]\n",
            "study.yaml:15:11: 'repeat' must be an expression, not a list (quote text that begins "
            "with [ or {)"},
           {"  repeats: 2\n",
            "study.yaml:15:3: unknown key 'repeats' in 'launch' (did you mean 'repeat'?)"}}) {
    const std::string said = complaints_of(study_with_rounds(rounds));
    EXPECT_EQ(said.substr(0, said.find('\n')), message) << rounds;
  }
}

TEST(Rounds, MistakesOfTheReferencesAreReportedWhereTheyAre) {
  for (const auto& [keys, message] : std::vector<std::pair<std::string, std::string>>{
           {"repeat: M", "74: unknown name 'M'"},
           {"repeat: B",
            "74: 'B' is a parameter; 'reference' may use only problem sizes and device facts"},
           {"repeat: [2]",
            "74: 'repeat' must be an expression, not a list (quote text that begins with [ or {)"},
           {"swap: [[A, B2]]",
            "72: 'swap' has no effect without 'repeat' (repeat: how often all launches are made)"},
           {"repeat: 2, swap: [[A, X]]",
            "88: 'A' and 'X' cannot change places: 'X' has role in, and would be written to (role: "
            "inout)"},
           {"then: [{entry: q, block: [B], grid: [1], arguments: [A]}]",
            "92: 'B' is a parameter; a launch of 'then' may use only problem sizes and device "
            "facts"},
           {"then: [{entry: q, block: [1], grid: [1], arguments: [k]}]",
            "1: the reference cannot take 'k', which differs between configurations (list the "
            "others in 'arguments' of the reference, or in 'per' the parameters that the right "
            "answer depends on, or say in 'configuration' with which values it runs)"},
           {"then: {entry: q, block: [1], grid: [1]}", "72: 'then' must be a list, not a map"},
           {"thens: []", "66: unknown key 'thens' in 'reference' (did you mean 'then'?)"}}) {
    const std::string said = complaints_of(study_with_rounds("", ", " + keys));
    EXPECT_EQ(said.substr(0, said.find('\n')), "study.yaml:10:" + message) << keys;
  }
}

}  // namespace
}  // namespace tuner::testing
