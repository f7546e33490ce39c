// Runs the committed inputs through their targets: no fuzzer needed. Each takes moments, and a
// minute of processor time on no machine; hostile ones are among them.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <map>

#include "tests/fuzz/targets.h"
#include "tuner/base/atomic_file.h"

namespace tuner::fuzz {
namespace {

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsReadWithoutHarmInLittleTime) {
  static const std::map<std::string, Target> kTargets{
      {"study", study},           {"t1", t1},
      {"expression", expression}, {"space", space},
      {"protocol", protocol},     {"recording", recording}};
  const Target target = kTargets.at(GetParam());
  std::size_t inputs = 0;
  const std::string folder = std::string(TUNER_SOURCE_DIR) + "/tests/fuzz/corpus/" + GetParam();
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(file.path());
    const std::string bytes = read_file(file.path());
    const std::clock_t begin = std::clock();
    target(bytes);
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 60);
    ++inputs;
  }
  EXPECT_GT(inputs, 5U);
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus,
                         testing::Values("study", "t1", "expression", "space", "protocol",
                                         "recording"),
                         [](const auto& named) { return named.param; });

// Made here rather than committed: large and dull.
std::string repeated(const std::string& piece, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += piece;
  return all;
}

TEST(Hostile, DeepNestingIsRefusedEverywhere) {
  constexpr std::size_t kDeep = 500000;
  expression(repeated("(", kDeep) + "1" + repeated(")", kDeep));
  expression(repeated("-", kDeep) + "1");
  expression(repeated("not ", kDeep) + "A");
  study("schema: 1\nparameters: {A: " + repeated("[", kDeep) + repeated("]", kDeep) + "}\n");
  space(R"({"parameters": {"A": )" + repeated("[", kDeep) + repeated("]", kDeep) + "}}");
  space(R"({"parameters": {"A": ")" + repeated("list(", kDeep) + repeated(")", kDeep) + "\"}}");
  protocol(repeated("\xA1\x61x", kDeep));
  protocol(repeated("\x81", kDeep));
  recording(R"({"cache": {"a": )" + repeated("[", kDeep) + repeated("]", kDeep) + "}}");
}

TEST(Hostile, LongTextsAreNoTrouble) {
  constexpr std::size_t kLong = 2000000;
  const std::string digits = repeated("7", kLong);
  const std::string name = repeated("n", kLong);
  expression(digits);
  expression(name + " + " + name);
  study("schema: 1\nparameters: {A: [" + digits + "]}\n");
  study("schema: 1\nparameters: {" + name + ": [1]}\n" + name + ": 2\n");
  study("schema: 1\nkernel: {name: '" + name + "' x}\n");
  space(R"({"parameters": {"A": [)" + digits + "]}}");
  space(R"({"parameters": {"A": [1]}, "constraints": [")" + repeated("A+", kLong) + "A\"]}");
  space(R"({"parameters": {"A": "[)" + repeated("1,", kLong) + "]\"}}");
  recording(R"({"cache": {")" + name + R"(": {"a": )" + digits + "}}}");
}

TEST(Hostile, AliasesDoNotMultiply) {
  std::string laughs = "schema: 1\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 8; ++k) laughs += ", " + before;
    laughs += "]\n";
  }
  study(laughs + "parameters: {A: *a29}\n");
}

TEST(Hostile, CountlessMistakesGetAShortAnswer) {
  study("schema: 1\nparameters: {" + repeated("A: [1], ", 60000) + "}\n");
  study("schema: 1\nparameters: {A: [1]}\nconstraints: [" + repeated("B > 1, ", 60000) + "]\n");
  space(R"({"parameters": {"A": [1]}, "constraints": [)" + repeated("1, ", 200000) + "1]}");
}

}  // namespace
}  // namespace tuner::fuzz
