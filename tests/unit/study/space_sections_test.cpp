// Every kind of mistake, with its place.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(SpaceSections, ParametersMustBeAMap) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: [1, 2]
constraints:
  - B > 1
)yaml"),
            "study.yaml:2:13: 'parameters' must be a map (key: value), not a list");
}

TEST(SpaceSections, NoParameters) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {}
)yaml"),
            "study.yaml:2:13: 'parameters' is empty: there is nothing to tune");
}

TEST(SpaceSections, AllValuesTogetherHaveALimit) {
  std::string yaml = "schema: 1\nparameters:\n";
  for (int p = 0; p < 300; ++p) yaml += fmt::format("  P{}: {{range: [1, 1000000]}}\n", p);
  EXPECT_EQ(complaints_of(yaml + "constraints: [P299 > 1]\n"),
            "study.yaml:8:3: with 'P5' the parameters have 6000000 values; together they may have "
            "at most 5000000");
}

TEST(SpaceSections, SizesAreTakenAsPeopleWriteThem) {
  const auto sizes = [](const std::string& list) {
    std::string text;
    const Study study = accepted("schema: 1\nproblem_sizes: " + list + "\nparameters: {B: [1]}\n");
    for (const ProblemSize& size : study.sizes) text += size.label() + " ";
    return text;
  };
  EXPECT_EQ(sizes("[{N: 2**20}, {N: 1_000_000}, {N: 1e6 * 2}, {N: '4096'}, {N: 1e3}]"),
            "N1048576 N1000000 N2000000 N4096 N1000 ");
  EXPECT_EQ(sizes("{domain: {N: [2**4, 2**4]}}"), "N16 ");
  EXPECT_EQ(sizes("[{N: 0b11}, {N: 64 * 1024}, {N: 1 << 4}, {N: 0x1_1}]"), "N3 N65536 N16 N17 ");
  EXPECT_EQ(complaints_of("schema: 1\nproblem_sizes: [{N: 1.5}]\nparameters: {B: [1]}\n"),
            "study.yaml:2:21: problem size 'N' must be an integer, not a number");
}

TEST(SpaceSections, ValuesAreTakenAsPeopleWriteThem) {
  const auto values = [](const std::string& list) {
    return accepted("schema: 1\nparameters: {B: " + list + "}\n").parameters.front().values;
  };
  EXPECT_EQ(values("[2**5, 1_000, 0b11, 64 * 2, 1e6]"), values("[32, 1000, 3, 128, 1000000]"));
  EXPECT_EQ(values("[1e3, 0.5]"), (std::vector<Value>{1000.0, 0.5}));
  EXPECT_EQ(values("['2**5']"), (std::vector<Value>{"2**5"}));
  EXPECT_EQ(values("{range: [1_0, 2**4, 1e0]}").size(), 7U);
}

TEST(SpaceSections, NumbersMeantOtherwiseAreNamed) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
problem_sizes: [{M: 2^20, N: 64k, O: "1,000,000", P: 2**70, Q: 1e-3}]
parameters: {B: [1], C: {pow2: [1, 2^4]}, D: [2**64]}
)yaml"),
            R"text(study.yaml:2:21: problem size 'M' must be an integer, not text (2**20 is 1048576)
study.yaml:2:30: problem size 'N' must be an integer, not text (64 * 1024 is 65536)
study.yaml:2:38: problem size 'O' must be an integer, not text (1_000_000 is 1000000)
study.yaml:2:54: problem size 'P': 2**70 does not fit in 64 bits
study.yaml:2:64: problem size 'Q' must be an integer, not a number
study.yaml:3:36: 'pow2' must be an integer, not text (2**4 is 16)
study.yaml:3:47: a value of parameter 'D': 2**64 does not fit in 64 bits)text");
  EXPECT_EQ(warnings_of("schema: 1\nparameters: {B: [2^5, 2^6]}\n"),
            "study.yaml:2:18: '2^5' is text, no number (2**5 is 32)");
}

TEST(SpaceSections, ParameterWithoutValues) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters:
  B: []
)yaml"),
            "study.yaml:3:6: parameter 'B' has no values");
}

TEST(SpaceSections, ParameterWithNothingBehindIt) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters:
  B:
  C: [1]
)yaml"),
            "study.yaml:3:3: parameter 'B' must be a list of values, {range: [..]} or {pow2: "
            "[..]}, not nothing");
}

TEST(SpaceSections, SingleValueIsNotAList) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: 32}
)yaml"),
            "study.yaml:2:17: parameter 'B' must be a list of values, {range: [..]} or {pow2: "
            "[..]}, not an integer (a fixed value is [32])");
}

std::string values_of(const std::string& values) {
  const Study study = accepted("schema: 1\nparameters:\n  B: " + values + "\n");
  std::string all;
  for (const Value& value : study.parameters.front().values) {
    all += (all.empty() ? "" : " ") + to_text(value);
  }
  return all;
}

TEST(SpaceSections, PythonsListsAreTakenAsT1FilesHaveThem) {
  EXPECT_EQ(values_of("[2**i for i in range(6)]"), "1 2 4 8 16 32");
  EXPECT_EQ(values_of("[i for i in range(3,12,2)]"), "3 5 7 9 11");
  EXPECT_EQ(values_of("[i for i in range(3, 12, 2) if i % 3]"), "5 7 11");
  EXPECT_EQ(values_of("'[i for i in range(3,12,2)]'"), "3 5 7 9 11");
  EXPECT_EQ(values_of("['i for i in range(3,12,2)']"), "3 5 7 9 11");
  EXPECT_EQ(values_of("\n  - i for i in range(3)"), "0 1 2");
  EXPECT_EQ(values_of("range(1, 4)"), "1 2 3");
  EXPECT_EQ(values_of("list(range(4, 17, 4))"), "4 8 12 16");
  EXPECT_EQ(values_of("'[1] + [2*i for i in range(1, 3)]'"), "1 2 4");
  EXPECT_EQ(values_of("['x for y in z']"), "x for y in z") << "quoted, and no list";
}

TEST(SpaceSections, MistakesInPythonsLists) {
  EXPECT_EQ(complaints_of("schema: 1\nparameters:\n  B: range(1, 9, 0)\n"
                          "  C: \"[2**i for i in X]\"\n  D: [i // 2 for i in range(3,5)]\n"
                          "  E: [1, i for i in range(3)]\n  F: '[i for i in range(0)]'\n"),
            R"text(study.yaml:3:12: range() with step 0 never ends
study.yaml:4:22: expected a list such as [1, 2], range(8) or [2**i for i in ...]
study.yaml:6:10: a value of parameter 'E' is a list comprehension (write it alone, as the whole list))text");
  EXPECT_EQ(complaints_of("schema: 1\nparameters:\n  D: [i // 2 for i in range(4)]\n"),
            "study.yaml:3:6: parameter 'D' has the value 0 twice");
  EXPECT_EQ(complaints_of("schema: 1\nparameters:\n  F: '[i for i in range(0)]'\n"),
            "study.yaml:3:7: parameter 'F' has no values");
}

TEST(SpaceSections, DuplicateValuesOfAnyType) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters:
  A: [1, 2, 1]
  B: [1, 1.0, 2]
  C: [true, 1]
  D: [static, 'static']
)yaml"),
            R"text(study.yaml:3:13: parameter 'A' has the value 1 twice
study.yaml:4:10: parameter 'B' has the value 1 twice (1.0 equals it)
study.yaml:5:13: parameter 'C' has the value true twice (1 equals it)
study.yaml:6:15: parameter 'D' has the value static twice)text");
}

TEST(SpaceSections, ValuesMustBeScalars) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [[1], {a: 1}, ~]}
)yaml"),
      R"text(study.yaml:2:18: a value of parameter 'B' must be a number, a boolean or text, not a list
study.yaml:2:23: a value of parameter 'B' must be a number, a boolean or text, not a map
study.yaml:2:31: a value of parameter 'B' must be a number, a boolean or text, not nothing)text");
}

TEST(SpaceSections, NumbersBeyond64Bits) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [9223372036854775808, 1e999, .nan]}
)yaml"),
      R"text(study.yaml:2:18: a value of parameter 'B': 9223372036854775808 does not fit in 64 bits
study.yaml:2:39: a value of parameter 'B': 1e999 does not fit in 64 bits
study.yaml:2:46: a value of parameter 'B': .nan is not a finite number)text");
}

TEST(SpaceSections, BadNames) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {2B: [1], min: [1], in: [1], time: [1], a-b: [1]}
)yaml"),
      R"text(study.yaml:2:14: '2B' cannot be a name (a letter or _, then letters, digits and _)
study.yaml:2:23: 'min' is a word of the expression language and cannot be a parameter
study.yaml:2:33: 'in' is a word of the expression language and cannot be a parameter
study.yaml:2:42: 'time' is already a measured quantity
study.yaml:2:53: 'a-b' cannot be a name (a letter or _, then letters, digits and _))text");
}

TEST(SpaceSections, RangeNeedsIntegers) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters:
  A: {range: [1, 2.5]}
  B: {range: [1]}
  C: {range: 7}
)yaml"),
            R"text(study.yaml:3:18: 'range' must be an integer, not a number
study.yaml:4:14: 'range' takes 2 or 3 integers, not 1
study.yaml:5:14: 'range' must be a list, not an integer)text");
}

TEST(SpaceSections, RangeThatGoesNowhere) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters:
  A: {range: [5, 4]}
  B: {range: [1, 8, 0]}
  C: {range: [0, 100000000]}
)yaml"),
            R"text(study.yaml:3:14: the range begins at 5, above its end 4
study.yaml:4:14: the step of a range must be at least 1, not 0
study.yaml:5:14: a parameter may have at most 2097152 values)text");
}

TEST(SpaceSections, Pow2NeedsPowersOfTwo) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters:
  A: {pow2: [1, 12]}
  B: {pow2: [0, 8]}
  C: {pow2: [8, 1]}
)yaml"),
            R"text(study.yaml:3:13: both ends of 'pow2' must be powers of two; 12 is not
study.yaml:4:13: both ends of 'pow2' must be powers of two; 0 is not
study.yaml:5:13: 'pow2' begins at 8, above its end 1)text");
}

TEST(SpaceSections, UnknownGenerator) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters:
  A: {rnage: [1, 2]}
  B: {range: [1, 2], pow2: [1, 2]}
)yaml"),
            R"text(study.yaml:3:7: unknown key 'rnage' in parameter 'A' (did you mean 'range'?)
study.yaml:4:3: parameter 'B' must have one of 'values', 'range' and 'pow2')text");
}

TEST(SpaceSections, SizesMustBeAListOfMaps) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
problem_sizes: {N: 1}
)yaml"),
            "study.yaml:3:16: 'problem_sizes' must be a list, not a map");
}

TEST(SpaceSections, NoSizes) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
problem_sizes: []
)yaml"),
            "study.yaml:3:16: 'problem_sizes' is empty");
}

TEST(SpaceSections, SizesMustBePositiveIntegers) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
problem_sizes:
  - {M: 0, N: -4, K: 1.5, L: big}
)yaml"),
            R"text(study.yaml:4:9: problem size 'M' must be at least 1, not 0
study.yaml:4:15: problem size 'N' must be at least 1, not -4
study.yaml:4:22: problem size 'K' must be an integer, not a number
study.yaml:4:30: problem size 'L' must be an integer, not text)text");
}

TEST(SpaceSections, SizesMustHaveTheSameDimensions) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
problem_sizes:
  - {M: 1, N: 2}
  - {M: 1, NN: 2}
  - {M: 1}
)yaml"),
            R"text(study.yaml:5:5: this problem size has no 'N'
study.yaml:5:12: the first problem size has no 'NN' (known: M and N)
study.yaml:6:5: this problem size has no 'N')text");
}

TEST(SpaceSections, SizeTwice) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
problem_sizes:
  - {M: 1, N: 2}
  - {N: 2, M: 1}
)yaml"),
            "study.yaml:5:5: problem size M1_N2 is in the list twice");
}

}  // namespace
}  // namespace tuner::testing
