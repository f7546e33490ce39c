#pragma once
// Who won, and by how much: over the configuration that the user has now, and over the others.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

std::optional<Configuration> baseline_of(const Study& study);

// How many times as good as `baseline` a trial is, both valid: by the final where both took part in
// it, else by what the search measured.
Speedup speedup_over(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial,
                     double confidence);

// The finalists' interleaved re-measurement; meaningful where faster_is_better().
struct FinalRound {
  std::vector<ConfigIndex> finalists;
  std::vector<std::vector<double>> milliseconds;  // [finalist][round]
};

// Positions in `trials` of those worth re-measuring: the best `count` that are kOk, not outdated
// and within 10 % of the best, best first; behind them the baseline, however slow it is. Fewer than
// two are no final: empty.
std::vector<std::size_t> choose_finalists(
    const ObjectiveSpec& objective, const std::vector<Trial>& trials, std::size_t count,
    const std::optional<Configuration>& baseline = std::nullopt);

// The last final that the trials tell of, when it still stands: every trial that
// would be chosen for a final of that size took part in it. Empty when there was none, or when it
// was about others: of a part of the space only (--where), or before better ones were found.
std::optional<FinalRound> standing_final(
    const ObjectiveSpec& objective, const std::vector<Trial>& trials,
    const std::optional<Configuration>& baseline = std::nullopt);

// Orders `trials` and says which are tied with the best. Valid ones by objective, kDropped after
// kOk; then, not ranked any more, outdated ones and failures by state. What is equal goes by its
// values: the order in which trials come says nothing. Finalists come before all others, ordered by
// the median of their paired ratios to the fastest finalist. Of those less than `simpler_within`
// behind the fastest the simplest goes first, so that repeated runs name the same winner: fewest
// registers, then least shared memory, then the smallest configuration; but unless that one is
// better than the baseline beyond the interval, the baseline does. A baseline that took part in the
// final without being within 10 % of the best is ranked by what the search measured. `tied`: the
// first and what cannot be told from it, by the interval of the paired ratio in the final, without
// one by intervals that touch; all false where it is alone. `front` is of all objectives. What an
// earlier final found of others than `final_round`'s is not shown. Other fields are the caller's.
RankedResults rank(const ObjectiveSpec& objective, std::vector<Trial> trials,
                   const std::optional<FinalRound>& final_round = std::nullopt,
                   const MeasureSpec& measure = {},
                   const std::optional<Configuration>& baseline = std::nullopt);

// Returns the value to write for a valid trial where figures alone decide who is best, as in files
// of other tuners: its own, unless that is as good as the value of the best-ranked one, which a
// final or its simplicity has put before it; then the next worse number.
double beside_best(const ObjectiveSpec& objective, double best, double own);

// Returns how much a valid trial loses against the first of these results: 0.05 = 5 % slower, 0 at
// least. It goes by the final where both took part in it, else by the search. A file may hold only
// the winner's figure in the final: then another's loss is at least that of the finalists, and at
// least its loss in the search against the fastest that the file knows of the search.
double loss_of(const Study& study, const RankedResults& results, const Trial& trial);

// How far the best of the first n trials was from the best of all, for each n, by the search: 0.05
// = 5 % slower. Nothing where none of the first n is right, or there are none. `in_order`: as they
// came. What is outdated counts as a question without an answer.
std::vector<std::optional<double>> losses_after(const ObjectiveSpec& objective,
                                                const std::vector<Trial>& in_order,
                                                const std::vector<std::size_t>& counts);

}  // namespace tuner
