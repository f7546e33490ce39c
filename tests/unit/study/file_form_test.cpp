// Every kind of mistake, with its place.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"
#include "tuner/check/checked_study.h"

namespace tuner::testing {
namespace {

TEST(FileForm, AMistakeIsShownInItsLine) {
  const StudyFolder folder("schema: 1\nparameters: {B: [1, 1]}\n");
  try {
    read_study(folder.file());
    FAIL();
  } catch (const InputError& error) {
    const std::string shown = "\n    parameters: {B: [1, 1]}\n                        ^";
    EXPECT_NE(std::string(error.what()).find(shown), std::string::npos) << error.what();
  }
}

TEST(FileForm, BrokenYamlSaysWhere) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2}
)yaml"),
            "study.yaml:2:22: this is not valid YAML: illegal flow end");
}

TEST(FileForm, TabsInTheIndentationAreNotYaml) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters:
	B: [1]
)yaml"),
      "study.yaml:3:3: this is not valid YAML: illegal map value (indent with spaces, not tabs)");
}

TEST(FileForm, ATextWithANulIsRefused) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {S: [a, "x\0y"]}
)yaml"),
            "study.yaml:2:21: a text must not hold a NUL character ('\\0')");
}

TEST(FileForm, AnEmptyFileIsNotAStudy) {
  EXPECT_EQ(complaints_of(R"yaml()yaml"),
            R"text(study.yaml:1:1: the study must be a map (key: value), not nothing)text");
}

TEST(FileForm, AListIsNotAStudy) {
  EXPECT_EQ(complaints_of(R"yaml(- 1
- 2
)yaml"),
            "study.yaml:1:1: the study must be a map (key: value), not a list");
}

TEST(FileForm, UnknownKeyHasASuggestion) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constrains: []
)yaml"),
            "study.yaml:3:1: unknown key 'constrains' in the study (did you mean 'constraints'?)");
}

TEST(FileForm, UnknownKeyWithoutANearOneListsTheKnown) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
search: {zzz: 1}
)yaml"),
            "study.yaml:3:10: unknown key 'zzz' in 'search' (known: strategy, options, budget, "
            "until_loss and advice)");
}

TEST(FileForm, DuplicateKeySaysWhereTheFirstIs) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
parameters: {C: [1]}
)yaml"),
            "study.yaml:3:1: duplicate key 'parameters', first on line 2");
}

TEST(FileForm, MissingSchemaAndParameters) {
  EXPECT_EQ(complaints_of(R"yaml(constraints: []
)yaml"),
            R"text(study.yaml:1:1: missing key 'schema' in the study
study.yaml:1:1: missing key 'parameters' in the study)text");
}

TEST(FileForm, EmptyRequiredKey) {
  EXPECT_EQ(complaints_of(R"yaml(schema:
parameters: {B: [1]}
)yaml"),
            "study.yaml:1:1: 'schema' is empty");
}

TEST(FileForm, NewerSchema) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 2
parameters: {B: [1, 2]}
)yaml"),
            "study.yaml:1:9: this program reads schema 1, not 2 (a newer tuner wrote this file)");
}

TEST(FileForm, OlderSchema) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 0
parameters: {B: [1, 2]}
)yaml"),
            "study.yaml:1:9: this program reads schema 1, not 0 (schema: 1)");
}

TEST(FileForm, SchemaThatIsNoNumber) {
  EXPECT_EQ(complaints_of(R"yaml(schema: one
parameters: {B: [1, 2]}
)yaml"),
            "study.yaml:1:9: 'schema' must be an integer, not text");
}

TEST(FileForm, SecondDocument) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
---
schema: 1
)yaml"),
            "study.yaml:4:1: a second document begins here; a study file holds one");
}

TEST(FileForm, AliasInsideWhatItNames) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: &a [1, *a]}
)yaml"),
            "study.yaml:2:24: this alias stands inside what it names");
}

TEST(FileForm, AliasOfNothing) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: *nothing}
)yaml"),
            "study.yaml:2:17: this is not valid YAML: the referenced anchor is not defined");
}

TEST(FileForm, MergeKeysAreNamed) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {A: &a [1, 2], B: *a}
arguments:
  - &x {name: x, type: float, shape: [4]}
  - {<<: *x, name: y}
)yaml"),
            "study.yaml:5:6: merge keys are not supported: use 'extends' for a whole study, or "
            "write the keys out");
}

TEST(FileForm, TagsMeanNothing) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - !B
)yaml"),
      R"text(study.yaml:4:5: YAML tags are not supported (put text that begins with '!' in quotes)
study.yaml:4:5: expected a value at the end)text");
}

TEST(FileForm, KeysMustBeText) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
derived: {[1, 2]: B}
)yaml"),
            "study.yaml:3:11: a key must be plain text");
}

TEST(FileForm, SplitListSaysToQuote) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
problem_sizes: [{N: 8}]
metrics: {x: 1}
derived: {d: min(B, N), e: B}
constraints: [max(B, min(2, N)) > 1, B > Q]
)yaml"),
      R"text(study.yaml:5:14: YAML splits 'min(B, N)' at the comma (put it in quotes: "min(B, N)")
study.yaml:6:15: YAML splits 'max(B, min(2, N)) > 1' at the comma (put it in quotes: "max(B, min(2, N)) > 1")
study.yaml:6:42: unknown name 'Q')text");
}

TEST(FileForm, DeepNesting) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
)yaml"),
            "study.yaml:2:44: lists and maps are nested deeper than 32 levels");
}

TEST(FileForm, QuotedBeginningOfAnExpression) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - 'a' == B
)yaml"),
            "study.yaml:4:9: this is not valid YAML: end of sequence not found (put the whole "
            "expression in quotes)");
}

TEST(FileForm, NothingPointsAtWhatComesBeforeIt) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters:
  B:
    - 
    - 2
constraints:
  - # nothing
  - ~
)yaml"),
      R"text(study.yaml:4:5: a value of parameter 'B' must be a number, a boolean or text, not nothing
study.yaml:7:13: a constraint must be an expression, not nothing
study.yaml:8:5: a constraint must be an expression, not nothing)text");
}

}  // namespace
}  // namespace tuner::testing
