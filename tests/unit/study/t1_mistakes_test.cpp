// T1 files with mistakes: each is said with its place.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"
#include "tests/unit/study/t1_file.h"

namespace tuner::testing {
namespace {

const std::string kLaunch = R"("GlobalSize": {"X": "8"}, "LocalSize": {"X": "B"})";

// whole_t1() with the first `from` made `to`.
std::string said_of(const std::string& from, const std::string& to) {
  std::string text = whole_t1();
  text.replace(text.find(from), from.size(), to);
  return T1File(text).complaints();
}

TEST(T1Mistakes, ATornFileIsNoJson) {
  const std::string whole = whole_t1();
  EXPECT_EQ(T1File(whole.substr(0, whole.size() / 2)).complaints().substr(0, 8), "t1.json:");
  EXPECT_NE(T1File(whole.substr(0, 200)).complaints().find("this is not JSON"), std::string::npos);
  EXPECT_NE(T1File("{\"ConfigurationSpace\": ").complaints().find("ends too early"),
            std::string::npos);
  EXPECT_NE(T1File("").complaints().find("not JSON"), std::string::npos);
  EXPECT_NE(T1File("parameters: {a: [1]}").complaints().find("not JSON"), std::string::npos);
}

// Wherever it ends, it ends with a message. Whatever is changed, nothing worse happens than that.
TEST(T1Mistakes, EveryTornFileIsRefusedAndNoChangeIsFatal) {
  const std::string whole = whole_t1();
  for (std::size_t length = 0; length < whole.size(); length += 41) {
    EXPECT_FALSE(T1File(whole.substr(0, length)).complaints().empty()) << length;
  }
  const std::string marks = "\"{}[],:0-\\e(\n";
  for (std::size_t at = 0; at < whole.size(); at += 29) {
    std::string changed = whole;
    changed[at] = marks[at % marks.size()];
    EXPECT_NO_THROW(T1File(changed).complaints()) << at;
  }
}

TEST(T1Mistakes, NumbersThatJsonHasNotHaveTheirPlace) {
  EXPECT_EQ(without_lines(T1File("{\"ConfigurationSpace\":\n [1, NaN]}").complaints()),
            "t1.json:2:6: this is not JSON (JSON has no NaN and no Infinity)");
  EXPECT_EQ(without_lines(T1File("{\"ConfigurationSpace\":\n [1, -Infinity]}").complaints()),
            "t1.json:2:7: this is not JSON (JSON has no NaN and no Infinity)");
  EXPECT_EQ(without_lines(T1File("{\"ConfigurationSpace\":\n [1e400]}").complaints()),
            "t1.json:2:3: the number 1e400 is too large");
}

TEST(T1Mistakes, WhateverJsonStandsBeforeAMistakeItHasItsPlace) {
  const std::string before = R"({"a":[1e3,-2,{"b\"]":null}, true ,"\ud83d\ude00\\"], "c"
 :[],"ConfigurationSpace":{"TuningParameters":[{"Name":"A","Values":[1]},
  {"Name" : "B", )";
  EXPECT_EQ(without_lines(T1File(before + R"("Values":[]}]}})").complaints()),
            "t1.json:3:27: 'B' has no values");
  EXPECT_EQ(without_lines(T1File(before + R"("Values":[1],"Values":[2]}]}})").complaints()),
            "t1.json:3:31: duplicate key 'Values', first on line 3");
  EXPECT_EQ(without_lines(T1File(before + R"("Type":null,"Values":{}}]}})").complaints()),
            "t1.json:3:39: 'Values' must be a list or a list as text, not a map");
}

TEST(T1Mistakes, HostileNestingEndsWithAMessage) {
  EXPECT_FALSE(T1File(std::string(100000, '[')).complaints().empty());
  EXPECT_FALSE(
      T1File("{\"ConfigurationSpace\":" + std::string(100, '[') + std::string(100, ']') + "}")
          .complaints()
          .empty());
  std::string lists;
  for (int i = 0; i < 5000; ++i) lists += "list(";
  EXPECT_NE(said_of("[2**i for i in range(5, 9)]", lists + std::string(5000, ')')).find("deep"),
            std::string::npos);
}

TEST(T1Mistakes, LongTextsEndWithAMessage) {
  const std::string name(1000000, 'n');
  EXPECT_FALSE(said_of("\"factor\"", '"' + name + '"').empty());
  EXPECT_FALSE(said_of("max(tile)", "max(" + name + ")").empty());
  EXPECT_FALSE(
      said_of("ProblemSize[0]*", "ProblemSize[" + std::string(1000000, ' ') + "0]*").empty());
}

// A size's parts are replaced once, though what takes their place may look like one.
TEST(T1Mistakes, ValuesThatLookLikePartsOfASizeAreNotReplacedForEver) {
  EXPECT_NE(said_of("[1] + [2*i for i in range(1, 3)]", "['max(tile)']"), "");
  EXPECT_NE(said_of("[1000, 20]", "[\"'ProblemSize[0]'\", 20]"), "");
}

// Of 10^12 configurations none is valid.
TEST(T1Mistakes, ASpaceWithoutAnEasyConfigurationCanOnlyBeChecked) {
  const std::string hard = R"json("Default": 1},
    {"Name": "C", "Type": "int", "Values": "range(1, 1000000)"},
    {"Name": "D", "Type": "int", "Values": "range(1, 1000000)")json";
  const T1File file(small_t1(
      kLaunch, hard, R"json({"Expression": "C * C * C + D * D * D == B * 7777777777"})json"));
  const std::string said = file.warnings();
  EXPECT_NE(said.find("no other one was found to compare with: the file can only be checked"),
            std::string::npos)
      << said;
}

TEST(T1Mistakes, CodeInAListOfValuesIsNotRun) {
  const std::string said = said_of("[2**i for i in range(5, 9)]", "__import__('os').listdir()");
  EXPECT_EQ(said.substr(0, 13), "t1.json:5:58:") << said;
  EXPECT_NE(said.find("expected a list"), std::string::npos) << said;
}

TEST(T1Mistakes, AnExpressionIsShownAtItsFault) {
  const std::string said = said_of("block_size_x * tile <= 512", "block_size_x * tille <= 512");
  EXPECT_EQ(said.substr(0, said.find('\n')),
            "t1.json:7:49: unknown name 'tille' (did you mean 'tile'?)");
}

TEST(T1Mistakes, TheOlderFormIsNamed) {
  std::string json = whole_t1();
  json.replace(json.find("KernelSpecification"), 1, "k");
  const std::string said = T1File(json).warnings();
  EXPECT_NE(said.find("'kernelSpecification', the older form"), std::string::npos) << said;
}

TEST(T1Mistakes, WhatIsNotUnderstoodIsNamed) {
  EXPECT_NE(said_of("\"Random\"", "\"Script\"").find("the fill 'Script' is not understood"),
            std::string::npos);
  EXPECT_NE(said_of("i * 0.5 + 1", "i * j").find("unknown name 'j'"), std::string::npos);
  EXPECT_NE(said_of("\"float4\"", "\"custom\"").find("unknown type 'custom'"), std::string::npos);
  EXPECT_NE(said_of("\"Vector\"", "\"Texture\"").find("unknown memory 'Texture'"),
            std::string::npos);
  EXPECT_NE(said_of("\"GlobalSizeType\": \"CUDA\"", "\"GlobalSizeType\": \"Metal\"")
                .find("unknown size type 'Metal'"),
            std::string::npos);
  EXPECT_NE(said_of("\"uint\"", "\"complex\"").find("unknown type 'complex'"), std::string::npos);
}

TEST(T1Mistakes, ValuesMustFitTheirType) {
  EXPECT_NE(said_of("[1] + [2*i for i in range(1, 3)]", "[1, 0.5]")
                .find("'tile' is of type uint; 0.5 is not"),
            std::string::npos);
  EXPECT_NE(said_of("[1] + [2*i for i in range(1, 3)]", "[1, 2, 1]").find("the value 1 twice"),
            std::string::npos);
  EXPECT_NE(said_of("[1] + [2*i for i in range(1, 3)]", "[]").find("has no values"),
            std::string::npos);
}

TEST(T1Mistakes, TheSizeOfABufferIsTheSameForAllVariants) {
  EXPECT_NE(said_of("max(tile)", "tile").find("'tile' is a parameter; the size of a buffer"),
            std::string::npos);
  EXPECT_NE(said_of("ProblemSize[1]", "ProblemSize[2]").find("'ProblemSize' has no extent [2]"),
            std::string::npos);
}

TEST(T1Mistakes, AllAreSaidTogether) {
  std::string text = whole_t1();
  text.replace(text.find("\"KernelName\""), 12, "\"KernelNane\"");
  text.replace(text.find("\"Scalar\""), 8, "\"Scala\"");
  const std::string said = T1File(text).complaints();
  EXPECT_NE(said.find("needs 'KernelName'"), std::string::npos) << said;
  EXPECT_NE(said.find("unknown memory 'Scala'"), std::string::npos) << said;
}

TEST(T1Mistakes, MisspeltKeysAreWarnedOf) {
  for (const auto& [from, to] : {std::pair("\"Conditions\"", "\"Conditons\""),
                                 {"\"Default\"", "\"Defualt\""},
                                 {"\"AccessType\"", "\"AcessType\""},
                                 {"{\"X\": \"block_size_x\"", "{\"x\": \"block_size_x\""},
                                 {"\"BenchmarkConfig\"", "\"BenchmarkConfg\""}}) {
    std::string text = whole_t1();
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_NE(T1File(text).warnings().find("is not understood (did you mean"), std::string::npos)
        << to;
  }
}

TEST(T1Mistakes, NamesBudgetsAndExtremesAreTakenAsTheyAre) {
  EXPECT_NE(said_of("\"out\"", "\"\"").find("'' cannot be a name"), std::string::npos);
  const std::string budget = R"("Budget": [{"Type": "TuningDuration", "BudgetValue": 2},
    {"Type": "TuningDuration", "BudgetValue": 8}],)";
  EXPECT_NE(said_of("\"General\"", budget + "\"General\"").find("a budget of this type already"),
            std::string::npos);
  std::string text = whole_t1();
  text.replace(text.find("[1] + [2*i for i in range(1, 3)]"), 32, "[-4, -2]");
  text.replace(text.find("\"uint\""), 6, "\"int\"");
  text.replace(text.find("+ max(tile) - 1"), 15, "- min(tile) ** 3");
  text.replace(text.find("[2]"), 3, "-2");
  EXPECT_EQ(T1File(text).accepted().arguments[1].shape[0].text(), "(problem_x - (-4) ** 3) * 4");
}

TEST(T1Mistakes, KeysInTheirOldFormAreRecognised) {
  EXPECT_NE(T1File(R"({"configurationSpace": {}})").complaints().find("an older form of T1"),
            std::string::npos);
}

TEST(T1Mistakes, WrongShapesOfJsonAreSaid) {
  for (const char* json :
       {"[]", "3", "null", R"({"ConfigurationSpace": 3})", R"({"ConfigurationSpace": {}})",
        R"({"ConfigurationSpace": {"TuningParameters": {}}})",
        R"({"ConfigurationSpace": {"TuningParameters": []}})",
        R"({"ConfigurationSpace": {"TuningParameters": [3]}})",
        R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "a"}]}})",
        R"({"ConfigurationSpace": {"TuningParameters": [{"Name": [], "Values": [1]}]}})",
        R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "a", "Values": {}}]}})"}) {
    EXPECT_FALSE(T1File(json).complaints().empty()) << json;
  }
  EXPECT_NE(T1File(small_t1(kLaunch, "\"Default\": 1", "[1]")).complaints(), "");
  EXPECT_NE(T1File(small_t1(R"("GlobalSize": 3, "LocalSize": {"X": "B"})")).complaints(), "");
  EXPECT_NE(T1File(small_t1(R"("LocalSize": {"X": "B"})")).complaints(), "");
  EXPECT_NE(T1File(small_t1(kLaunch + R"(, "ProblemSize": [0])")).complaints(), "");
}

}  // namespace
}  // namespace tuner::testing
