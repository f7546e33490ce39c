// What a run says while it goes on and at its end: lines for people, JSON for programs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace tuner::cli {
namespace {

using Json = nlohmann::json;

std::vector<Json> events_of(const std::string& text) {
  std::vector<Json> events;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) events.push_back(Json::parse(line));
  return events;
}

std::vector<Json> named(const std::vector<Json>& events, const std::string& name) {
  std::vector<Json> out;
  for (const Json& event : events) {
    if (event.at("event") == name) out.push_back(event);
  }
  return out;
}

TEST(Progress, JsonSaysEverythingWithNumbersAsNumbers) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox,
                           {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size",
                            "n=3000", "--strategy", "exhaustive", "--progress", "json"});
  const auto events = events_of(done.err);
  const Json size{{"n", 3000}};
  const Json begin = named(events, "begin").at(0);
  EXPECT_EQ(begin.at("total"), 11);
  EXPECT_EQ(begin.at("size"), size);
  EXPECT_EQ(begin.at("kernel"), "axpy");
  EXPECT_EQ(begin.at("seconds"), nullptr);
  const auto trials = named(events, "trial");
  ASSERT_EQ(trials.size(), 11U);
  double best = 1e9;
  for (const Json& trial : trials) {
    EXPECT_TRUE(trial.at("configuration").at("BLOCK").is_number_integer()) << trial;
    EXPECT_EQ(trial.at("size"), size);
    EXPECT_EQ(trial.at("device"), begin.at("device"));
    if (trial.at("state") == "ok") best = std::min(best, trial.at("time_ms").get<double>());
    EXPECT_EQ(trial.at("best_ms"), best);
  }
  const Json end = named(events, "end").at(0);
  EXPECT_EQ(end.at("done"), 11);
  EXPECT_EQ(end.at("best").at("time_ms"), best);
  std::size_t ended = 0;
  for (const auto& [state, count] : end.at("states").items()) ended += count.get<std::size_t>();
  EXPECT_EQ(ended, 11U);
  const Json ranked = named(events, "ranked").at(0);
  EXPECT_EQ(ranked.at("trials"), 11);
  const Json& reference = ranked.at("reference_ms");  // not timed on a machine that is too busy
  EXPECT_TRUE(reference.is_null() || reference > 0) << ranked;
  EXPECT_TRUE(std::filesystem::exists(sandbox.path(ranked.at("file")))) << ranked;
  EXPECT_TRUE(ranked.at("best").at("configuration").at("BLOCK").is_number_integer());
  Json last = events.back();
  last.erase("since_start_s");
  EXPECT_EQ(last, Json({{"event", "done"}, {"status", 0}, {"files", {ranked.at("file")}}}));
}

TEST(Progress, JsonTellsTheStepsToTheFirstResultAndWhenEachWasDone) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox,
                           {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size",
                            "n=3000", "--budget", "1", "--progress", "json"});
  std::vector<std::string> steps;
  double last = 0;
  for (const Json& event : events_of(done.err)) {
    EXPECT_GE(event.at("since_start_s"), last) << event;
    last = event.at("since_start_s");
    const std::string name = event.at("event");
    if (name == "step" || name == "begin" || name == "trial") {
      steps.push_back(name == "step" ? event.at("step").get<std::string>() : name);
    }
  }
  // The variant may be compiled before, while or after the device is prepared.
  const auto variant = std::ranges::find(steps, "first variant compiled");
  ASSERT_NE(variant, steps.end()) << done.err;
  EXPECT_LT(std::ranges::find(steps, "begin"), variant);
  steps.erase(variant);
  EXPECT_EQ(steps,
            (std::vector<std::string>{"device opened", "store opened", "compiler ready", "begin",
                                      "reference compiled", "device prepared", "trial"}));
}

TEST(Progress, ErrorsAreEventsWithTheirStatus) {
  const Sandbox sandbox;
  const auto missing = run_to(2, sandbox, {"run", "nowhere.yaml", "--progress", "json"});
  const auto events = events_of(missing.err);
  ASSERT_EQ(events.size(), 2U) << missing.err;
  EXPECT_EQ(events[0].at("event"), "error");
  EXPECT_EQ(events[0].at("status"), 2);
  EXPECT_TRUE(says(events[0].at("message").get<std::string>(), "nowhere.yaml"));
  EXPECT_EQ(events[1].at("status"), 2);
  const auto device = run_to(
      3, sandbox, {"run", data("studies/tiny.yaml"), "--backend", "quantum", "--progress", "json"});
  EXPECT_EQ(named(events_of(device.err), "error").at(0).at("status"), 3);
}

TEST(Progress, TheEndSaysTheBestAndWhatToTypeNext) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox,
                           {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size",
                            "n=3000", "--results", "elsewhere", "--progress", "plain"});
  const std::string end = done.err.substr(done.err.find("1 of 1 have a valid configuration"));
  EXPECT_TRUE(says(end, "\n  n3000 on ")) << done.err;
  EXPECT_TRUE(says(end, ": best "));
  // Timed where it is quick; on a busy machine it may not be.
  EXPECT_EQ(
      occurrences(end, " as the reference (") + occurrences(end, ", the reference was not timed"),
      1U)
      << end;
  EXPECT_TRUE(says(end, " as fast as the median of "));
  const std::string typed = data("studies/tiny.yaml").string() + " --results elsewhere";
  EXPECT_TRUE(says(end, "\nnext:\n  tuner report " + typed + " -o axpy.html\n  tuner export " +
                            typed + " --format header -o axpy_tuned.h\n"));
}

TEST(Progress, ARunThatMeasuresNothingStillKnowsTheTimeOfTheReference) {
  const Sandbox sandbox;
  const std::vector<std::string> words{
      "run",  data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000", "--progress",
      "plain"};
  const auto first = run_to(0, sandbox, words);
  const auto again = run(sandbox, words);
  if (measured_again(again)) GTEST_SKIP() << "the machine is busy";
  const auto said = [](const std::string& text) {
    const std::size_t best = text.rfind(": best ");
    return text.substr(best, text.find(" measured", best) - best);
  };
  EXPECT_TRUE(says(said(again.err), "the reference")) << again.err;
  EXPECT_EQ(said(again.err), said(first.err));
}

TEST(Progress, WhereNothingIsValidTheEndSaysHowToSeeWhy) {
  const Sandbox sandbox;
  const std::string study = data("faults/faults.yaml").string();
  const auto done = run_to(
      1, sandbox,
      {"run", study, "--backend", "cpu", "--where", "FAULT == 'nan'", "--progress", "plain"});
  EXPECT_TRUE(says(done.err, "0 of 1 have a valid configuration"));
  EXPECT_TRUE(says(done.err, "nothing valid; 2 correctness"));
  EXPECT_TRUE(says(done.err, "  tuner try " + study +
                                 "  # one configuration, to see why they end in 'correctness'\n"));
}

TEST(Progress, WhereNothingCanBeTriedTheEndSaysHowToSeeWhatRemovesIt) {
  const Sandbox sandbox;
  const std::string study = data("studies/tiny.yaml").string();
  const auto done = run_to(1, sandbox,
                           {"run", study, "--backend", "cpu", "--size", "n=3000", "--where",
                            "BLOCK % 3 == 0", "--progress", "plain"});
  EXPECT_TRUE(
      says(done.err, "\nnext:\n  tuner check " + study + "  # what each constraint removes\n"));
  EXPECT_FALSE(says(done.err, "tuner report")) << "there is nothing to report";
}

// A recording of four configurations.
const char* const kCache = R"({"kernel_name": "k", "device_name": "d", "objective": "time",
  "tune_params_keys": ["A"], "tune_params": {"A": [1, 2, 3, 4]}, "cache": {
  "1": {"A": 1, "time": 4.0}, "2": {"A": 2, "time": 3.0}, "3": {"A": 3, "time": 2.0},
  "4": {"A": 4, "time": 1.0}}})";

TEST(Progress, SeveralStrategiesAreReplayedEachWithALineOfMedians) {
  const Sandbox sandbox;
  sandbox.write("cache.json", kCache);
  const auto done = run_to(0, sandbox,
                           {"run", "--replay", "cache.json", "--strategy", "exhaustive",
                            "--strategy", "random", "--repeats", "3", "--budget", "4"});
  std::istringstream lines(done.out);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  ASSERT_EQ(all.size(), 9U) << done.out;
  EXPECT_EQ(all[0], "strategy,run,seed,evaluations,time_s,best,configuration");
  EXPECT_TRUE(all[1].starts_with("exhaustive,0,1,4,")) << all[1];
  EXPECT_TRUE(all[4].starts_with("exhaustive,median,,4,")) << all[4];
  EXPECT_TRUE(all[4].ends_with(",1,A=4")) << all[4];
  EXPECT_TRUE(all[5].starts_with("random,0,1,4,")) << all[5];
  EXPECT_TRUE(all[8].starts_with("random,median,,4,")) << all[8];
}

// Objectives of the first `count` evaluations of a replay of `cache.json`.
std::vector<std::string> first_answers(const Sandbox& sandbox, const char* budget,
                                       std::size_t count) {
  run_to(0, sandbox,
         {"run", "--replay", "cache.json", "--strategy", "default", "--budget", budget, "--trace",
          "trace.csv"});
  std::vector<std::string> out;
  for (const auto& row : read_csv(sandbox.path("trace.csv"))) out.push_back(row.at("objective"));
  EXPECT_GE(out.size(), count);
  out.resize(count);
  return out;
}

// What docs/strategies.md says of `default`.
TEST(Progress, AReplayWithALargerBudgetBeginsAsTheSmallerOneDid) {
  const Sandbox sandbox;
  Json cache{{"kernel_name", "k"},
             {"device_name", "d"},
             {"objective", "time"},
             {"tune_params_keys", {"A"}},
             {"cache", Json::object()}};
  for (int a = 1; a <= 60; ++a) {
    cache["tune_params"]["A"].push_back(a);
    cache["cache"][std::to_string(a)] = {{"A", a}, {"time", 1 + std::abs(a - 37) * 0.01 * a}};
  }
  sandbox.write("cache.json", cache.dump());
  EXPECT_EQ(first_answers(sandbox, "12", 12), first_answers(sandbox, "40", 12));
}

TEST(Progress, OneReplayedStrategyHasItsMedianOnStandardError) {
  const Sandbox sandbox;
  sandbox.write("cache.json", kCache);
  const auto done = run_to(
      0, sandbox, {"run", "--replay", "cache.json", "--strategy", "exhaustive", "--repeats", "2"});
  EXPECT_TRUE(done.out.starts_with("run,seed,evaluations,time_s,best,configuration\n0,1,4,"));
  EXPECT_EQ(occurrences(done.out, "\n"), 3U);
  EXPECT_TRUE(says(done.err, "median of 2 runs: 1 after 4 evaluations, "));
}

TEST(Progress, SeveralStrategiesAreForReplaysOnly) {
  const Sandbox sandbox;
  const auto done =
      run_to(2, sandbox,
             {"run", data("studies/tiny.yaml"), "--strategy", "random", "--strategy", "genetic"});
  EXPECT_EQ(done.err, "several strategies are for --replay, which compares them\n");
}

}  // namespace
}  // namespace tuner::cli
