// What the community's T4 results schema (draft 2020-12, versions 1.0.0 and later) asks of a file:
// required keys, types, the words of "invalidity".

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/unit/deploy/sample_study.h"
#include "tuner/deploy/formats.h"

namespace tuner {
namespace {

using Json = nlohmann::json;

const std::set<std::string> kInvalidity{"timeout",     "compile",     "runtime",
                                        "correctness", "constraints", "correct"};

void check_times(const Json& times, std::vector<std::string>& wrong) {
  if (!times.is_object()) return wrong.emplace_back("times is no object"), void();
  for (const char* name : {"compilation_time", "framework", "search_algorithm", "validation"}) {
    if (times.contains(name) && !times[name].is_number()) wrong.emplace_back(name);
  }
  if (times.contains("runtimes") && !times["runtimes"].is_array()) wrong.emplace_back("runtimes");
}

void check_measurement(const Json& measurement, std::vector<std::string>& wrong) {
  if (!measurement.is_object()) return wrong.emplace_back("a measurement is no object"), void();
  if (measurement.contains("name") && !measurement["name"].is_string()) wrong.emplace_back("name");
  if (measurement.contains("unit") && !measurement["unit"].is_string()) wrong.emplace_back("unit");
  if (measurement.contains("value") && !measurement["value"].is_number()) {
    wrong.emplace_back("value");
  }
}

void check_result(const Json& result, std::vector<std::string>& wrong) {
  bool whole = true;
  for (const char* name : {"configuration", "times", "invalidity", "correctness"}) {
    if (result.contains(name)) continue;
    wrong.push_back(std::string("missing ") + name);
    whole = false;
  }
  if (!whole) return;
  if (!result["configuration"].is_object()) wrong.emplace_back("configuration");
  if (!result["correctness"].is_number()) wrong.emplace_back("correctness");
  if (!result["invalidity"].is_string() || !kInvalidity.contains(result["invalidity"])) {
    wrong.push_back("invalidity " + result["invalidity"].dump());
  }
  if (result.contains("timestamp") && !result["timestamp"].is_string()) wrong.emplace_back("date");
  if (result.contains("objectives") && !result["objectives"].is_array()) {
    wrong.emplace_back("objectives");
  }
  check_times(result["times"], wrong);
  if (!result.contains("measurements")) return;
  if (!result["measurements"].is_array()) return wrong.emplace_back("measurements"), void();
  for (const Json& one : result["measurements"]) check_measurement(one, wrong);
}

std::vector<std::string> breaches_of(const Json& file) {
  std::vector<std::string> wrong;
  static const std::regex kVersion("^[0-9]{1,}.[0-9]{1,}.[0-9]{1,}$");
  if (!file.is_object()) return {"the file is no object"};
  if (!file.value("schema_version", Json()).is_string() ||
      !std::regex_match(file["schema_version"].get<std::string>(), kVersion)) {
    wrong.emplace_back("schema_version");
  }
  if (!file.value("results", Json()).is_array()) return {"results is no list"};
  for (const Json& result : file["results"]) check_result(result, wrong);
  return wrong;
}

TEST(T4Schema, EveryStateIsAWordOfTheSchema) {
  RankedResults results = sample_results()[0];
  for (const auto state :
       {TrialState::kConstraints, TrialState::kCompile, TrialState::kLaunch, TrialState::kRuntime,
        TrialState::kTimeout, TrialState::kCorrectness, TrialState::kDropped}) {
    Trial trial = sample_trial(sample_configuration(16, 1, "static", true), 1);
    trial.state = state;
    results.trials.push_back(trial);
  }
  const Json file = Json::parse(export_t4(sample_study(), results, "1.0"));
  EXPECT_EQ(breaches_of(file), std::vector<std::string>());
  EXPECT_EQ(file["results"].size(), results.trials.size());
}

TEST(T4Schema, NumbersThatJsonHasNotAreLeftOut) {
  RankedResults results = sample_results()[0];
  const double nan = std::numeric_limits<double>::quiet_NaN();
  results.trials[0].metrics = {{"gflops", nan}};
  results.trials[0].cost_seconds = nan;
  results.trials[1].compile_ms = std::numeric_limits<double>::infinity();
  const Json file = Json::parse(export_t4(sample_study(), results));
  EXPECT_EQ(breaches_of(file), std::vector<std::string>());
}

TEST(T4Schema, TheCheckItselfFindsBreaches) {
  Json file = Json::parse(export_t4(sample_study(), sample_results()[0]));
  file["results"][0]["invalidity"] = "ok";
  file["results"][1].erase("times");
  file["schema_version"] = 1;
  EXPECT_EQ(breaches_of(file).size(), 3U);
}

}  // namespace
}  // namespace tuner
