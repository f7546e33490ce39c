#include "tuner/study/value_list.h"

#include <gtest/gtest.h>

#include "tuner/study/t1_reader.h"

namespace tuner {
namespace {

std::string texts(const std::vector<Value>& values) {
  std::string out;
  for (const Value& value : values) out += (out.empty() ? "" : " ") + to_text(value);
  return out;
}

std::string complaint_of(const std::string& json) {
  try {
    parse_space_json(json, "s.json");
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << json << " was accepted";
  return {};
}

TEST(ValueList, ReadsWhatT1FilesContain) {
  EXPECT_EQ(texts(parse_value_list("[1, 2, 4,]")), "1 2 4");
  EXPECT_EQ(texts(parse_value_list("[]")), "");
  EXPECT_EQ(texts(parse_value_list("range(4)")), "0 1 2 3");
  EXPECT_EQ(texts(parse_value_list("list(range(8, 2, -2))")), "8 6 4");
  EXPECT_EQ(texts(parse_value_list("[2**i for i in range(0, 6)]")), "1 2 4 8 16 32");
  EXPECT_EQ(texts(parse_value_list("[32 * x for x in range(1, 9) if x % 2 == 0]")),
            "64 128 192 256");
  EXPECT_EQ(texts(parse_value_list("[x for x in [1, 2, 3] if x in [1, 3]]")), "1 3");
  EXPECT_EQ(texts(parse_value_list("[1, 2] + list(range(4, 9, 4)) + [2**(3+1)]")), "1 2 4 8 16");
  EXPECT_EQ(texts(parse_value_list("['a,b', \"for\", True, 0.5]")), "a,b for true 0.5");
  EXPECT_EQ(texts(parse_value_list("[i / 2 for i in [j + 1 for j in range(2)]]")), "0.5 1.0");
}

TEST(ValueList, RefusesEverythingElse) {
  for (const char* text : {"", "1", "[1", "[x]", "range(0, 4, 0)", "range(1.5)", "[1 for 2]",
                           "[i for i in range(10**12)]", "__import__('os')", "open('f')",
                           "[i for i in j]", "range()", "[1] +", "[1] + 2"}) {
    EXPECT_THROW(parse_value_list(text), InputError) << text;
  }
}

TEST(ValueList, RefusesWhatWouldTakeForEver) {
  std::string sum = "i";
  for (int i = 0; i < 1000; ++i) sum += "+i";
  EXPECT_THROW(parse_value_list("[" + sum + " for i in range(1000000)]"), InputError);
  std::string nothing = "[1]";
  for (int i = 0; i < 1000; ++i) nothing += "+[i for i in range(1000000) if i < 0]";
  EXPECT_THROW(parse_value_list(nothing), InputError);
  EXPECT_EQ(parse_value_list("[2 * i for i in range(1000000)]").size(), 1000000U);
}

TEST(SpaceJson, ReadsTheNeutralForm) {
  const auto definition = parse_space_json(
      R"({"parameters": {"b": [2, 2.5, true, "x"], "a": [3]}, "constraints": ["a > 1"]})",
      "s.json");
  ASSERT_EQ(definition.parameters.size(), 2U);
  EXPECT_EQ(definition.parameters[0].name, "b");  // the order of the file
  EXPECT_EQ(texts(definition.parameters[0].values), "2 2.5 true x");
  ASSERT_EQ(definition.constraints.size(), 1U);
}

TEST(SpaceJson, ANulIsRefused) {
  EXPECT_NE(complaint_of(R"json({"parameters": {"S": ["x\u0000y"]}})json").find("hold a NUL"),
            std::string::npos);
}

TEST(SpaceJson, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(complaint_of("{\"parameters\":\n  {,}}").substr(0, 10), "s.json:2:4");
  EXPECT_EQ(
      complaint_of("{\"parameters\": {\"a\": [1]},\n \"constraints\": [\"a >\"]}").substr(0, 12),
      "s.json:2:22:");
  EXPECT_NE(complaint_of("[]").find("neither a space"), std::string::npos);
  EXPECT_NE(complaint_of(R"({"parameters": {"a": [[1]]}})").find("a value of parameter 'a'"),
            std::string::npos);
  EXPECT_NE(complaint_of(R"({"parameters": {"a": [18446744073709551615]}})").find("64 bits"),
            std::string::npos);
}

}  // namespace
}  // namespace tuner
