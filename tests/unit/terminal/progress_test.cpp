// What the lines of a run's progress say.

#include "tuner/terminal/progress.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tuner {
namespace {

// The plain lines that are printed after `trials`, one a second, of which `recalled` were stored.
std::string lines_after(const RunPart& part, int trials, int recalled = 0) {
  Study study;
  study.parameters = {{"B", {std::int64_t{1}}, {}}};
  std::FILE* out = std::tmpfile();
  {
    Progress progress("plain", {}, out);
    progress.begin(part, study);
    for (int i = 0; i < trials; ++i) {
      Trial trial;
      trial.configuration = {std::int64_t{1}};
      trial.state = TrialState::kCompile;
      trial.from_store = i < recalled;
      progress.trial(trial, i < recalled ? 0 : i + 1 - recalled);
    }
    progress.end(trials - recalled);
  }
  std::string text(static_cast<std::size_t>(std::ftell(out)), ' ');
  std::rewind(out);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
  std::fclose(out);
  return text;
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

TEST(Progress, ARateIsSaidOfThreeMeasuredOnesOrMore) {
  EXPECT_EQ(last_line_of(lines_after({"t", "100"}, 2)), "  2/100  2 compile\n");
}

}  // namespace
}  // namespace tuner
