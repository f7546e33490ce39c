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
Finished tune(const Sandbox& sandbox, const std::string& results, const std::string& size) {
  return run(sandbox,
             {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", size, "--strategy",
              "exhaustive", "--progress", "none", "--results", sandbox.path(results)});
}

Rows rows_of(const Sandbox& sandbox, const std::string& results, const std::string& size) {
  const auto done =
      run(sandbox, {"results", data("studies/tiny.yaml"), "--results", sandbox.path(results),
                    "--size", size, "--csv", sandbox.path("rows.csv")});
  EXPECT_EQ(done.status, 0) << done.err;
  return read_csv(sandbox.path("rows.csv"));
}

TEST(Exchange, AT1FileRunsAsItIs) {
  const Sandbox sandbox;
  const auto checked = run(sandbox, {"check", data("t1/scale.json")});
  ASSERT_EQ(checked.status, 0) << checked.err;
  EXPECT_NE(checked.out.find("valid              16"), std::string::npos) << checked.out;
  const auto done = run(sandbox, {"run", data("t1/scale.json"), "--backend", "cpu", "--strategy",
                                  "exhaustive", "--progress", "plain"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.err.find("compared with one configuration (block_size_x=64 tile=1"),
            std::string::npos)
      << done.err;
  // Tiles of 4 give another answer than the default configuration: said, never ranked.
  EXPECT_NE(done.out.find("4 correctness"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("block_size_x"), std::string::npos) << done.out;
}

TEST(Exchange, AT1FileBecomesAStudyWithTheSameSpace) {
  const Sandbox sandbox;
  const auto made =
      run(sandbox, {"import", data("t1/scale.json"), "-o", sandbox.path("scale.yaml")});
  ASSERT_EQ(made.status, 0) << made.err;
  const auto checked = run(sandbox, {"check", sandbox.path("scale.yaml")});
  ASSERT_EQ(checked.status, 0) << checked.err;
  EXPECT_NE(checked.out.find("valid              16"), std::string::npos) << checked.out;
  const auto done = run(sandbox, {"run", sandbox.path("scale.yaml"), "--backend", "cpu", "--budget",
                                  "3", "--strategy", "random", "--progress", "none"});
  EXPECT_EQ(done.status, 0) << done.err;
}

TEST(Exchange, ATornT1FileLeavesNothingBehind) {
  const Sandbox sandbox;
  std::ifstream in(data("t1/scale.json"));
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  const auto torn = sandbox.write("torn.json", whole.substr(0, whole.size() / 2));
  const auto made = run(sandbox, {"import", torn, "-o", sandbox.path("torn.yaml")});
  EXPECT_EQ(made.status, 2);
  EXPECT_FALSE(fs::exists(sandbox.path("torn.yaml")));
  EXPECT_EQ(run(sandbox, {"run", torn}).status, 2);
  EXPECT_FALSE(fs::exists(sandbox.path("results")));
}

// Store -> T4 -> store, and T4 -> replay: the times are the same, and the best is.
TEST(Exchange, T4GoesOutAndComesBack) {
  const Sandbox sandbox;
  ASSERT_EQ(tune(sandbox, "a", "n=3000").status, 0);
  const fs::path t4 = sandbox.path("tiny.t4.json");
  const auto out = run(sandbox, {"export", data("studies/tiny.yaml"), "--format", "t4", "--results",
                                 sandbox.path("a"), "-o", t4});
  ASSERT_EQ(out.status, 0) << out.err;
  const auto back =
      run(sandbox, {"import", t4, "--results", sandbox.path("b"), "--study",
                    data("studies/tiny.yaml"), "--size", "n=3000", "--device", "Elsewhere"});
  ASSERT_EQ(back.status, 0) << back.err;
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
  const auto replayed = run(sandbox, {"run", "--replay", t4, "--strategy", "exhaustive",
                                      "--progress", "none", "--trace", sandbox.path("trace.csv")});
  ASSERT_EQ(replayed.status, 0) << replayed.err;
  double best = 1e300;
  for (const auto& row : read_csv(sandbox.path("trace.csv"))) {
    if (!row.at("objective").empty()) best = std::min(best, std::stod(row.at("objective")));
  }
  EXPECT_NEAR(best / winner, 1, 1e-6);
}

TEST(Exchange, ImportedResultsAreMarkedAndNeverTakenForMeasured) {
  const Sandbox sandbox;
  ASSERT_EQ(tune(sandbox, "a", "n=3000").status, 0);
  const fs::path t4 = sandbox.path("tiny.json");
  ASSERT_EQ(run(sandbox, {"export", data("studies/tiny.yaml"), "--format", "t4", "--results",
                          sandbox.path("a"), "-o", t4})
                .status,
            0);
  ASSERT_EQ(run(sandbox, {"import", t4, "--results", sandbox.path("b"), "--study",
                          data("studies/tiny.yaml"), "--size", "n=3000"})
                .status,
            0);
  const auto shown =
      run(sandbox, {"results", data("studies/tiny.yaml"), "--results", sandbox.path("b")});
  EXPECT_NE(shown.out.find("imported from tiny"), std::string::npos) << shown.out;
  const auto exported = run(sandbox, {"export", data("studies/tiny.yaml"), "--format", "json",
                                      "--results", sandbox.path("b")});
  ASSERT_EQ(exported.status, 0) << exported.err;
  EXPECT_NE(exported.err.find("not measured here"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(exported.out).at("results").at(0).at("compiler"),
            "imported from tiny");
  const auto again = tune(sandbox, "b", "n=3000");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err.find("from the store"), std::string::npos) << again.err;
}

TEST(Exchange, ResultsOfSeveralMachinesGoIntoOneStore) {
  const Sandbox sandbox;
  ASSERT_EQ(tune(sandbox, "a", "n=3000").status, 0);
  ASSERT_EQ(tune(sandbox, "b", "n=10000").status, 0);
  const auto merged =
      run(sandbox, {"import", sandbox.path("b/tuner.sqlite"), "--results", sandbox.path("a")});
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_NE(merged.out.find("1 contexts, 1 of them new; 11 trials added"), std::string::npos)
      << merged.out;
  const auto again = run(sandbox, {"import", sandbox.path("b"), "--results", sandbox.path("a")});
  EXPECT_NE(again.out.find("0 of them new; 0 trials added, 0 replaced by newer ones, 11 kept"),
            std::string::npos)
      << again.out;
  EXPECT_EQ(rows_of(sandbox, "a", "n=3000").size(), 11U);
  EXPECT_EQ(rows_of(sandbox, "a", "n=10000").size(), 11U);
}

TEST(Exchange, AnImportSaysHowTheMachinesCompare) {
  const Sandbox sandbox;
  ASSERT_EQ(tune(sandbox, "a", "n=3000").status, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // dates have seconds
  ASSERT_EQ(tune(sandbox, "b", "n=3000").status, 0);
  const std::vector<std::string> words{"import", sandbox.path("b"), "--results", sandbox.path("a")};
  const std::string compared = "configurations were measured in both: their times over those here";
  const auto merged = run(sandbox, words);
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_NE(merged.out.find(compared), std::string::npos) << merged.out;
  const auto again = run(sandbox, words);  // nothing was measured since
  EXPECT_EQ(again.out.find(compared), std::string::npos) << again.out;
}

TEST(Exchange, RankedCsvFilesComeBack) {
  const Sandbox sandbox;
  ASSERT_EQ(tune(sandbox, "a", "n=3000").status, 0);
  const fs::path folder = sandbox.path("a/axpy");
  const auto whose = run(sandbox, {"import", folder, "--results", sandbox.path("b")});
  EXPECT_EQ(whose.status, 2);
  EXPECT_NE(whose.err.find("needs --study"), std::string::npos) << whose.err;
  const auto done = run(sandbox, {"import", folder, "--results", sandbox.path("b"), "--study",
                                  data("studies/tiny.yaml")});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(rows_of(sandbox, "b", "n=3000").size(), 11U);
}

TEST(Exchange, WhatIsMissingOrWrongIsSaidAndNothingIsWritten) {
  const Sandbox sandbox;
  const auto cache = sandbox.write("cache.json", R"({"kernel_name": "k", "tune_params_keys": ["a"],
    "tune_params": {"a": [1, 2]}, "cache": {"1": {"a": 1, "time": 0.5}}})");
  const auto no_device = run(sandbox, {"import", cache});
  EXPECT_EQ(no_device.status, 2);
  EXPECT_NE(no_device.err.find("names no device (--device NAME)"), std::string::npos)
      << no_device.err;
  const auto no_file = run(sandbox, {"import", cache, "absent.json", "--device", "X"});
  EXPECT_EQ(no_file.status, 2);
  EXPECT_EQ(run(sandbox, {"import"}).status, 2);
  EXPECT_EQ(run(sandbox, {"import", sandbox.write("x.json", "{\"a\": ")}).status, 2);
  EXPECT_EQ(run(sandbox, {"import", sandbox.write("y.csv", "rank,state\n")}).status, 2);
  EXPECT_FALSE(fs::exists(sandbox.path("results")));
  const auto done = run(sandbox, {"import", cache, "--device", "X"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(run(sandbox, {"results"}).status, 0);
}

TEST(Exchange, ACsvWithATimeThatIsNoneIsRefusedWithItsPlace) {
  const Sandbox sandbox;
  ASSERT_EQ(tune(sandbox, "results", "n=3000").status, 0);
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
      EXPECT_NE(done.err.find(place), std::string::npos) << place << "\n" << done.err;
    }
  }
  with("samples", "1000000");
  EXPECT_EQ(run(sandbox, {"export", data("studies/tiny.yaml"), "--from", "elsewhere"}).status, 0);
}

TEST(Exchange, EveryFormatNamesTheSameBest) {
  const Sandbox sandbox;
  ASSERT_EQ(tune(sandbox, "results", "n=3000").status, 0);
  const Rows rows = rows_of(sandbox, "results", "n=3000");
  const std::string best = "BLOCK=" + rows[0].at("BLOCK") + " PER=" + rows[0].at("PER");
  const std::string study = data("studies/tiny.yaml");
  ASSERT_EQ(run(sandbox, {"export", study, "--format", "t4", "-o", "t4.json"}).status, 0);
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
