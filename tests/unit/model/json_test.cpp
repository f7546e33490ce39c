#include "tuner/model/json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tuner/model/json_text.h"

namespace tuner {
namespace {

using Text = nlohmann::ordered_json;

DeviceFacts numbered_facts() {
  DeviceFacts facts;
  std::int64_t number = 1000;
  for_each_field(facts, [&](const char* name, auto& fact) {
    using Fact = std::remove_reference_t<decltype(fact)>;
    if constexpr (std::same_as<Fact, std::string>) {
      fact = name;
    } else if constexpr (std::is_integral_v<Fact>) {
      fact = static_cast<Fact>(++number);
    } else {
      for (auto& one : fact) one = ++number;
    }
  });
  return facts;
}

// Without comments, from the first to the last line of a C struct: the names of its members.
std::set<std::string> members_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(TUNER_SOURCE_DIR) + "/tuner/plugin/abi.h").rdbuf();
  std::string code = std::regex_replace(text.str(), std::regex("/\\*[^*]*\\*/"), "");
  const auto begin = code.find("typedef struct " + name + " {");
  code = code.substr(begin, code.find("} " + name + ";", begin) - begin);
  std::set<std::string> found;
  const std::regex member("([a-z_0-9]+)(\\[[0-9]+\\])?[,;]");
  for (std::sregex_iterator at(code.begin(), code.end(), member); at != std::sregex_iterator();
       ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

template <typename Noun>
std::set<std::string> names_of_fields() {
  std::set<std::string> found;
  Noun noun;
  for_each_field(noun, [&](const char* name, const auto&) { found.insert(name); });
  return found;
}

TEST(Fields, OfADeviceAreThoseOfTheAbi) {
  std::set<std::string> expected = members_of("tuner_device_facts");
  expected.erase("struct_size");
  expected.insert({"backend", "abilities"});  // which the host knows
  EXPECT_EQ(names_of_fields<DeviceFacts>(), expected);
}

TEST(Fields, OfAKernelsResourcesAreThoseOfTheAbi) {
  EXPECT_EQ(names_of_fields<Resources>(), members_of("tuner_resources"));
}

TEST(Json, ADeviceReadsBackAsItWasWritten) {
  const DeviceFacts facts = numbered_facts();
  DeviceFacts got;
  decode(parse_json(dump(encoded<Text>(facts))), got);
  EXPECT_EQ(encoded<Text>(got), encoded<Text>(facts));
  EXPECT_NE(encoded<Text>(got), encoded<Text>(DeviceFacts{}));
}

TEST(Json, TextsKeepTheOrderOfTheList) {
  EXPECT_EQ(
      dump(encoded<Text>(LaunchGeometry{{1, 2, 3}, {4, 5, 6}, 7})),
      R"({"grid":[1,2,3],"block":[4,5,6],"dynamic_shared_bytes":7,"attributes":{"cluster":[1,1,1],)"
      R"("cooperative":false,"carveout":-1,"scheduling":0,"programmatic":false}})");
}

TEST(Json, WhatIsMissingIsRefusedOrKept) {
  const Text json{{"registers", 7}};
  Resources resources;
  EXPECT_THROW(decode(json, resources), Text::out_of_range);
  resources.max_threads = 12;
  decode(json, resources, Missing::kKept);
  EXPECT_EQ(resources.registers, 7);
  EXPECT_EQ(resources.max_threads, 12);
  EXPECT_THROW(decode(Text("text"), resources, Missing::kKept), Text::type_error);
}

TEST(Json, AWholeNumberIsNotReadFromAnother) {
  std::int64_t number = 5;
  std::array<std::int64_t, 3> numbers{};
  TrialState state = TrialState::kOk;
  for (const double other : {2.4e24, 0.5, -1e300}) {
    EXPECT_THROW(decode(nlohmann::json(other), number), nlohmann::json::type_error);
    EXPECT_THROW(decode(nlohmann::json{1, other, 3}, numbers), nlohmann::json::type_error);
    EXPECT_THROW(decode(nlohmann::json(other), state), nlohmann::json::type_error);
  }
  EXPECT_EQ(number, 5);
  decode(nlohmann::json{1, -2, 3}, numbers);
  EXPECT_EQ(numbers, (std::array<std::int64_t, 3>{1, -2, 3}));
}

TEST(Json, StatesHaveNamesInTextsAndNumbersOnTheWire) {
  EXPECT_EQ(encoded<Text>(TrialState::kTimeout), "timeout");
  EXPECT_EQ(encoded<nlohmann::json>(TrialState::kTimeout), 5);
}

TEST(JsonText, ValuesKeepTheirTypes) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Value& value :
       {Value(true), Value(std::int64_t{1}), Value(1.0), Value("1"), Value(inf), Value(-inf)}) {
    EXPECT_EQ(value_from_json(parse_json(dump(value_to_json(value)))), value);
  }
  EXPECT_EQ(dump(value_to_json(inf)), R"({"float":"inf"})");
  EXPECT_TRUE(std::isnan(std::get<double>(value_from_json(value_to_json(std::nan(""))))));
}

TEST(JsonText, ExactNumbersReadBack) {
  const double inf = std::numeric_limits<double>::infinity();
  const Text json{{"samples", {1.5, inf}}, {"deep", {{"least", -inf}}}};
  EXPECT_EQ(dump(exact(json)),
            R"({"samples":[1.5,{"float":"inf"}],"deep":{"least":{"float":"-inf"}}})");
  EXPECT_EQ(plain(parse_json(dump(exact(json)))), json);
}

TEST(JsonText, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(dump(Text("a\xff")), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace tuner
