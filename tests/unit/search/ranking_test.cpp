#include "tuner/search/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tuner/resolve/objective.h"

namespace tuner {
namespace {

Trial trial(ConfigIndex index, double objective, TrialState state = TrialState::kOk) {
  Trial out;
  out.index = index;
  out.objective = SearchFigure(objective);
  out.state = state;
  out.configuration = {static_cast<std::int64_t>(index)};
  out.timing.median = objective;
  out.timing.ci_low = objective;
  out.timing.ci_high = objective;
  return out;
}

Trial between(Trial trial, double low, double high) {
  trial.timing.ci_low = low;
  trial.timing.ci_high = high;
  return trial;
}

std::vector<std::uint64_t> order_of(const RankedResults& results) {
  std::vector<std::uint64_t> out;
  for (const Trial& t : results.trials) out.push_back(static_cast<std::uint64_t>(t.index));
  return out;
}

using Order = std::vector<std::uint64_t>;
using Flags = std::vector<bool>;

TEST(Rank, PutsTheBestFirstThenDroppedThenFailuresByState) {
  const auto results =
      rank({}, {trial(0, 0, TrialState::kTimeout), trial(1, 3), trial(2, 2.5, TrialState::kDropped),
                trial(3, 1), trial(4, 0, TrialState::kCompile), trial(5, 2),
                trial(6, 2.2, TrialState::kDropped), trial(7, 0, TrialState::kCompile)});
  EXPECT_EQ(order_of(results), (Order{3, 5, 1, 6, 2, 4, 7, 0}));
  EXPECT_EQ(results.ranked, 5U);
  EXPECT_EQ(results.tied, Flags(5, false));
}

TEST(Rank, FollowsTheDirectionOfTheObjective) {
  EXPECT_EQ(order_of(rank({"gflops", true}, {trial(0, 10), trial(1, 30), trial(2, 20)})),
            (Order{1, 2, 0}));
}

TEST(Rank, HandlesNothingAndNothingValid) {
  EXPECT_EQ(rank({}, {}).ranked, 0U);
  const auto results =
      rank({}, {trial(1, 0, TrialState::kRuntime), trial(0, 0, TrialState::kRuntime)});
  EXPECT_EQ(results.ranked, 0U);
  EXPECT_EQ(order_of(results), (Order{0, 1}));
}

TEST(Rank, PutsAValidTrialWithoutAValueLastOfTheValid) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(order_of(rank({"gflops", true}, {trial(0, nan), trial(1, 1), trial(2, nan), trial(3, 2),
                                             trial(4, 0, TrialState::kLaunch)})),
            (Order{3, 1, 0, 2, 4}));
}

TEST(Rank, DoesNotDependOnTheOrderOfArrival) {
  std::vector<Trial> trials;
  for (ConfigIndex i = 0; i < 40; ++i) {
    const auto n = static_cast<int>(i);
    trials.push_back(
        trial(i, 1 + (n % 7) * 0.004, n % 5 == 0 ? TrialState::kCompile : TrialState::kOk));
    trials.back().resources.registers = 32 + n % 3;
  }
  const Order expected = order_of(rank({}, trials));
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(trials.begin(), trials.end(), random);
    EXPECT_EQ(order_of(rank({}, trials)), expected);
  }
}

TEST(Rank, LetsTheSimplestOfTheTiedWin) {
  Trial fastest = trial(0, 1.000);
  Trial fewer_registers = trial(1, 1.005);
  Trial slow_but_simple = trial(2, 1.02);
  fastest.resources.registers = 64;
  fewer_registers.resources.registers = 48;
  slow_but_simple.resources.registers = 16;
  const auto results = rank({}, {fastest, fewer_registers, slow_but_simple});
  EXPECT_EQ(order_of(results), (Order{1, 0, 2}));
  EXPECT_EQ(results.tied, Flags(3, false)) << "simple, and still told from the fastest";
}

// Rounds in which all slow down together; `factor` is each finalist's ratio to the first.
FinalRound drifting(const std::vector<ConfigIndex>& finalists, const std::vector<double>& factors) {
  FinalRound round;
  round.finalists = finalists;
  for (std::size_t f = 0; f < finalists.size(); ++f) {
    std::vector<double>& ms = round.milliseconds.emplace_back();
    for (int i = 0; i < 30; ++i) ms.push_back((1 + 0.02 * i) * factors[f]);
  }
  return round;
}

// With the samples of the final in its trials, as a run has them.
RankedResults rank_by(const FinalRound& round, std::vector<Trial> trials,
                      const MeasureSpec& measure = {}) {
  for (Trial& one : trials) {
    const auto place = std::ranges::find(round.finalists, one.index) - round.finalists.begin();
    if (place == std::ssize(round.finalists)) continue;
    one.final.emplace().samples = round.milliseconds[static_cast<std::size_t>(place)];
  }
  return rank({}, std::move(trials), round, measure);
}

TEST(Rank, GivesAwayForSimplicityWhatTheStudyAllows) {
  std::vector<Trial> trials{trial(0, 1.000), trial(1, 1.004), trial(2, 1.02)};
  trials[0].resources.registers = 64;
  trials[1].resources.registers = 48;
  trials[2].resources.registers = 16;
  const auto winner = [&](double within, const std::optional<FinalRound>& round) {
    return order_of(rank({}, trials, round, {.simpler_within = within})).front();
  };
  const auto round = drifting({0, 1, 2}, {1, 1.004, 1.02});
  EXPECT_EQ(winner(0, {}), 0U);
  EXPECT_EQ(winner(0, round), 0U);
  EXPECT_EQ(winner(0.005, {}), 1U);
  EXPECT_EQ(winner(0.005, round), 1U);
  EXPECT_EQ(winner(0.03, {}), 2U);
  EXPECT_EQ(winner(0.03, round), 2U);
}

TEST(Rank, CallsNoTieWhatIsALittleSlowerBeyondTheInterval) {
  const auto round = drifting({0, 1, 2}, {1, 1.004, 1.02});
  const std::vector<Trial> trials{between(trial(0, 1.000), 0.999, 1.001),
                                  between(trial(1, 1.004), 1.003, 1.005),
                                  between(trial(2, 1.02), 1.019, 1.021)};
  for (const double within : {0.0, 0.03}) {
    EXPECT_EQ(rank({}, trials, {}, {.simpler_within = within}).tied, Flags(3, false));
    EXPECT_EQ(rank_by(round, trials, {.simpler_within = within}).tied, Flags(3, false));
  }
}

TEST(Rank, TiesAreWithTheFirstAndNotWithAFasterOneThatGaveItThePlace) {
  std::vector<Trial> trials{between(trial(0, 1.000), 0.999, 1.001),
                            between(trial(1, 1.004), 1.003, 1.006),
                            between(trial(2, 1.007), 1.005, 1.009)};
  for (std::size_t i = 0; i < 3; ++i) trials[i].resources.registers = i == 1 ? 16 : 32;
  const auto results = rank({}, trials);
  EXPECT_EQ(order_of(results), (Order{1, 0, 2}));
  EXPECT_EQ(results.tied, (Flags{true, false, true}));
}

TEST(Rank, TiesOfAnObjectiveThatIsNoTimeAreOfItsOwnValues) {
  // As long as each other, and one takes a tenth more energy, beyond what the times leave open.
  std::vector<Trial> trials{between(trial(0, 1), 0.99, 1.01), between(trial(1, 1), 0.99, 1.01),
                            between(trial(2, 1), 0.99, 1.01)};
  trials[1].objective = SearchFigure(1.1);
  trials[2].objective = SearchFigure(1.01);
  EXPECT_EQ(rank({"energy", false}, trials).tied, (Flags{true, true, false}));
}

TEST(Rank, BreaksEqualRegistersBySharedMemoryThenByTheConfiguration) {
  std::vector<Trial> trials{trial(0, 1.0), trial(1, 1.001), trial(2, 1.002), trial(3, 1.003)};
  trials[0].geometry.dynamic_shared_bytes = 8192;
  trials[1].resources.static_shared_bytes = 4096;
  trials[2].resources.static_shared_bytes = 4096;
  trials[3].geometry.dynamic_shared_bytes = 4096;
  trials[1].configuration = {std::string("b"), true};
  trials[2].configuration = {std::string("a"), true};
  trials[3].configuration = {std::string("a"), false};
  for (Trial& t : trials) t.resources.registers = 32;
  EXPECT_EQ(order_of(rank({}, trials)).front(), 3U);
  trials[3].configuration = {std::string("a"), std::string("x")};
  EXPECT_EQ(order_of(rank({}, trials)).front(), 2U) << "numbers before text";
}

TEST(Rank, CallsOverlappingIntervalsATieButGivesTheFirstPlaceAwayForLessThanAHundredth) {
  Trial best = between(trial(0, 1.0), 0.9, 1.1);
  best.resources.registers = 64;
  Trial near = between(trial(1, 1.05), 1.0, 1.2);
  near.resources.registers = 16;
  const auto results = rank({}, {best, near});
  EXPECT_EQ(order_of(results), (Order{0, 1}));
  EXPECT_EQ(results.tied, (Flags{true, true}));
}

// ---- with a final round -------------------------------------------------------------------------

TEST(Rank, LetsTheFinalRoundDecide) {
  const std::vector<Trial> trials{trial(0, 1.00), trial(1, 1.03), trial(2, 1.05), trial(3, 1.5)};
  const auto results = rank_by(drifting({0, 1, 2}, {1.06, 1.0, 1.03}), trials);
  EXPECT_EQ(order_of(results), (Order{1, 2, 0, 3}));
  EXPECT_EQ(results.tied, Flags(4, false)) << "drift of 60 % hides no ratio";
}

TEST(Rank, KeepsFinalistsBeforeAllOthers) {
  // The fourth looked fast in its own samples but was not re-measured.
  const std::vector<Trial> trials{trial(0, 1.00), trial(1, 1.03), trial(3, 1.01)};
  EXPECT_EQ(order_of(rank({}, trials, drifting({0, 1}, {1.0, 1.1}))), (Order{0, 1, 3}));
}

TEST(Rank, CallsFinalistsTiedWhoseRatioCannotBeToldFromOne) {
  FinalRound round = drifting({0, 1, 2}, {1.0, 1.0, 1.2});
  for (std::size_t i = 0; i < 30; ++i) round.milliseconds[1][i] *= i % 2 == 0 ? 0.97 : 1.05;
  std::vector<Trial> trials{trial(0, 1.0), trial(1, 1.0), trial(2, 1.0)};
  trials[0].resources.registers = 48;
  trials[1].resources.registers = 32;
  trials[2].resources.registers = 16;
  const auto results = rank_by(round, trials);
  // Ratios of the second to the first are 0.97 and 1.05 in turn: their median is 1.01, not below
  // the margin, their interval holds 1.
  EXPECT_EQ(order_of(results), (Order{0, 1, 2}));
  EXPECT_EQ(results.tied, (Flags{true, true, false}));
}

TEST(Rank, DoesNotDependOnTheOrderOfFinalistsWithEqualMedians) {
  // Mostly a little slower, now and then much faster: the medians are the same, the pairs are not.
  std::vector<double> steady, jumping;
  for (int i = 0; i < 31; ++i) {
    steady.push_back(1 + 0.01 * i);
    jumping.push_back(1 + 0.01 * ((i + 8) % 31));
  }
  const std::vector<Trial> trials{trial(0, 1.15), trial(1, 1.15)};
  const auto one = rank_by(FinalRound{{0, 1}, {steady, jumping}}, trials);
  const auto other = rank_by(FinalRound{{1, 0}, {jumping, steady}}, trials);
  EXPECT_EQ(order_of(one), order_of(other));
  EXPECT_EQ(one.tied, other.tied);
  EXPECT_EQ(one.tied, Flags(2, false));
}

TEST(Rank, IgnoresAFinalRoundWithoutTimes) {
  const std::vector<Trial> trials{trial(0, 2.0), trial(1, 1.0)};
  EXPECT_EQ(order_of(rank({}, trials, FinalRound{})), (Order{1, 0}));
  EXPECT_EQ(order_of(rank({}, trials, FinalRound{{0, 1}, {{}, {}}})), (Order{1, 0}));
}

// ---- finalists ----------------------------------------------------------------------------------

TEST(ChooseFinalists, TakesTheBestThatAreWithinATenth) {
  const std::vector<Trial> trials{trial(0, 1.05),
                                  trial(1, 2.0),
                                  trial(2, 1.0),
                                  trial(3, 1.09),
                                  trial(4, 0.5, TrialState::kCorrectness),
                                  trial(5, 0.9, TrialState::kDropped)};
  EXPECT_EQ(choose_finalists({}, trials, 8), (std::vector<std::size_t>{2, 0, 3}));
  EXPECT_EQ(choose_finalists({}, trials, 2), (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(choose_finalists({"gflops", true}, trials, 8), (std::vector<std::size_t>{}))
      << "one alone is no final";
}

TEST(Rank, MarksTheFrontOfSeveralObjectives) {
  const auto with = [](ConfigIndex index, double time, double energy) {
    Trial out = trial(index, time);
    out.metrics = {{"energy", energy}};
    return out;
  };
  const ObjectiveSpec both{"time", false, {{"energy", false}}};
  const auto results = rank(both, {with(0, 4, 1), with(1, 1, 4), with(2, 2, 5), with(3, 3, 2),
                                   trial(4, 5), trial(5, 0, TrialState::kRuntime)});
  EXPECT_EQ(order_of(results), (Order{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(results.front, (Flags{true, false, true, true, false}));
  EXPECT_TRUE(rank({}, {trial(0, 1)}).front.empty());
}

TEST(ChooseFinalists, GoesByWhatTheSearchSaidNotByALaterFinal) {
  Trial first = trial(0, 1.0);
  first.final.emplace().objective = FinalFigure(1.2);
  Trial second = trial(1, 1.01);
  second.final.emplace().objective = FinalFigure(1.3);
  EXPECT_EQ(choose_finalists({}, {trial(2, 1.1), second, first}, 2),
            (std::vector<std::size_t>{2, 1}));
}

// A finalist that looked worse in the final than in the search, as it does on a busy machine.
Trial finalist(ConfigIndex index, double search, std::vector<double> final_samples) {
  Trial out = trial(index, search);
  out.final.emplace().objective = FinalFigure(2 * search);
  out.final->samples = std::move(final_samples);
  return out;
}

TEST(StandingFinal, IsTheOneOfTheBestWhateverTheirTimesInIt) {
  const auto round = standing_final(
      {}, {finalist(0, 1.0, {2, 2.1}), trial(1, 1.5), finalist(2, 1.02, {2.2, 2}), trial(3, 1.03)});
  ASSERT_TRUE(round);
  EXPECT_EQ(round->finalists, (std::vector<ConfigIndex>{0, 2}));
  EXPECT_EQ(round->milliseconds, (std::vector<std::vector<double>>{{2, 2.1}, {2.2, 2}}));
}

TEST(Rank, AFinalThatIsNotItsOwnIsNotShown) {
  const std::vector<Trial> trials{finalist(0, 1.0, {2, 2}), finalist(1, 1.02, {1, 1})};
  const auto with = rank({}, trials, standing_final({}, trials));
  EXPECT_EQ(order_of(with), (Order{1, 0}));
  EXPECT_TRUE(with.trials[0].final && shown(with.trials[0]).by_final);
  const auto without = rank({}, trials);
  EXPECT_EQ(order_of(without), (Order{0, 1}));
  EXPECT_FALSE(without.trials[0].final || without.trials[1].final);
}

TEST(StandingFinal, FallsWithATrialThatShouldHaveBeenInIt) {
  EXPECT_FALSE(
      standing_final({}, {finalist(0, 1.0, {2}), trial(1, 1.01), finalist(2, 1.02, {2.2})}));
  EXPECT_FALSE(
      standing_final({}, {finalist(0, 1.0, {2}), trial(1, 0.5), finalist(2, 1.02, {2.2})}));
}

TEST(StandingFinal, OutlivesAFinalistThatFailed) {
  Trial failed = finalist(1, 0.9, {1});
  failed.state = TrialState::kRuntime;
  failed.final.reset();
  const auto round =
      standing_final({}, {finalist(0, 1.0, {2}), failed, finalist(2, 1.02, {2.2}), trial(3, 1.1)});
  ASSERT_TRUE(round);
  EXPECT_EQ(round->finalists, (std::vector<ConfigIndex>{0, 2}));
}

TEST(StandingFinal, NeedsTwoWhoseSamplesBelongTogether) {
  EXPECT_FALSE(standing_final({}, {}));
  EXPECT_FALSE(standing_final({}, {finalist(0, 1.0, {2}), trial(1, 1.5)}));
  EXPECT_FALSE(standing_final({}, {finalist(0, 1.0, {2}), finalist(1, 1.0, {2, 2})}));
}

TEST(ChooseFinalists, NeedsTwo) {
  EXPECT_TRUE(choose_finalists({}, {}, 8).empty());
  EXPECT_TRUE(choose_finalists({}, {trial(0, 1)}, 8).empty());
  EXPECT_TRUE(choose_finalists({}, {trial(0, 1), trial(1, 1)}, 0).empty());
}

TEST(Rank, EqualsAreOrderedByTheirValuesAndNotByTheirArrival) {
  std::vector<Trial> trials{trial(0, 1), trial(1, 1), trial(2, 1),
                            trial(3, 0, TrialState::kCompile), trial(4, 0, TrialState::kCompile)};
  const std::vector<std::int64_t> values{30, 10, 20, 50, 40};
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].configuration = {values[i]};
  const auto names = [&] {  // as a run has them, with the index in the space
    std::vector<std::int64_t> out;
    for (const Trial& t : rank({}, trials).trials)
      out.push_back(std::get<std::int64_t>(t.configuration[0]));
    return out;
  };
  const std::vector<std::int64_t> expected{10, 20, 30, 40, 50};
  EXPECT_EQ(names(), expected);
  std::reverse(trials.begin(), trials.end());  // as the store has them, in another order
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].index = i;
  EXPECT_EQ(names(), expected);
}

TEST(Rank, OutdatedTrialsAreKeptBehindAndNotRanked) {
  std::vector<Trial> trials{trial(0, 1), trial(1, 3), trial(2, 0, TrialState::kCompile),
                            trial(3, 2)};
  trials[0].outdated = true;
  const auto results = rank({}, trials);
  EXPECT_EQ(order_of(results), (Order{3, 1, 0, 2}));
  EXPECT_EQ(results.ranked, 2U);
  EXPECT_EQ(choose_finalists({}, {trials[0], trials[3], trial(4, 2.1)}, 3),
            (std::vector<std::size_t>{1, 2}));
  for (const std::size_t i : {0, 1, 3}) trials[i].final.emplace().samples = {1, 1};
  EXPECT_FALSE(standing_final({}, {trials[0], trials[3], trial(4, 2.1)}));
}

TEST(BesideBest, NothingIsAsGoodAsTheBestButWhatIsWorseStaysAsItIs) {
  EXPECT_EQ(beside_best({}, 2, 3), 3);
  EXPECT_GT(beside_best({}, 2, 2), 2);
  EXPECT_GT(beside_best({}, 2, 1), 2);
  EXPECT_NEAR(beside_best({}, 2, 1), 2, 1e-12);
  const ObjectiveSpec most{"gflops", true, {}};
  EXPECT_EQ(beside_best(most, 2, 1), 1);
  EXPECT_LT(beside_best(most, 2, 3), 2);
}

TEST(LossesAfter, AreOfTheBestAmongTheFirst) {
  const std::vector<Trial> in_order{trial(0, 1, TrialState::kCompile), trial(1, 4), trial(2, 2),
                                    trial(3, 3), trial(4, 1)};
  using Losses = std::vector<std::optional<double>>;
  EXPECT_EQ(losses_after({}, in_order, {1, 2, 4, 5, 100}), (Losses{std::nullopt, 3, 1, 0, 0}));
  EXPECT_EQ(losses_after({"flops", true}, in_order, {2, 3}), (Losses{0, 0}));
  EXPECT_EQ(losses_after({}, {}, {1}), (Losses{std::nullopt}));
}

TEST(AdviceWorth, IsThatOfTheBestOfEachSource) {
  std::vector<Trial> trials{trial(0, 4), trial(1, 2), trial(2, 1),
                            trial(3, 1, TrialState::kCompile)};
  trials[0].advised = {"model", 0.25};
  trials[1].advised = {"model", 0.5};
  trials[3].advised = {"prose", 0};
  const RankedResults results = rank({}, trials);
  ASSERT_EQ(results.advice.size(), 2U);
  EXPECT_EQ(results.advice[0].by, "prose");
  EXPECT_EQ(results.advice[0].tried, 1U);
  EXPECT_EQ(results.advice[0].loss, std::nullopt);
  EXPECT_EQ(results.advice[1].by, "model");
  EXPECT_EQ(results.advice[1].tried, 2U);
  EXPECT_EQ(results.advice[1].loss, 1);
  EXPECT_EQ(results.advice[1].after_s, 0.5);
}

}  // namespace
}  // namespace tuner
