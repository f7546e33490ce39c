// Files of others in and out.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::map<std::string, std::string>>;

// The tiny study, all of it, for one size.
Finished tune_anew(const Sandbox& sandbox, const std::string& results, const std::string& size) {
  return run_to(0, sandbox,
                {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", size, "--strategy",
                 "exhaustive", "--progress", "none", "--results", sandbox.path(results)});
}

// The same of n = 3000, which is tuned once for all tests.
void give_tuned(const Sandbox& sandbox, const std::string& results) {
  static const Sandbox once;
  static const Finished done = tune_anew(once, "results", "n=3000");
  fs::copy(once.path("results"), sandbox.path(results), fs::copy_options::recursive);
}

Rows rows_of(const Sandbox& sandbox, const std::string& results, const std::string& size) {
  run_to(0, sandbox,
         {"results", data("studies/tiny.yaml"), "--results", sandbox.path(results), "--size", size,
          "--csv", sandbox.path("rows.csv")});
  return read_csv(sandbox.path("rows.csv"));
}

TEST(Exchange, AT1FileRunsAsItIs) {
  const Sandbox sandbox;
  const auto checked = run_to(0, sandbox, {"check", data("t1/scale.json")});
  EXPECT_TRUE(says(checked.out, "valid              16"));
  const auto done = run_to(0, sandbox,
                           {"run", data("t1/scale.json"), "--backend", "cpu", "--strategy",
                            "exhaustive", "--progress", "plain"});
  EXPECT_TRUE(says(done.err, "compared with one configuration (block_size_x=64 tile=1"));
  // Tiles of 4 give another answer than the default configuration: said, never ranked.
  EXPECT_TRUE(says(done.out, "4 correctness"));
  EXPECT_TRUE(says(done.out, "block_size_x"));
}

TEST(Exchange, AT1FileBecomesAStudyWithTheSameSpace) {
  const Sandbox sandbox;
  run_to(0, sandbox, {"import", data("t1/scale.json"), "-o", sandbox.path("scale.yaml")});
  const auto checked = run_to(0, sandbox, {"check", sandbox.path("scale.yaml")});
  EXPECT_TRUE(says(checked.out, "valid              16"));
  run_to(0, sandbox,
         {"run", sandbox.path("scale.yaml"), "--backend", "cpu", "--budget", "3", "--strategy",
          "random", "--progress", "none"});
}

TEST(Exchange, ATornT1FileLeavesNothingBehind) {
  const Sandbox sandbox;
  std::ifstream in(data("t1/scale.json"));
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  const auto torn = sandbox.write("torn.json", whole.substr(0, whole.size() / 2));
  run_to(2, sandbox, {"import", torn, "-o", sandbox.path("torn.yaml")});
  EXPECT_FALSE(fs::exists(sandbox.path("torn.yaml")));
  run_to(2, sandbox, {"run", torn});
  EXPECT_FALSE(fs::exists(sandbox.path("results")));
}

// Store -> T4 -> store, and T4 -> replay: the times are the same, and the best is.
TEST(Exchange, T4GoesOutAndComesBack) {
  const Sandbox sandbox;
  give_tuned(sandbox, "a");
  const fs::path t4 = sandbox.path("tiny.t4.json");
  run_to(0, sandbox,
         {"export", data("studies/tiny.yaml"), "--format", "t4", "--results", sandbox.path("a"),
          "-o", t4});
  run_to(0, sandbox,
         {"import", t4, "--results", sandbox.path("b"), "--study", data("studies/tiny.yaml"),
          "--size", "n=3000", "--device", "Elsewhere"});
  const auto key = [](const std::map<std::string, std::string>& row) {
    return row.at("BLOCK") + "/" + row.at("PER");
  };
  const auto times = [&](const Rows& rows) {
    std::vector<std::pair<double, std::string>> all;
    for (const auto& row : rows) {
      if (!row.at("search_ms").empty()) all.emplace_back(std::stod(row.at("search_ms")), key(row));
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const Rows ranking = rows_of(sandbox, "a", "n=3000");
  const auto before = times(ranking);
  const auto after = times(rows_of(sandbox, "b", "n=3000"));
  ASSERT_FALSE(before.empty());
  ASSERT_EQ(after.size(), before.size());
  // What was faster than the winner, in a tie or before the final, is not any more.
  const double winner = std::stod(ranking.front().at("search_ms"));
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_DOUBLE_EQ(after[i].first, std::max(winner, before[i].first));
  }
  run_to(0, sandbox,
         {"run", "--replay", t4, "--strategy", "exhaustive", "--progress", "none", "--trace",
          sandbox.path("trace.csv")});
  double best = 1e300;
  for (const auto& row : read_csv(sandbox.path("trace.csv"))) {
    if (!row.at("objective").empty()) best = std::min(best, std::stod(row.at("objective")));
  }
  EXPECT_NEAR(best / winner, 1, 1e-6);
}

TEST(Exchange, ImportedResultsAreMarkedAndNeverTakenForMeasured) {
  const Sandbox sandbox;
  give_tuned(sandbox, "a");
  const fs::path t4 = sandbox.path("tiny.json");
  run_to(0, sandbox,
         {"export", data("studies/tiny.yaml"), "--format", "t4", "--results", sandbox.path("a"),
          "-o", t4});
  run_to(0, sandbox,
         {"import", t4, "--results", sandbox.path("b"), "--study", data("studies/tiny.yaml"),
          "--size", "n=3000"});
  const auto shown =
      run(sandbox, {"results", data("studies/tiny.yaml"), "--results", sandbox.path("b")});
  EXPECT_TRUE(says(shown.out, "imported from tiny"));
  const auto exported = run_to(
      0, sandbox,
      {"export", data("studies/tiny.yaml"), "--format", "json", "--results", sandbox.path("b")});
  EXPECT_TRUE(says(exported.err, "not measured here"));
  EXPECT_EQ(nlohmann::json::parse(exported.out).at("results").at(0).at("compiler"),
            "imported from tiny");
  const auto again = tune_anew(sandbox, "b", "n=3000");
  EXPECT_FALSE(says(again.err, "from the store"));
}

TEST(Exchange, ResultsOfSeveralMachinesGoIntoOneStore) {
  const Sandbox sandbox;
  give_tuned(sandbox, "a");
  tune_anew(sandbox, "b", "n=10000");
  const auto merged = run_to(
      0, sandbox, {"import", sandbox.path("b/tuner.sqlite"), "--results", sandbox.path("a")});
  EXPECT_TRUE(says(merged.out, "1 context, 1 of them new; 11 trials added"));
  const auto again = run(sandbox, {"import", sandbox.path("b"), "--results", sandbox.path("a")});
  EXPECT_TRUE(says(again.out, "0 of them new; 0 trials added, 0 replaced by newer ones, 11 kept"));
  EXPECT_EQ(rows_of(sandbox, "a", "n=3000").size(), 11U);
  EXPECT_EQ(rows_of(sandbox, "a", "n=10000").size(), 11U);
}

TEST(Exchange, AnImportSaysHowTheMachinesCompare) {
  const Sandbox sandbox;
  give_tuned(sandbox, "a");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // dates have seconds
  tune_anew(sandbox, "b", "n=3000");
  const std::vector<std::string> words{"import", sandbox.path("b"), "--results", sandbox.path("a")};
  const std::string compared = "configurations were measured in both: the imported times are";
  const auto merged = run_to(0, sandbox, words);
  EXPECT_TRUE(says(merged.out, compared));
  const auto again = run(sandbox, words);  // nothing was measured since
  EXPECT_FALSE(says(again.out, compared));
}

TEST(Exchange, RankedCsvFilesComeBack) {
  const Sandbox sandbox;
  give_tuned(sandbox, "a");
  const fs::path folder = sandbox.path("a/axpy");
  const auto whose = run_to(2, sandbox, {"import", folder, "--results", sandbox.path("b")});
  EXPECT_TRUE(says(whose.err, "needs --study"));
  run_to(0, sandbox,
         {"import", folder, "--results", sandbox.path("b"), "--study", data("studies/tiny.yaml")});
  EXPECT_EQ(rows_of(sandbox, "b", "n=3000").size(), 11U);
}

TEST(Exchange, WhatIsMissingOrWrongIsSaidAndNothingIsWritten) {
  const Sandbox sandbox;
  const auto cache = sandbox.write("cache.json", R"({"kernel_name": "k", "tune_params_keys": ["a"],
    "tune_params": {"a": [1, 2]}, "cache": {"1": {"a": 1, "time": 0.5}}})");
  const auto no_device = run_to(2, sandbox, {"import", cache});
  EXPECT_TRUE(says(no_device.err, "names no device (--device NAME)"));
  run_to(2, sandbox, {"import", cache, "absent.json", "--device", "X"});
  run_to(2, sandbox, {"import"});
  run_to(2, sandbox, {"import", sandbox.write("x.json", "{\"a\": ")});
  run_to(2, sandbox, {"import", sandbox.write("y.csv", "rank,state\n")});
  EXPECT_FALSE(fs::exists(sandbox.path("results")));
  run_to(0, sandbox, {"import", cache, "--device", "X"});
  run_to(0, sandbox, {"results"});
}

TEST(Exchange, ACsvWithATimeThatIsNoneIsRefusedWithItsPlace) {
  const Sandbox sandbox;
  give_tuned(sandbox, "results");
  fs::path file;
  for (const auto& one : fs::recursive_directory_iterator(sandbox.path("results"))) {
    if (one.path().extension() == ".csv") file = one.path();
  }
  const std::string whole = text_of(file);
  const std::string header = whole.substr(0, whole.find('\n'));
  const auto column = [&](const std::string& name) {
    return std::count(header.begin(), header.begin() + static_cast<long>(header.find(name)), ',');
  };
  const auto with = [&](const std::string& name, const std::string& value) {
    std::size_t at = header.size() + 1;
    for (long c = 0; c < column(name); ++c) at = whole.find(',', at) + 1;
    std::string text = whole;
    text.replace(at, text.find(',', at) - at, value);
    sandbox.write("elsewhere/" + file.filename().string(), text);
    fs::copy_file(file.parent_path() / "device.json", sandbox.path("elsewhere/device.json"),
                  fs::copy_options::overwrite_existing);
    const std::size_t line_start = header.size() + 1;
    return fmt::format(":2:{}: '{}' is ", at - line_start + 1, value);
  };
  fs::create_directory(sandbox.path("elsewhere"));
  const std::vector<std::pair<std::string, std::string>> hostile{
      {"time_ms", "-5"},        {"time_ms", "0"},
      {"time_ms", "nan"},       {"time_ms", "inf"},
      {"time_ms", "1e-320"},    {"ci_low_ms", "-1"},
      {"samples", "300000000"}, {"samples", "999999999999"},
      {"samples", "-1"},        {"samples", "1.5"},
      {"gbps", "nan"}};
  for (const auto& [name, value] : hostile) {
    const std::string place = with(name, value);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"import", "elsewhere", "--study", data("studies/tiny.yaml"),
                                   "--results", "into"},
          std::vector<std::string>{"export", data("studies/tiny.yaml"), "--from", "elsewhere",
                                   "--format", "header"}}) {
      const auto done = run(sandbox, words);
      EXPECT_EQ(done.status, 2) << name << " " << value;
      EXPECT_TRUE(says(done.err, place));
    }
  }
  with("samples", "1000000");
  run_to(0, sandbox, {"export", data("studies/tiny.yaml"), "--from", "elsewhere"});
}

TEST(Exchange, EveryFormatNamesTheSameBest) {
  const Sandbox sandbox;
  give_tuned(sandbox, "results");
  const Rows rows = rows_of(sandbox, "results", "n=3000");
  const std::string best = "BLOCK=" + rows[0].at("BLOCK") + " PER=" + rows[0].at("PER");
  const std::string study = data("studies/tiny.yaml");
  run_to(0, sandbox, {"export", study, "--format", "t4", "-o", "t4.json"});
  for (const std::string recording : {"t4.json", "results"}) {
    const auto done = run(sandbox, {"run", "--replay", recording, "--strategy", "random",
                                    "--repeats", "3", "--progress", "none"});
    EXPECT_EQ(occurrences(done.out, best), 3U) << recording << ": " << best << "\n" << done.out;
  }
  const auto defines = run(sandbox, {"export", study, "--format", "defines"});
  EXPECT_EQ(defines.out.find("-DTUNE_BLOCK=" + rows[0].at("BLOCK") +
                             "\n-DTUNE_PER=" + rows[0].at("PER") + "\n"),
            0U)
      << defines.out;
  const auto json = run(sandbox, {"export", study, "--format", "json"});
  const auto first = nlohmann::json::parse(json.out).at("results").at(0).at("trials").at(0);
  EXPECT_EQ(std::to_string(first.at("configuration").at("BLOCK").get<int>()), rows[0].at("BLOCK"));
  for (const auto& one : fs::recursive_directory_iterator(sandbox.path("results"))) {
    if (one.path().extension() != ".csv") continue;
    EXPECT_EQ(read_csv(one.path()), rows);
  }
}

}  // namespace
}  // namespace tuner::cli
