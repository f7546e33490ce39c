// What the lines of a run's progress say.

#include "tuner/commands/progress.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tuner {
namespace {

Trial failed_trial() {
  Trial trial;
  trial.configuration = {std::int64_t{1}};
  trial.state = TrialState::kCompile;
  return trial;
}

// What is printed in this style when `run` tells of itself.
std::string printed(const char* style, const std::function<void(const RunListener&)>& run) {
  Study study;
  study.parameters = {{"B", {std::int64_t{1}}, {}}};
  std::FILE* out = std::tmpfile();
  {
    Progress progress(style, {}, out);
    run(RunListener([&](const RunEvent& event) { progress.hear(event, study); }));
  }
  std::string text(static_cast<std::size_t>(std::ftell(out)), ' ');
  std::rewind(out);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
  std::fclose(out);
  return text;
}

// The plain lines that are printed after `trials`, one a second, of which `recalled` were stored.
std::string lines_after(const RunPart& part, int trials, int recalled = 0) {
  return printed("plain", [&](const RunListener& to) {
    to.begin(part);
    for (int i = 0; i < trials; ++i) {
      Trial trial = failed_trial();
      trial.from_store = i < recalled;
      to.trial(trial, i < recalled ? 0 : i + 1 - recalled);
    }
    to.searched(trials - recalled);
  });
}

std::string last_line_of(const std::string& text) {
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST(Progress, TheTimeLeftFollowsFromTheRateOfWhatIsMeasured) {
  const RunPart part{"t", "100"};
  EXPECT_EQ(last_line_of(lines_after(part, 10)), "  10/100  10 compile  1/s  ETA 1 min 30 s\n");
  EXPECT_EQ(last_line_of(lines_after(part, 50, 40)),
            "  50/100  50 compile  (40 from the store)  1/s  ETA 50.0 s\n");
}

TEST(Progress, TheTimeLeftIsWhatTheBudgetStillGrantsAtMost) {
  RunPart part{"t", "100"};
  part.seconds = 30;
  EXPECT_EQ(last_line_of(lines_after(part, 10)), "  10/100  10 compile  1/s  ETA 20.0 s\n");
  part.total = "12";
  EXPECT_EQ(last_line_of(lines_after(part, 10)), "  10/12  10 compile  1/s  ETA 2.0 s\n");
}

TEST(Progress, WhereNothingIsLeftToDoThereIsNoTimeLeft) {
  RunPart part{"t", "10"};
  part.seconds = 600;
  EXPECT_EQ(last_line_of(lines_after(part, 10)), "  10/10  10 compile  1/s\n");
  EXPECT_EQ(last_line_of(lines_after(part, 10, 10)), "  10/10  10 compile  (10 from the store)\n");
}

TEST(Progress, ARateIsSaidOfThreeMeasuredOnesOrMore) {
  EXPECT_EQ(last_line_of(lines_after({"t", "100"}, 2)), "  2/100  2 compile\n");
}

// What is printed in this style of two sizes side by side, of which the first ends first.
std::string lines_of_two(const char* style) {
  return printed(style, [](const RunListener& to) {
    RunListener lanes[] = {to.in_lane(1), to.in_lane(2)};
    lanes[0].turn_to("cpu", {{{"n", 10}}});
    lanes[1].turn_to("cpu", {{{"n", 20}}});
    for (const RunListener& lane : lanes) lane.begin({"title", "5"});
    for (const int i : {0, 1, 0}) lanes[i].trial(failed_trial(), 1);
    lanes[0].searched(2);
    lanes[0].note("  ended: done");
  });
}

TEST(Progress, OfSizesSideBySideLinesSayWhichOneTheyAreAbout) {
  EXPECT_EQ(lines_of_two("plain"),
            "title\ntitle\n  n10: 1/5  1 compile\n  n20: 1/5  1 compile\n  n10: 2/5  2 compile\n"
            "  n10: ended: done\n");
}

TEST(Progress, OfSizesSideBySideEachTrialInJsonCountsForItsOwn) {
  const std::string text = lines_of_two("json");
  const std::string second = R"("done":1,"state":"compile","elapsed_s":1.0,"from_store":false,)"
                             R"("device":"cpu","size":{"n":20})";
  const std::string third = R"("done":2,"state":"compile","elapsed_s":1.0,"from_store":false,)"
                            R"("device":"cpu","size":{"n":10})";
  EXPECT_NE(text.find(second), std::string::npos) << text;
  EXPECT_NE(text.find(third), std::string::npos) << text;
  EXPECT_NE(text.find(R"("text":"  ended: done","size":{"n":10})"), std::string::npos) << text;
}

TEST(TallySum, AddsUpSearchesAndTakesTheTimeOfTheLongest) {
  const Study study;
  SearchTally one({"", "90"}, study);
  SearchTally other({"", "20"}, study);
  for (int i = 0; i < 10; ++i) one.add(failed_trial());
  for (int i = 0; i < 15; ++i) other.add(failed_trial());
  TallySum sum;
  sum.add(one, 5);     // 2 a second, 80 are left
  sum.add(other, 15);  // 1 a second, 5 are left
  EXPECT_EQ(sum.text(), "2 sizes: 25/110  25 compile  3/s  ETA 40.0 s");
}

}  // namespace
}  // namespace tuner
