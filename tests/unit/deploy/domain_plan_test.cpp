// Domains tuned without a device: times come from a function, the search is random.

#include "tuner/deploy/domain_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "tests/unit/resolve/studies.h"
#include "tuner/deploy/loss_model.h"
#include "tuner/model/size_sampler.h"
#include "tuner/resolve/resolve.h"

namespace tuner::test {
namespace {

// A matmul of tiles: of 4 x 4 tile shapes, with K split in up to 64.
Study tiles_study() {
  Study study;
  study.parameters = {
      {"BM", {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}, std::int64_t{128}}, {}},
      {"BN", {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}, std::int64_t{128}}, {}},
      {"SPLIT", {std::int64_t{1}, std::int64_t{4}, std::int64_t{16}, std::int64_t{64}}, {}},
      {"VEC", {std::int64_t{1}, std::int64_t{4}}, {}}};
  study.constraints = {expr("K % VEC == 0"), expr("SPLIT <= K")};
  study.launch.block[0] = expr("256");
  study.launch.grid[0] = expr("ceil_div(M, BM)");
  study.launch.grid[1] = expr("ceil_div(N, BN)");
  study.launch.grid[2] = expr("SPLIT");
  study.domain = SizeDomain{{{"M", 16, 8192}, {"N", 16, 8192}, {"K", 16, 8192}},
                            {{expr("K % 32 == 0"), 1}, {Expression(), 1}}};
  return study;
}

std::int64_t number_of(const Configuration& one, std::size_t p) {
  return std::get<std::int64_t>(one[p]);
}

// Waves of tiles on 132 multiprocessors: large tiles do more with what they load, splits fill the
// device and cost a sum of parts.
double time_of(const Configuration& one, const ProblemSize& size) {
  const auto extent = [&](std::size_t d) { return static_cast<double>(size.dims[d].second); };
  const auto bm = static_cast<double>(number_of(one, 0));
  const auto bn = static_cast<double>(number_of(one, 1));
  const auto split = static_cast<double>(number_of(one, 2));
  const double blocks = std::ceil(extent(0) / bm) * std::ceil(extent(1) / bn) * split;
  const double waves = std::ceil(blocks / 132);
  const double per_block = bm * bn * (extent(2) / split) * (1 + 24 / bm + 24 / bn) *
                           (number_of(one, 3) == 1 ? 1.6 : 1.0);
  return waves * (2000 + per_block) + split * 400;
}

std::vector<Configuration> valid_at(const Study& study, const ProblemSize& size) {
  const SearchSpace space = SearchSpace::build(space_definition(study, size, h200()));
  std::vector<Configuration> all;
  for (ConfigIndex i = 0; i < space.size(); ++i) all.push_back(space.configuration(i));
  return all;
}

using Times = std::function<double(const Configuration&, const ProblemSize&)>;

std::size_t differences(const Configuration& a, const Configuration& b) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < a.size(); ++p) count += a[p] == b[p] ? 0 : 1;
  return count;
}

// One of `count` places, each with the same chance.
std::size_t drawn(std::size_t count, Rng& rng) {
  const int bits = std::bit_width(count - 1);
  for (;;) {
    const std::uint64_t draw = bits == 0 ? 0 : rng.next() >> (64 - bits);
    if (draw < count) return draw;
  }
}

// What a search does with a step: the given ones, then by turns neighbours of the best, and any.
SizeMeasured searched(const Study& study, const DomainStep& step, Rng& rng, const Times& times) {
  SizeMeasured out{step.size, {}, 0};
  std::vector<Configuration> all = valid_at(study, step.size);
  const auto take = [&](const Configuration& one) {
    const auto at = std::ranges::find(all, one);
    if (at == all.end() || out.evaluations == step.evaluations) return;
    out.costs.emplace_back(one, times(one, step.size));
    ++out.evaluations;
    all.erase(at);
  };
  for (const Configuration& one : step.first) take(one);
  while (!all.empty() && out.evaluations < step.evaluations) {
    std::vector<Configuration> next = all;
    if (out.evaluations % 2 == 1) {
      const auto best = std::ranges::min(out.costs, {}, [](const auto& one) { return one.second; });
      std::erase_if(next, [&](const auto& one) { return differences(one, best.first) > 1; });
      if (next.empty()) next = all;
    }
    take(next[drawn(next.size(), rng)]);
  }
  return out;
}

using Choice = std::function<std::optional<Configuration>(const ProblemSize&)>;

// Mean loss at sizes that nobody chose.
double mean_loss(const Study& study, const Choice& choice, const Times& times = time_of) {
  double sum = 0;
  const auto sizes = distinct_sizes(*study.domain, 60, 999);
  for (const ProblemSize& size : sizes) {
    double best = INFINITY;
    for (const Configuration& one : valid_at(study, size)) best = std::min(best, times(one, size));
    const auto chosen = choice(size);
    sum += chosen ? times(*chosen, size) / best - 1 : 2;
  }
  return sum / static_cast<double>(sizes.size());
}

// The winner of the nearest tuned size whose winner is valid.
std::optional<Configuration> of_nearest(const Study& study, const std::vector<SizeMeasured>& tuned,
                                        const ProblemSize& size) {
  double nearest = INFINITY;
  std::optional<Configuration> out;
  for (const SizeMeasured& one : tuned) {
    double apart = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      apart += std::pow(std::log2(static_cast<double>(size.dims[d].second) /
                                  static_cast<double>(one.size.dims[d].second)),
                        2);
    }
    const auto& winner =
        std::ranges::min(one.costs, {}, &std::pair<Configuration, double>::second).first;
    const bool valid = constraints_hold(study, bindings_of(study, winner, h200(), size));
    if (apart >= nearest || !valid) continue;
    nearest = apart;
    out = winner;
  }
  return out;
}

struct Planned {
  std::vector<SizeMeasured> tuned;
  double loss = 0;  // where the plan's own choice is used
};

Planned planned(Study study, std::uint64_t evaluations, std::uint64_t seed,
                const Times& times = time_of) {
  study.search.until_loss = 0;
  DomainPlan plan(study, h200(), evaluations, seed);
  Rng rng(seed);
  Planned out;
  while (const auto step = plan.next()) {
    SizeMeasured measured = searched(study, *step, rng, times);
    plan.tell(measured);
    std::erase_if(out.tuned, [&](const SizeMeasured& one) { return one.size == measured.size; });
    out.tuned.push_back(std::move(measured));
  }
  const auto choice = [&](const ProblemSize& size) -> std::optional<Configuration> {
    auto able = plan.served_by(size);
    return able.empty() ? std::nullopt : std::optional(able.front());
  };
  out.loss = mean_loss(study, choice, times);
  return out;
}

// The same evaluations, spent on sizes at random, each searched by itself.
double loss_at_random(const Study& study, std::uint64_t evaluations, std::size_t sizes,
                      std::uint64_t seed) {
  Rng rng(seed);
  std::vector<SizeMeasured> tuned;
  for (const ProblemSize& size : distinct_sizes(*study.domain, sizes, seed)) {
    tuned.push_back(searched(study, {size, {}, evaluations / sizes}, rng, time_of));
  }
  return mean_loss(study, [&](const ProblemSize& size) { return of_nearest(study, tuned, size); });
}

TEST(DomainPlan, TheLossFallsWithTheBudget) {
  const Study study = tiles_study();
  double small = 0;
  double large = 0;
  for (const std::uint64_t seed : {1, 2}) {
    small += planned(study, 60, seed).loss / 2;
    large += planned(study, 600, seed).loss / 2;
  }
  RecordProperty("small", std::to_string(small));
  RecordProperty("large", std::to_string(large));
  EXPECT_LT(large, 0.5 * small);
  EXPECT_LT(large, 0.25);
}

// Large tiles for large products, small ones for small, and splits where only K is large.
TEST(DomainPlan, TheLossEndsBelowATenthWhereAFewConfigurationsAreEnough) {
  const Times few = [](const Configuration& one, const ProblemSize& size) {
    const auto log = [&](std::size_t d) {
      return std::log2(static_cast<double>(size.dims[d].second));
    };
    const auto off = [&](std::size_t p, double best) {
      return std::abs(std::log2(static_cast<double>(number_of(one, p))) - best);
    };
    const double tile = log(0) + log(1) < 18 ? 5 : 7;
    const double split = log(2) > 10 && log(0) + log(1) < 18 ? 4 : 0;
    return 1 + 0.2 * (off(0, tile) + off(1, tile) + off(2, split)) + 0.1 * off(3, 2);
  };
  const double loss = planned(tiles_study(), 1500, 1, few).loss;
  RecordProperty("few", std::to_string(loss));
  EXPECT_LT(loss, 0.1);
}

TEST(DomainPlan, BeatsSizesAtRandomThatLearnNothingOfEachOther) {
  const Study study = tiles_study();
  double chosen = 0;
  double random = 0;
  for (const std::uint64_t seed : {1, 2}) {
    const Planned done = planned(study, 300, seed);
    chosen += done.loss / 2;
    random += loss_at_random(study, 300, done.tuned.size(), seed) / 2;
  }
  RecordProperty("chosen", std::to_string(chosen));
  RecordProperty("random", std::to_string(random));
  EXPECT_LT(chosen, 0.8 * random);
}

TEST(DomainPlan, NeverAsksForMoreThanItsEvaluations) {
  std::uint64_t sum = 0;
  for (const SizeMeasured& one : planned(tiles_study(), 100, 1).tuned) sum += one.evaluations;
  EXPECT_EQ(sum, 100U);
}

TEST(DomainPlan, EveryKindIsTunedFirst) {
  Study study = tiles_study();
  study.domain->kinds = {{expr("M == 16"), 1}, {expr("M == 8192"), 0.001}};
  const auto tuned = planned(study, 40, 1).tuned;
  ASSERT_GE(tuned.size(), 2U);
  EXPECT_EQ(tuned[0].size.dims[0].second, 16);
  EXPECT_EQ(tuned[1].size.dims[0].second, 8192);
}

TEST(DomainPlan, EndsWhereNothingIsToBeLost) {
  const Times all_alike = [](const Configuration&, const ProblemSize&) { return 1.0; };
  Study study = tiles_study();
  DomainPlan plan(study, h200(), 10000, 1);
  Rng rng(1);
  while (const auto step = plan.next()) plan.tell(searched(study, *step, rng, all_alike));
  EXPECT_EQ(plan.reason(), "the expected loss is 0.0 %, below 3 %");
  EXPECT_LT(plan.tuned(), 8U);
}

TEST(DomainPlan, TheSameAnswersGiveTheSameQuestions) {
  const auto sizes = [](const Planned& done) {
    std::vector<std::string> labels;
    for (const SizeMeasured& one : done.tuned) labels.push_back(one.size.label());
    return labels;
  };
  EXPECT_EQ(sizes(planned(tiles_study(), 120, 4)), sizes(planned(tiles_study(), 120, 4)));
}

TEST(DomainPlan, ASmallDomainIsTunedUntilEverythingIsKnown) {
  Study study = tiles_study();
  study.domain->extents = {{"M", 64, 64}, {"N", 64, 64}, {"K", 62, 64}};
  study.domain->kinds = {{Expression(), 1}};
  const auto tuned = planned(study, 10000, 1).tuned;
  ASSERT_EQ(tuned.size(), 3U);
  for (const SizeMeasured& one : tuned) {
    EXPECT_EQ(one.costs.size(), valid_at(study, one.size).size()) << one.size.label();
  }
}

TEST(LaunchFeatures, TilesAreReadFromTheGrid) {
  const Study study = tiles_study();
  const Configuration one{std::int64_t{32}, std::int64_t{128}, std::int64_t{4}, std::int64_t{1}};
  const Tiles tiles =
      tiles_of(study, one, h200(), ProblemSize{{{"M", 100}, {"N", 100}, {"K", 64}}});
  EXPECT_EQ(tiles.tile, (std::vector<double>{32, 128, 0}));
  EXPECT_DOUBLE_EQ(waste_of(32, 33), std::log2(64.0 / 33));
  EXPECT_DOUBLE_EQ(waste_of(32, 64), 0);
  EXPECT_DOUBLE_EQ(waste_of(0, 64), 0);
}

TEST(LaunchFeatures, TilesOfAnyExtentAreReadToTheLetter) {
  Study study = tiles_study();
  for (std::int64_t tile = 1; tile <= 1024; ++tile) {
    study.parameters[0].values = {tile};
    const Configuration one{tile, std::int64_t{16}, std::int64_t{1}, std::int64_t{1}};
    const Tiles tiles =
        tiles_of(study, one, h200(), ProblemSize{{{"M", 100}, {"N", 8192}, {"K", 64}}});
    EXPECT_EQ(tiles.tile, (std::vector<double>{static_cast<double>(tile), 16, 0}));
  }
}

TEST(LaunchFeatures, OfBlocksThatStayTheStudySaysTheWork) {
  Study study = tiles_study();
  study.launch.grid = {expr("device.multiprocessors"), {}, {}};
  const Configuration one{std::int64_t{32}, std::int64_t{128}, std::int64_t{4}, std::int64_t{1}};
  const ProblemSize size{{{"M", 100}, {"N", 100}, {"K", 64}}};
  EXPECT_EQ(tiles_of(study, one, h200(), size).tile, (std::vector<double>{0, 0, 0}));
  study.work = expr("ceil_div(M, BM) * ceil_div(N, BN) * ceil_div(K, 8)");
  EXPECT_EQ(tiles_of(study, one, h200(), size).tile, (std::vector<double>{32, 128, 8}));
  EXPECT_EQ(tiles_of_grid(study, one, h200(), size).tile, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(pieces_of(study, bindings_of(study, one, h200(), size)), 4 * 1 * 8);
}

TEST(LossModel, LearnsWhatGroupsHaveInCommon) {
  std::vector<ModelPoint> points;
  for (std::size_t group = 0; group < 6; ++group) {
    for (int x = 0; x < 8; ++x) {
      const auto at = static_cast<double>(group);
      points.push_back({{static_cast<double>(x), at}, std::abs(x - 3.0) + 0.1 * at, group});
    }
  }
  const LossModel model(points);
  EXPECT_LT(model.mean({3, 2.5}), 1);
  EXPECT_GT(model.mean({7, 2.5}), 3.5);
  EXPECT_GT(model.mean({0, 2.5}), 2);
  EXPECT_GT(model.deviation({40, 40}), 3 * model.deviation({3, 2}));
}

}  // namespace
}  // namespace tuner::test
