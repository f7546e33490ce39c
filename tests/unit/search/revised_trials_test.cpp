// Trials that come a second time, since what was right has turned out to be wrong.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/fakes/fake_evaluator.h"
#include "tests/fakes/fake_strategy.h"
#include "tuner/search/tuning_loop.h"

namespace tuner {
namespace {

Trial fine(ConfigIndex index) {
  Trial trial;
  trial.objective = SearchFigure(100 - static_cast<double>(index));
  return trial;
}

// After it was right, the first one turns out to be wrong.
class RevisingEvaluator final : public FakeEvaluator {
 public:
  RevisingEvaluator() : FakeEvaluator(1, fine) {}
  std::optional<Trial> next(double until) override {
    if (returned != 2 || is_revised_) return FakeEvaluator::next(until);
    is_revised_ = true;
    Trial trial;
    trial.state = TrialState::kCorrectness;
    return trial;
  }

 private:
  bool is_revised_ = false;
};

TEST(RevisedTrials, ATrialThatComesAgainIsReportedAndNeitherCountedNorToldTwice) {
  FakeStrategy strategy({0, 1, 2, 3});
  RevisingEvaluator evaluator;
  std::vector<std::pair<ConfigIndex, TrialState>> seen;
  const LoopResult result =
      run_loop(strategy, evaluator, {}, {},
               {[&](const Trial& t) { seen.emplace_back(t.index, t.state); }, {}});
  const std::vector<std::pair<ConfigIndex, TrialState>> expected{{0, TrialState::kOk},
                                                                 {1, TrialState::kOk},
                                                                 {0, TrialState::kCorrectness},
                                                                 {2, TrialState::kOk},
                                                                 {3, TrialState::kOk}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(result.evaluations, 4U);
  EXPECT_EQ(strategy.told.size(), 4U);
}

}  // namespace
}  // namespace tuner
