#include "tuner/resolve/objective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/unit/resolve/studies.h"

namespace tuner {
namespace {

using test::expr;
using test::scale_study;

Study with_metrics(std::vector<NamedExpression> metrics, ObjectiveSpec objective = {}) {
  Study study = scale_study();
  study.metrics = std::move(metrics);
  study.objective = std::move(objective);
  return study;
}

using Figures = std::vector<std::pair<std::string, double>>;

TEST(Metrics, SeeTheTimeInSecondsAndEarlierMetrics) {
  const Study study =
      with_metrics({{"gflops", expr("n / time / 1e9")}, {"share", expr("gflops / VEC")}});
  // 1e6 operations in 2 ms are 0.5 GFLOP/s.
  EXPECT_EQ(metrics(study, {{"n", std::int64_t{1000000}}, {"VEC", std::int64_t{2}}}, 2.0),
            (Figures{{"gflops", 0.5}, {"share", 0.25}}));
}

TEST(Metrics, LeaveOutWhatHasNoFiniteValue) {
  const Study study = with_metrics(
      {{"none", expr("1 // 0")}, {"text", expr("'fast'")}, {"good", expr("time * 1000")}});
  EXPECT_EQ(metrics(study, {}, 2.0), (Figures{{"good", 2.0}}));
}

TEST(Metrics, EnergyIsPowerTimesTheTimeOfOneLaunch) {
  const Study study = with_metrics({{"joules", expr("energy")}, {"watts", expr("power")}});
  EXPECT_EQ(metrics(study, {}, 2.0, 500), (Figures{{"joules", 1.0}, {"watts", 500.0}}));
  EXPECT_EQ(metrics(study, {}, 2.0), Figures{});  // not measured
}

TEST(Metrics, OfObserversAreWhatTheySawAndOthersMayUseThem) {
  const Study study = with_metrics({{"misses", expr("misses")}, {"rate", expr("misses / time")}},
                                   {"misses", false, {}});
  EXPECT_EQ(metrics(study, {}, 2.0, 0, {{"misses", 10}}),
            (Figures{{"misses", 10}, {"rate", 5000}}));
  EXPECT_EQ(metrics(study, {}, 2.0), Figures{}) << "nobody saw any";
  Trial trial;
  trial.timing.median = 2;
  trial.observed = {{"misses", 10}};
  score(study, {}, trial);
  EXPECT_EQ(trial.objective.value(), 10);
}

TEST(NeedsPower, OnlyWhereAMetricAsksAndNoParameterHasThatName) {
  EXPECT_TRUE(needs_power(with_metrics({{"e", expr("energy / 2")}})));
  EXPECT_FALSE(needs_power(with_metrics({{"e", expr("1 / time")}})));
  Study own = with_metrics({{"e", expr("power / time")}});
  own.parameters.push_back(own.parameters.front());
  own.parameters.back().name = "power";
  EXPECT_FALSE(needs_power(own));
}

TEST(ObjectiveOf, IsTheTimeInSecondsOrAMetric) {
  Trial trial;
  trial.timing.median = 5;
  trial.metrics = {{"gflops", 7}};
  EXPECT_EQ(objective_of(with_metrics({}), trial), 0.005);
  const Study gflops = with_metrics({{"gflops", expr("1 / time")}}, {"gflops", true});
  EXPECT_EQ(objective_of(gflops, trial), 7.0);
  trial.metrics.clear();
  EXPECT_FALSE(objective_of(gflops, trial).has_value());
}

TEST(ObjectiveOf, IsNothingForAFailure) {
  Trial trial;
  trial.timing.median = 5;
  trial.state = TrialState::kDropped;
  EXPECT_EQ(objective_of(with_metrics({}), trial), 0.005);
  trial.state = TrialState::kCorrectness;
  EXPECT_FALSE(objective_of(with_metrics({}), trial).has_value());
}

TEST(Rescore, AnotherObjectiveEndsTheFinal) {
  Trial trial;
  trial.timing.median = 2;
  trial.objective = SearchFigure(0.002);
  trial.final.emplace().samples = {2.5, 2.5};
  const std::vector<NamedExpression> rate{{"rate", expr("1 / time")}};
  rescore(with_metrics(rate), {}, trial);
  EXPECT_EQ(trial.objective, SearchFigure(0.002));
  EXPECT_EQ(trial.metrics, (Figures{{"rate", 500}}));
  ASSERT_TRUE(trial.final);
  EXPECT_EQ(trial.final->metrics, (Figures{{"rate", 400}})) << "of the final's own time";
  EXPECT_EQ(trial.final->objective, FinalFigure(0.0025));
  rescore(with_metrics(rate, {"rate", true, {}}), {}, trial);
  EXPECT_EQ(trial.objective, SearchFigure(500));
  EXPECT_FALSE(trial.final);
}

TEST(AllToMinimise, HasTheValuesOfThoseBesideAndInfinityForNone) {
  Trial trial;
  trial.objective = SearchFigure(7);
  trial.timing.median = 2;
  trial.metrics = {{"gflops", 5}};
  const ObjectiveSpec all{"x", true, {{"time"}, {"gflops", true}, {"energy"}}};
  EXPECT_EQ(all_to_minimise(all, trial),
            (std::vector<double>{-7, 0.002, -5, std::numeric_limits<double>::infinity()}));
}

TEST(FrontOf, IsWhatNoOtherDominates) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t dims = 1 + random() % 3;
    std::vector<std::vector<double>> points(random() % 40);
    for (auto& point : points) {
      for (std::size_t d = 0; d < dims; ++d) point.push_back(static_cast<double>(random() % 6));
    }
    const auto dominated = [&](const std::vector<double>& p) {
      return std::any_of(points.begin(), points.end(), [&](const std::vector<double>& q) {
        bool better = false;
        for (std::size_t d = 0; d < dims; ++d) {
          if (q[d] > p[d]) return false;
          better = better || q[d] < p[d];
        }
        return better;
      });
    };
    const auto front = front_of(points);
    ASSERT_EQ(front.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NE(front[i], dominated(points[i]));
  }
}

TEST(Better, FollowsTheDirection) {
  EXPECT_TRUE(better({"time", false}, 1, 2));
  EXPECT_TRUE(better({"gflops", true}, 2, 1));
  EXPECT_FALSE(better({"time", false}, 1, 1));
  EXPECT_EQ(to_minimise({"gflops", true}, 3), -3);
  EXPECT_EQ(to_minimise({"time", false}, 3), 3);
}

TEST(FasterIsBetter, WhereTheObjectiveDependsOnTimeAndTheSizeAlone) {
  const auto decides = [](const std::string& metric, bool maximize) {
    const Study study = with_metrics({{"m", expr(metric)}}, {"m", maximize});
    return faster_is_better(study, study.sizes[0], test::h200());
  };
  EXPECT_TRUE(decides("2 * n / time", true));
  EXPECT_TRUE(decides("time * 1e6", false));
  EXPECT_FALSE(decides("2 * n / time", false)) << "slowest wanted";
  EXPECT_FALSE(decides("VEC / time", true)) << "depends on a parameter";
  EXPECT_FALSE(decides("n", true)) << "does not depend on time";
  const Study plain = scale_study();
  EXPECT_TRUE(faster_is_better(plain, plain.sizes[0], test::h200()));
}

TEST(ScoreStored, UsesWhatIsStoredAndNothingElse) {
  Trial trial;
  trial.timing.median = 2;
  trial.metrics = {{"gflops", 5}};
  score_stored({"gflops", true, {}}, trial);
  EXPECT_EQ(trial.objective, SearchFigure(5));
  score_stored({}, trial);
  EXPECT_EQ(trial.objective, SearchFigure(0.002));
  Trial negative = trial;
  negative.timing.median = -1;
  score_stored({}, negative);
  EXPECT_EQ(negative.state, TrialState::kRuntime);
  score_stored({"other", false, {}}, trial);
  EXPECT_EQ(trial.state, TrialState::kRuntime);
  EXPECT_EQ(trial.message, "the objective 'other' has no value");
}

}  // namespace
}  // namespace tuner
