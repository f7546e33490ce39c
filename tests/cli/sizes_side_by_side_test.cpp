// Sizes are tuned at the same time where there are several devices: the cpu backend shows itself as
// four.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"
#include "spin_study.h"

namespace tuner::cli {
namespace {

using Json = nlohmann::json;

// Five sizes of eight variants.
class SizesSideBySide : public testing::Test {
 protected:
  SizesSideBySide() {
    write_spin_study(sandbox_, "WORK * 20",
                     R"yaml(problem_sizes: [{n: 500}, {n: 300}, {n: 400}, {n: 200}, {n: 100}]
parameters: {BLOCK: [32, 64, 128, 256], WORK: [1, 8]}
)yaml",
                     "measure: {finalists: 0}\n");
  }
  void TearDown() override { EXPECT_TRUE(no_process_left(sandbox_)); }

  static std::vector<std::string> words(const std::string& results) {
    return {"run",       "spin.yaml", "--backend",  "cpu:devices=4,threads=1",
            "--device",  "all",       "--jobs",     "2",
            "--results", results,     "--progress", "json"};
  }
  static std::vector<Json> events_of(const std::string& text, const std::set<std::string>& names) {
    std::vector<Json> events;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      Json event = Json::parse(line, nullptr, false);
      if (event.is_object() && names.contains(event.value("event", ""))) {
        events.push_back(std::move(event));
      }
    }
    return events;
  }
  // Each variant of each size once, and none has failed.
  void expect_all(const std::string& results) const {
    for (const char* size : {"n500", "n300", "n400", "n200", "n100"}) {
      std::set<std::string> seen;
      for (const auto& file :
           std::filesystem::recursive_directory_iterator(sandbox_.path(results))) {
        if (file.path().stem() != size) continue;
        const auto rows = read_csv(file.path());
        EXPECT_EQ(rows.size(), 8U) << size;
        for (const auto& row : rows) {
          seen.insert(row.at("BLOCK") + " " + row.at("WORK"));
          EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
        }
      }
      EXPECT_EQ(seen.size(), 8U) << size;
    }
  }
  // Of the store, on which the order in exports depends.
  std::vector<std::string> sizes_in(const std::string& results) const {
    std::vector<std::string> sizes;
    sqlite3* store = nullptr;
    sqlite3_open(sandbox_.path(results + "/tuner.sqlite").c_str(), &store);
    sqlite3_exec(
        store, "SELECT size FROM contexts ORDER BY id",
        [](void* to, int, char** columns, char**) {
          static_cast<std::vector<std::string>*>(to)->emplace_back(columns[0]);
          return 0;
        },
        &sizes, nullptr);
    sqlite3_close(store);
    return sizes;
  }

  Sandbox sandbox_;
};

TEST_F(SizesSideBySide, HaveADeviceEachAndTheOneLeftOverHasAll) {
  const Finished done = run_to(0, sandbox_, words("results"));
  expect_all("results");
  std::map<Json, std::size_t> trials;
  for (const Json& event : events_of(done.err, {"trial"})) ++trials[event.at("size")];
  EXPECT_EQ(trials.size(), 5U);
  for (const auto& [size, count] : trials) EXPECT_EQ(count, 8U) << size;
  const auto rankings = events_of(done.err, {"ranked"});
  ASSERT_EQ(rankings.size(), 5U);
  for (const Json& ranked : rankings) {
    const bool is_left_over = ranked.at("size") == Json{{"n", 100}};
    EXPECT_EQ(ranked.contains("devices"), is_left_over) << ranked;
    EXPECT_EQ(ranked.at("bound").at("compile_workers"), 2) << "they have these in common";
  }
  EXPECT_EQ(sizes_in("results"),
            (std::vector<std::string>{R"({"n":500})", R"({"n":300})", R"({"n":400})",
                                      R"({"n":200})", R"({"n":100})"}));
  // All is compiled by now. One after the other each is on all devices.
  auto in_turn = words("in-turn");
  in_turn.emplace_back("--in-turn");
  const Finished other = run_to(0, sandbox_, in_turn);
  expect_all("in-turn");
  const auto parts = events_of(other.err, {"begin", "ranked"});
  ASSERT_EQ(parts.size(), 10U);
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    EXPECT_EQ(parts[i].at("event"), "begin");
    EXPECT_EQ(parts[i + 1].at("event"), "ranked");
    EXPECT_EQ(parts[i + 1].at("devices").size(), 4U);
  }
}

TEST_F(SizesSideBySide, AreInterruptedTogetherAndGoOnTogether) {
  Running running(sandbox_, words("results"));
  ASSERT_TRUE(eventually([&] { return occurrences(running.errors_so_far(), "\"trial\"") >= 6; }))
      << running.errors_so_far();
  running.signal(SIGINT);
  const Finished interrupted = running.wait();
  const bool came_late = occurrences(interrupted.err, "\"ranked\"") == 5;
  EXPECT_EQ(interrupted.status, came_late ? 0 : 130) << interrupted.err;
  const Finished done = run_to(0, sandbox_, words("results"));
  expect_all("results");
  EXPECT_GE(occurrences(done.err, "\"from_store\":true"), measured_again(done) ? 0U : 6U);
}

}  // namespace
}  // namespace tuner::cli
