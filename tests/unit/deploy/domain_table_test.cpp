// Exports of a domain: which rule answers for sizes that were not tuned.

#include "tuner/deploy/domain_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "tests/unit/deploy/compiled.h"
#include "tests/unit/deploy/sample_study.h"
#include "tuner/deploy/header.h"
#include "tuner/deploy/predictor_fit.h"
#include "tuner/deploy/selection.h"
#include "tuner/deploy/table_text.h"
#include "tuner/model/size_sampler.h"

namespace tuner {
namespace {

Study domain_study() {
  Study study = sample_study();
  study.domain = SizeDomain{{{"M", 16, 8192}, {"N", 16, 8192}}, {{Expression(), 1}}};
  return study;
}

// Tiles of 16, 32 or 128 rows: large ones are faster for each row and waste more; vectors halve
// what a row takes.
double milliseconds(const Configuration& one, const ProblemSize& size) {
  const auto tile = static_cast<double>(std::get<std::int64_t>(one[0]));
  const auto vec = static_cast<double>(std::get<std::int64_t>(one[1]));
  const auto m = static_cast<double>(size.dims[0].second);
  const auto n = static_cast<double>(size.dims[1].second);
  return std::ceil(m / tile) * (20 + tile * n / 1000 * (vec == 1 ? 1.5 : 1)) / 1000;
}

std::vector<RankedResults> results_at(const Study& study, const std::vector<ProblemSize>& sizes) {
  std::vector<RankedResults> results;
  const DeviceFacts device = sample_device("NVIDIA H200", 90);
  for (const ProblemSize& size : sizes) {
    std::vector<Trial> trials;
    for (const std::int64_t tile : {16, 32, 128}) {
      for (const std::int64_t vec : {1, 4}) {
        const auto one = sample_configuration(tile, vec, "dynamic", false);
        if (!may_launch(study, one, device, size)) continue;
        trials.push_back(sample_trial(one, milliseconds(one, size)));
      }
    }
    std::ranges::sort(trials, {}, [](const Trial& trial) { return trial.timing.median; });
    results.push_back(sample_result(device, size.dims[0].second, size.dims[1].second, trials));
  }
  return results;
}

std::vector<RankedResults> many_results(const Study& study) {
  return results_at(study, distinct_sizes(*study.domain, 24, 3));
}

TEST(DomainTable, TheRuleThatLosesLeastIsExported) {
  const Study study = domain_study();
  const auto results = many_results(study);
  Learning learning(study, results);
  const RuleComparison compared = compare_rules(study, learning, {});
  EXPECT_EQ(compared.sizes.size(), 24U);
  EXPECT_EQ(compared.best, SelectionRule::kLearned);
  const auto loss = [&](SelectionRule rule) {
    return compared.rules[static_cast<std::size_t>(rule)].expected;
  };
  EXPECT_LT(loss(SelectionRule::kLearned), 0.8 * loss(SelectionRule::kNearest));
  EXPECT_LT(loss(SelectionRule::kLearned), 0.1);
  const TunedTable table = exported_table(study, many_results(study), {});
  ASSERT_TRUE(table.learned);
  EXPECT_EQ(table.rule.rfind("learned predictors: expected loss ", 0), 0U) << table.rule;
}

// Ten blocks take tile after tile of BM rows.
Study persistent_study() {
  Study study = domain_study();
  study.launch.grid = {Expression::parse_or_throw("device.multiprocessors // 9"), {}, {}};
  return study;
}

std::vector<RankedResults> persistent_results(const Study& study) {
  std::vector<RankedResults> results = many_results(study);
  for (RankedResults& one : results) {
    for (Trial& trial : one.trials) {
      const auto tile = static_cast<double>(std::get<std::int64_t>(trial.configuration[0]));
      const double turns =
          std::ceil(std::ceil(static_cast<double>(one.size.dims[0].second) / tile) / 10);
      trial =
          sample_trial(trial.configuration,
                       turns * (20 + tile * static_cast<double>(one.size.dims[1].second) / 1000));
      trial.occupancy = 0.5;
    }
    std::ranges::sort(one.trials, {}, [](const Trial& trial) { return trial.timing.median; });
  }
  return results;
}

TEST(DomainTable, WhatBlocksShareOutIsLearnedWhereTheStudySaysIt) {
  Study study = persistent_study();
  const auto results = persistent_results(study);
  const auto loss = [&] {
    Learning learning(study, results);
    return compare_rules(study, learning, {})
        .rules[static_cast<std::size_t>(SelectionRule::kLearned)]
        .expected;
  };
  const double unknown = loss();
  study.work = Expression::parse_or_throw("ceil_div(M, BM)");
  EXPECT_LT(loss(), 0.5 * unknown);
  EXPECT_LT(loss(), 0.05);
  const LearnedSelector learned = exported_table(study, results, {}).learned.value();
  EXPECT_EQ(learned.predictors[0].pieces.count, 1);
  EXPECT_EQ(learned.predictors[0].pieces.tiles[1], 0);
  EXPECT_EQ(learned.predictors[0].blocks.count, 10);
  EXPECT_EQ(learned.predictors[0].blocks.tiles, (std::vector<std::int64_t>{0, 0}));
}

TEST(DomainTable, WhatIsExpectedIsWhatSizesThatNobodyTunedLose) {
  const Study study = domain_study();
  const auto results = many_results(study);
  const TunedTable table = exported_table(study, results, {});
  double sum = 0;
  const auto others = results_at(study, distinct_sizes(*study.domain, 60, 77));
  for (const RankedResults& one : others) {
    const Selection chosen = select(study, table, one.device, one.size);
    ASSERT_NE(chosen.how, Match::kUnsupported) << one.size.label();
    sum += milliseconds(table.configurations[chosen.configuration], one.size) /
               one.trials.front().timing.median -
           1;
  }
  EXPECT_LT(sum / 60, 0.1);
}

// The same answers from the tuner and from the compiled header, within the domain and beyond it.
void expect_the_same_answers(const Study& study, const std::vector<RankedResults>& results) {
  const TunedTable table = exported_table(study, results, {});
  std::vector<ProblemSize> sizes = distinct_sizes(*study.domain, 150, 5);
  sizes.push_back(results.front().size);
  sizes.push_back({{{"M", 100000}, {"N", 64}}});
  sizes.push_back({{{"M", 1}, {"N", 1}}});
  std::string asked;
  for (const ProblemSize& size : sizes) {
    asked += fmt::format("{{{}, {}}},", size.dims[0].second, size.dims[1].second);
  }
  const HeaderFolder folder(export_header(study, results));
  const auto out = folder.run_program(R"(#include "tuned.h"
#include <cstdio>
using namespace matmul_tuned;
static_assert(best<90, 100, 100>.how == match::predicted, "at compile time");
static_assert(select(devices[0], {100, 100}).how == match::predicted, "at compile time");
static const dims all[] = {)" + asked +
                                      R"(};
int main() {
  device other = devices[0];
  other.name = "another";
  for (const dims& d : all) {
    const selection s = select(devices[0], d);
    const selection o = select(other, d);
    std::printf("%d %d %d %d %d\n", s.config_id, static_cast<int>(s.how), s.entry_index,
                o.config_id, static_cast<int>(o.how));
  }
})");
  ASSERT_EQ(out.status, 0) << out.text.substr(0, 2000);
  std::istringstream lines(out.text);
  DeviceFacts other = table.devices[0];
  other.name = "another";
  std::vector<int> seen(6);
  for (const ProblemSize& size : sizes) {
    std::string emitted;
    std::getline(lines, emitted);
    const Selection mine = select(study, table, table.devices[0], size);
    const Selection there = select(study, table, other, size);
    EXPECT_EQ(fmt::format("{} {} {} {} {}", mine.configuration, static_cast<int>(mine.how),
                          mine.entry ? static_cast<int>(*mine.entry) : -1, there.configuration,
                          static_cast<int>(there.how)),
              emitted)
        << size.label();
    ++seen[static_cast<std::size_t>(mine.how)];
  }
  EXPECT_GT(seen[static_cast<std::size_t>(Match::kPredicted)], 100);
  EXPECT_GE(seen[static_cast<std::size_t>(Match::kExact)], 1);
  EXPECT_GE(seen[static_cast<std::size_t>(Match::kNearSize)], 1);
}

TEST(DomainTable, TheHeaderAnswersAsTheTunerDoes) {
  const Study study = domain_study();
  expect_the_same_answers(study, many_results(study));
}

TEST(DomainTable, TheHeaderAnswersAsTheTunerDoesOfBlocksThatStay) {
  Study study = persistent_study();
  study.work = Expression::parse_or_throw("ceil_div(M, BM)");
  expect_the_same_answers(study, persistent_results(study));
}

// Of a rule in which no two configurations of the table differ.
TEST(DomainTable, ASizeThatBreaksItsOwnRuleIsUnsupported) {
  Study study = domain_study();
  study.constraints.push_back(Expression::parse_or_throw("M % 2 == 0 or SCALE != 0.5"));
  std::vector<RankedResults> results;
  for (RankedResults& one : results_at(study, distinct_sizes(*study.domain, 160, 77))) {
    if (one.size.dims[0].second % 2 == 0) results.push_back(std::move(one));
  }
  const std::string header = export_header(study, results);
  EXPECT_NE(header.find("rules_of_the_size(detail::names(configs[0], d, v))"), std::string::npos);
  const TunedTable table = exported_table(study, results, {});
  const ProblemSize odd{{{"M", 101}, {"N", 100}}};
  EXPECT_EQ(select(study, table, table.devices[0], odd).how, Match::kUnsupported);
  const HeaderFolder folder(header);
  const auto out = folder.run_program(R"(#include "tuned.h"
using namespace matmul_tuned;
static_assert(select(devices[0], {101, 100}).how == match::unsupported, "odd");
static_assert(select(devices[0], {102, 100}).how == match::predicted, "even");
static_assert(!valid(configs[0], {101, 100}, devices[0]), "odd");
static_assert(valid(configs[0], {102, 100}, devices[0]), "even");
int main() {}
)");
  EXPECT_EQ(out.status, 0) << out.text.substr(0, 2000);
}

// Rows of odd lengths and rows of whole lines, in turn.
std::vector<ProblemSize> uneven_and_even_sizes(const Study& study, std::size_t count, int seed) {
  std::vector<ProblemSize> sizes = distinct_sizes(*study.domain, count, seed);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::int64_t& n = sizes[i].dims[1].second;
    n = i % 2 == 0 ? n | 1 : (n + 63) / 64 * 64;
  }
  return sizes;
}

TEST(DomainTable, PredictorsKnowWhereRowsBeginWithinLines) {
  const Study study = domain_study();
  const DeviceFacts device = sample_device("NVIDIA H200", 90);
  const Configuration for_lines = sample_configuration(32, 1, "static", false);
  const Configuration for_any = sample_configuration(32, 1, "dynamic", false);
  std::vector<RankedResults> results;
  for (const ProblemSize& size : uneven_and_even_sizes(study, 40, 5)) {
    const auto [m, n] = std::pair(size.dims[0].second, size.dims[1].second);
    const auto work = static_cast<double>((m + 31) / 32 * 32 * n) / 1e6;
    std::vector<Trial> trials{sample_trial(for_lines, work * (n % 64 == 0 ? 0.7 : 1.4)),
                              sample_trial(for_any, work)};
    std::ranges::sort(trials, {}, [](const Trial& trial) { return trial.timing.median; });
    results.push_back(sample_result(device, m, n, trials));
  }
  const TunedTable table = exported_table(study, results, {});
  ASSERT_TRUE(table.learned);
  for (const ProblemSize& size : uneven_and_even_sizes(study, 100, 6)) {
    const Selection chosen = select(study, table, device, size);
    EXPECT_EQ(table.configurations[chosen.configuration],
              size.dims[1].second % 64 == 0 ? for_lines : for_any)
        << size.label();
  }
}

// Five measurements do not tell six parts apart, however well they look.
TEST(DomainTable, OfFewMeasurementsThereIsNoPredictor) {
  const Study study = domain_study();
  std::vector<RankedResults> results = results_at(study, distinct_sizes(*study.domain, 160, 77));
  const Configuration scarce = sample_configuration(128, 4, "dynamic", false);
  const auto predictors_of_scarce = [&] {
    const TableMaker maker(study, results);
    const TunedTable table = maker.table({});
    const LearnedSelector learned = PredictorFit(study, maker.results()).learned(table);
    EXPECT_GT(learned.predictors.size(), 1U);
    return std::ranges::count_if(learned.predictors, [&](const Predictor& one) {
      return table.configurations[one.configuration] == scarce;
    });
  };
  EXPECT_EQ(predictors_of_scarce(), 1);
  std::size_t kept = 0;
  for (RankedResults& one : results) {
    std::erase_if(one.trials, [&](const Trial& trial) {
      return trial.configuration == scarce && one.trials.size() > 1 && kept++ >= 5;
    });
  }
  EXPECT_EQ(predictors_of_scarce(), 0);
}

TEST(DomainTable, IsReadBackFromTheFile) {
  const Study study = domain_study();
  const auto results = many_results(study);
  const TunedTable table = exported_table(study, results, {});
  const ExportedTable back = read_table_comment(export_header(study, results), "x.h");
  ASSERT_TRUE(back.table.learned);
  for (const ProblemSize& size : distinct_sizes(*study.domain, 50, 6)) {
    EXPECT_EQ(select(study, back.table, table.devices[0], size).configuration,
              select(study, table, table.devices[0], size).configuration);
  }
  std::string wrong = export_header(study, results);
  wrong.replace(wrong.find("\"resident\":1"), 12, "\"resident\":0");
  EXPECT_THROW(read_table_comment(wrong, "x.h"), InputError);
  // Before predictors had a part for each dimension.
  std::string earlier = export_header(study, results);
  const auto parts = earlier.find("\"coefficients\":[");
  const auto last = earlier.rfind(',', earlier.find(']', parts));
  earlier.erase(last, earlier.find(']', parts) - last);
  try {
    read_table_comment(earlier, "x.h");
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("export it again"), std::string::npos) << error.what();
  }
}

TEST(DomainTable, TooFewSizesAreAnsweredByTheNearest) {
  const Study study = domain_study();
  const TunedTable table =
      exported_table(study, results_at(study, distinct_sizes(*study.domain, 3, 3)), {});
  EXPECT_FALSE(table.learned);
  EXPECT_EQ(table.rule, "nearest size: too few sizes were tuned to compare rules");
}

TEST(DomainTable, WhatMayBeLostEverywhereLeavesFewerConfigurations) {
  const Study study = domain_study();
  const auto used = [&](double within) {
    TableOptions options;
    options.within = within;
    std::set<std::size_t> out;
    for (const TunedEntry& entry : exported_table(study, many_results(study), options).entries) {
      EXPECT_LE(entry.slowdown, 1 + (within > 0 ? within : 1e9));
      out.insert(entry.configuration);
    }
    return out.size();
  };
  EXPECT_GT(used(0), 1U);
  EXPECT_EQ(used(10), 1U);
}

TEST(DomainTable, AListIsExportedAsItWas) {
  Study study = domain_study();
  const auto results = many_results(study);
  study.domain.reset();
  std::string header = export_header(study, results);
  for (const std::string name :
       {"TUNER_COUNT_ASKED", "TUNER_ASKED"}) {  // a user's, nothing unfilled
    for (auto at = header.find(name); at != std::string::npos; at = header.find(name)) {
      header.erase(at, name.size());
    }
  }
  for (const char* word : {"predict", "domain", "TUNER_"}) {
    EXPECT_EQ(header.find(word), std::string::npos) << word;
  }
}

TEST(DomainTable, TheReportSaysWhatIsExpectedWhereNobodyTuned) {
  const Study study = domain_study();
  const std::string text = domain_report(study, many_results(study), {}, 20);
  EXPECT_NE(text.find("learned predictors: expected loss "), std::string::npos) << text;
  EXPECT_NE(text.find("; nearest size "), std::string::npos) << text;
  EXPECT_NE(text.find(": predicted, "), std::string::npos) << text;
}

}  // namespace
}  // namespace tuner
