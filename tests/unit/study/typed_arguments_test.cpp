// Arguments whose type is a text parameter: what is read, planned and refused.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"
#include "tuner/resolve/resolve.h"

namespace tuner::testing {
namespace {

std::string typed_study(const std::string& rest, const std::string& parameters = "") {
  return "schema: 1\nkernel: {name: k, source: k.cu, entry: \"k<{T}>\"}\nproblem_sizes: [{N: 64}]\n"
         "parameters: {T: [\"float\", \"double\", \"half\"], B: [32, 64]" +
         parameters + "}\nlaunch: {block: [B], grid: [N]}\n" + rest;
}

const std::string kArguments =
    "arguments:\n"
    "  - {name: y, type: \"{T}\", shape: [N], role: out}\n"
    "  - {name: x, type: \"{T}\", shape: [N], fill: {uniform: [0, 1]}}\n"
    "  - {name: a, type: \"{T}\", value: B}\n"
    "  - {name: n, type: int, value: N}\n"
    "  - {name: s, type: P, value: {p: x}}\n"
    "types: {P: [{p: pointer}]}\n";
const std::string kReference =
    "reference: {entry: \"r<{T}>\", block: [1], grid: [1], arguments: [y, x, n, s]}\n";

TEST(TypedArguments, ThereIsOneForEachTypeAndTheReferenceHasIt) {
  const Study study = accepted(typed_study(kArguments + kReference));
  ASSERT_EQ(study.arguments.size(), 11U);
  EXPECT_EQ(study.arguments[1].name, "y");
  EXPECT_EQ(study.arguments[1].type, DataType::kFloat64);
  EXPECT_EQ(study.arguments[5].type, DataType::kFloat16);
  EXPECT_EQ(to_text(study.arguments[5].choice->value), "half");
  EXPECT_EQ(study.reference->per, std::vector<std::string>{"T"});
}

// A configuration is launched on the buffers of its type, checked against the reference's of that
// type, and knows nothing of the others.
TEST(TypedArguments, PlansHoldThoseOfTheConfigurationsType) {
  const Study study = accepted(typed_study(
      kArguments + kReference + "verify: {y: {rtol: \"0.5 if T == 'half' else 0.25\"}}\n"));
  const DeviceFacts device = nominal_facts("sm_90");
  const SearchSpace space =
      SearchSpace::build(space_definition(study, study.sizes.front(), device));
  const auto size = size_plan(study, study.sizes.front(), device, reference_cases(study, space));
  ASSERT_TRUE(size.has_value()) << size.error();
  ASSERT_EQ(size->checks.size(), 3U);
  EXPECT_EQ(size->checks[0].rtol, 0.25);
  EXPECT_EQ(size->checks[2].rtol, 0.5);
  EXPECT_EQ(size->arguments[3].seed, size->arguments[5].seed) << "the same numbers, rounded";
  ASSERT_EQ(size->reference->answers.size(), 3U);
  EXPECT_EQ(size->reference->answers[1].arguments, (std::vector<std::uint32_t>{1, 4, 9, 10}));
  const auto variant = variant_plan(study, space, {std::string("double"), std::int64_t{32}});
  ASSERT_TRUE(variant.has_value()) << variant.error();
  EXPECT_EQ(variant->arguments, (std::vector<std::uint32_t>{1, 4, 7, 9, 10}));
  EXPECT_EQ(variant->answer, 1U);
  for (const auto& [place, plan] : variant->overrides) {
    const bool is_idle = plan.is_scalar && plan.scalar.empty();
    EXPECT_EQ(is_idle, place < 9 && place % 3 != 1) << place;
    if (place != 10) continue;
    EXPECT_EQ(plan.addresses.front().of, 4U) << "the struct holds x of its type";
  }
}

struct WrongType {
  std::string text;
  std::string message;
};

TEST(TypedArguments, EveryMistakeHasItsPlace) {
  const auto argument = [](const std::string& type, const std::string& rest = "shape: [N]") {
    return typed_study("arguments: [{name: y, type: " + type + ", role: out, " + rest + "}]\n",
                       ", M: [\"float\", \"flat\"]");
  };
  const std::vector<WrongType> all{
      {argument("\"{U}\""), "study.yaml:6:29: unknown name 'U'"},
      {argument("\"{N}\""),
       "study.yaml:6:29: 'N' is a problem size; 'type' may use only parameters"},
      {argument("\"{B}\""), "study.yaml:6:29: the value 32 of 'B' is the name of no type (known: "},
      {argument("\"{M}\""),
       "study.yaml:6:29: the value flat of 'M' is the name of no type (known: float32, "},
      {argument("\"{T}2\""),
       "study.yaml:6:29: a type is one name, or one parameter in braces (type: \"{T}\")"},
      {typed_study("types: {P: [{x: int}]}\narguments: [{name: y, type: \"{S}\", shape: [N], role: "
                   "out}]\nverify: none\n",
                   ", S: [\"float\", \"P\"]"),
       "study.yaml:7:29: the value P of 'S' is a struct, and 'type' needs numbers or vectors"},
      {typed_study("arguments: [{name: v, type: \"{V}\", value: 1}]\nverify: none\n",
                   ", V: [\"float2\"]"),
       "study.yaml:6:20: 'v' is one number, and 'float2' has several"},
      {typed_study("arguments: [{name: t, pointers: [x]}]\nbuffers: [{name: x, type: \"{T}\", "
                   "shape: [N], role: out}]\nverify: none\n"),
       "study.yaml:6:20: a table cannot hold the address of 'x', whose type is the parameter 'T'"},
      {typed_study("types: {P: [{x: \"{T}\"}]}\narguments: [{name: y, type: P, shape: [N], role: "
                   "out}]\nverify: none\n"),
       "study.yaml:6:17: the type of a member is the same for all configurations (a parameter may "
       "be the type of an argument)"},
      {typed_study(kArguments + "constants: [{name: c, type: \"{T}\", value: 1}]\n" + kReference),
       "study.yaml:13:29: a constant has one type, which no parameter can be"},
      {typed_study(kArguments + "reference: {entry: r, block: [1], grid: [1], arguments: [y], "
                                "configuration: {T: half}}\n"),
       "study.yaml:13:78: 'T' is a type, so the reference gets each of its values (leave it out of "
       "'configuration')"},
      {typed_study(kArguments + kReference + "verify: {y: {rtol: B}}\n"),
       "study.yaml:14:20: 'B' is a parameter; a tolerance may use only"}};
  for (const WrongType& one : all) {
    EXPECT_EQ(complaints_of(one.text).substr(0, one.message.size()), one.message) << one.text;
  }
}

}  // namespace
}  // namespace tuner::testing
