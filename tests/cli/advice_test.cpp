// Advice as a user gives it, and how soon a run was how good.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

namespace tuner::cli {
namespace {

using Json = nlohmann::json;

std::vector<std::string> tune(const std::vector<std::string>& more) {
  std::vector<std::string> words{
      "run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000", "--budget", "6"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Advice, OfAFileIsMeasuredFirstAndTablesSayWhatItWasWorth) {
  const Sandbox sandbox;
  sandbox.write("heuristics.json", R"([{"BLOCK": 64, "PER": 2}, {"BLOCK": 256, "PER": 4}])");
  const auto done = run_to(0, sandbox, tune({"--advice", "heuristics.json", "--trace", "t.csv"}));
  EXPECT_TRUE(
      says(done.err,
           "advice heuristics: 2 configurations are measured first, of 2 proposals; 1 was not "
           "valid here, moved to the nearest"));
  EXPECT_TRUE(says(done.out, "\nadvice heuristics: "));
  EXPECT_TRUE(says(done.out, " % from the best, after "));
  const auto shown = run_to(0, sandbox, {"results", data("studies/tiny.yaml")});
  EXPECT_TRUE(says(shown.out, "\nadvice heuristics: "));
  run_to(0, sandbox, {"report", "results", "-o", "r.html"});
  EXPECT_TRUE(says(text_of(sandbox.path("r.html")), "Advice heuristics: "));
  run_to(0, sandbox, {"export", data("studies/tiny.yaml"), "--format", "json", "-o", "r.json"});
  const Json results = Json::parse(text_of(sandbox.path("r.json"))).at("results").at(0);
  EXPECT_EQ(results.at("advice").at(0).at("by"), "heuristics");
  EXPECT_EQ(results.at("advice").at(0).at("tried"), 2);
}

TEST(Advice, AFileThatIsNotThereIsAMistakeOfTheCommandLine) {
  const Sandbox sandbox;
  const auto done = run_to(2, sandbox, tune({"--advice", "none.json"}));
  EXPECT_TRUE(says(done.err, "none.json: --advice: there is no such file"));
}

TEST(Advice, TenThousandLinesCostASentence) {
  const Sandbox sandbox;
  std::string text = "[";
  for (int i = 0; i < 10000; ++i) text += "{\"BLOCK\": " + std::to_string(i) + ", \"PER\": 1},\n";
  sandbox.write("many.json", text + "{\"PER\": 2}]");
  const auto done = run_to(0, sandbox, tune({"--advice", "many.json"}));
  EXPECT_TRUE(says(done.err, "configurations are measured first, of 10001 proposals"));
  EXPECT_EQ(occurrences(done.err, "advice many"), 1U);
}

constexpr const char* kSearch = "search: {advice: [{command: ./propose}, {file: bad.json}]}\n";

TEST(Advice, ACommandOfAStudyIsRunByRunAndNotByCheck) {
  const Sandbox sandbox;
  std::string study = text_of(data("studies/tiny.yaml"));
  sandbox.write("tiny.cu", text_of(data("studies/tiny.cu")));
  sandbox.write("tiny.yaml", study + kSearch);
  sandbox.write("bad.json", "[{\"BLOCK\": 32, \"PER\": 1},\n {\"BLOCK\": \"wide\"}]");
  const auto program =
      sandbox.write("propose", "#!/bin/sh\ntouch was_run\necho '[{\"BLOCK\": 32, \"PER\": 4}]'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto checked = run_to(0, sandbox, {"check", "tiny.yaml"});
  EXPECT_FALSE(std::filesystem::exists(sandbox.path("was_run")));
  EXPECT_TRUE(says(checked.err,
                   "bad.json:2:2: 'BLOCK' has no value wide (one of 32, 64, 128 or "
                   "256)"));
  const auto done = run_to(
      0, sandbox, {"run", "tiny.yaml", "--backend", "cpu", "--size", "n=3000", "--budget", "6"});
  EXPECT_TRUE(std::filesystem::exists(sandbox.path("was_run")));
  EXPECT_TRUE(says(done.err, "advice ./propose: 1 configuration is measured first, of 1 proposal"));
  EXPECT_TRUE(says(done.err, "advice bad: 1 configuration is measured first, of 2 proposals; "));
}

TEST(First, SaysForEachSizeHowSoonOneWasHowGood) {
  const Sandbox sandbox;
  run_to(0, sandbox, tune({"--progress", "none"}));
  const auto table = run_to(0, sandbox, {"results", "--first", "1,6,32"});
  EXPECT_TRUE(says(table.out, "axpy on "));
  EXPECT_TRUE(says(table.out, "n3000"));
  EXPECT_TRUE(says(table.out, "not asked"));
  const auto done = run_to(0, sandbox, {"results", "--first", "1,6,32", "--json"});
  const Json sets = Json::parse(done.out);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].at("size"), (Json{{"n", 3000}}));
  EXPECT_EQ(sets[0].at("questions"), 6);
  const Json& first = sets[0].at("first");
  EXPECT_GE(first.at(0).at("loss").get<double>(), 0);
  EXPECT_EQ(first.at(1), (Json{{"questions", 6}, {"asked", true}, {"loss", 0.0}}));
  EXPECT_EQ(first.at(2).at("asked"), false);
}

TEST(First, TakesNumbersOfQuestionsOfAStore) {
  const Sandbox sandbox;
  run_to(2, sandbox, {"results", "--first", "1,x"});
  run_to(2, sandbox, {"results", "--first", "0"});
  run_to(2, sandbox, {"results", "--json"});
  const auto done =
      run_to(2, sandbox,
             {"results", std::string(TUNER_SOURCE_DIR) + "/results/transpose", "--first", "1"});
  EXPECT_TRUE(says(done.err, "--first needs a database: a CSV file has no order of questions"));
}

}  // namespace
}  // namespace tuner::cli
