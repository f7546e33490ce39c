// The ranking as the terminal shows it.

#include "tuner/files/ranked_table.h"

#include <gtest/gtest.h>

#include "tests/unit/deploy/ranked_rows.h"
#include "tuner/files/ranked_csv.h"

namespace tuner {
namespace {

TEST(RankedTable, ShowsTheBestWhatTheyShareAndTheStates) {
  EXPECT_EQ(ranked_table(ranked_rows(), kNames),
            "rank     time ms         gflops  BM\n"
            "   1  =      0.5  ±1.0%       4  64\n"
            "   2  =   0.5012  ±1.0%    3.99  32\n"
            "all of these: SHARED=static\n"
            "3 trials: 2 ok, 1 compile\n");
}

TEST(RankedTable, SaysWhichFiguresAreTheFinals) {
  EXPECT_EQ(ranked_table(with_final(), kNames),
            "rank     time ms         by      gflops  BM\n"
            "   1  =     0.55  ±1.8%  final      3.6  64\n"
            "   2  =   0.5012  ±1.0%  search    3.99  32\n"
            "all of these: SHARED=static\n"
            "3 trials: 2 ok, 1 compile\n");
}

TEST(RankedTable, TheBestRowIsInTheColourOfWhatIsGood) {
  const Colours colours("always", stdout);
  EXPECT_EQ(ranked_table(ranked_rows(), kNames, 10, colours),
            "rank     time ms         gflops  BM\n"
            "\x1b[32m   1  =      0.5  ±1.0%       4  64\x1b[0m\n"
            "   2  =   0.5012  ±1.0%    3.99  32\n"
            "all of these: SHARED=static\n"
            "3 trials: 2 ok, 1 compile\n");
}

TEST(RankedTable, ShowsAllOfTheFrontHoweverSlow) {
  RankedResults results = ranked_rows();
  results.trials.insert(results.trials.begin() + 2, valid_trial(16, "static", 4));
  results.ranked = 3;
  results.front = {true, false, true};
  EXPECT_EQ(ranked_table(results, kNames, 1),
            "rank      time ms         gflops  BM\n"
            "   1  =*      0.5  ±1.0%       4  64\n"
            "   3  *         4  ±1.0%     0.5  16\n"
            "* on the front: no other is as good in every objective\n"
            "all of these: SHARED=static\n"
            "4 trials: 3 ok, 1 compile\n");
  const std::string csv = ranked_csv(results, kNames);
  EXPECT_NE(csv.find(",gflops,front,tie,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",3.990025,false,true,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",0.5,true,false,"), std::string::npos) << csv;
}

TEST(RankedTable, ShowsAllParametersOfASingleBest) {
  EXPECT_EQ(ranked_table(ranked_rows(), kNames, 1),
            "rank     time ms         gflops  BM  SHARED\n"
            "   1  =      0.5  ±1.0%       4  64  static\n"
            "3 trials: 2 ok, 1 compile\n");
}

TEST(RankedTable, MarksWhatWasDroppedAndSaysNothingOfTheIntervalOfOneSample) {
  RankedResults results = ranked_rows();
  Trial& dropped = results.trials[1];
  dropped.state = TrialState::kDropped;
  dropped.timing = {{0.25}, 0.25, 0.25, 0.25, 0.25};
  results.tied.clear();
  EXPECT_EQ(ranked_table(results, kNames),
            "rank     time ms         gflops  BM\n"
            "   1         0.5  ±1.0%       4  64\n"
            "   2  d     0.25           3.99  32\n"
            "d dropped: timed briefly, as clearly slower than the best; ranked behind all others\n"
            "all of these: SHARED=static\n"
            "3 trials: 1 ok, 1 compile, 1 dropped\n");
}

TEST(RankedTable, OfAnImportWithoutTimesTheTimeIsBlank) {
  RankedResults results = ranked_rows();
  for (Trial& trial : results.trials) trial.timing = {};
  EXPECT_EQ(ranked_table(results, kNames),
            "rank     time ms    gflops  BM\n"
            "   1  =                  4  64\n"
            "   2  =               3.99  32\n"
            "all of these: SHARED=static\n"
            "3 trials: 2 ok, 1 compile\n");
}

TEST(RankedTable, AnIntervalIsSaidOnlyWhereItsEndsAreNotTheSame) {
  RankedResults results = ranked_rows();
  const auto line = [&](Speedup over) {
    results.baseline = BaselineResult{results.trials[1].configuration, 1, {over}};
    const std::string table = ranked_table(results, kNames);
    const std::size_t at = table.find("speed-up over");
    return table.substr(at, table.find('\n', at) - at);
  };
  EXPECT_EQ(
      line({1.3, 1.297, 1.304, true}),
      "speed-up over the baseline (BM=32 SHARED=static; rank 2): 1.3, 1.297 to 1.304, measured "
      "in turns");
  EXPECT_EQ(line({1.3, 1.3, 1.3, false}),
            "speed-up over the baseline (BM=32 SHARED=static; rank 2): 1.3");
}

TEST(RankedTable, SaysWhatNobodyVerified) {
  RankedResults results = ranked_rows();
  results.unverified = "";
  EXPECT_EQ(ranked_table(results, kNames).find("not verified"), std::string::npos);
  results.unverified = "nothing verifies 'y'";
  EXPECT_NE(ranked_table(results, kNames).find("not verified: nothing verifies 'y'; wrong answers"),
            std::string::npos);
}

TEST(RankedTable, TextCannotTearItApart) {
  RankedResults results = ranked_rows();
  results.trials[0].configuration[1] = "\x1b[31mred\ntwo";
  const std::string table = ranked_table(results, kNames);
  EXPECT_NE(table.find(" [31mred two"), std::string::npos) << table;
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

TEST(RankedTable, SaysWhenNothingIsValid) {
  RankedResults results = ranked_rows();
  results.trials.erase(results.trials.begin(), results.trials.begin() + 2);
  results.ranked = 0;
  EXPECT_EQ(ranked_table(results, kNames), "nothing valid was found\n1 trial: 1 compile\n");
}

}  // namespace
}  // namespace tuner
