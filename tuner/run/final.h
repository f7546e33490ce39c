#pragma once
// The final of one size: the best few measured again, interleaved; and how the seconds of a size's
// budget are shared between its search and its final.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/ports/evaluator.h"
#include "tuner/search/ranking.h"

namespace tuner {

// Whether a final says anything for this study at this size: two finalists are wanted at least, and
// what is faster is better.
bool finals_make_sense(const Study& study, const ProblemSize& size, const DeviceFacts& device);

// Positions in `trials` of those who would take part in a final that is due, best first; empty when
// none is: it would make no sense, there are too few, or an earlier one of theirs stands.
std::vector<std::size_t> finalists_due(const Study& study, const ProblemSize& size,
                                       const DeviceFacts& device, const std::vector<Trial>& trials);
// Selects at most `most` of them besides the baseline, where the study would have more.
std::vector<std::size_t> finalists_due(const Study& study, const ProblemSize& size,
                                       const DeviceFacts& device, const std::vector<Trial>& trials,
                                       std::size_t most);

// How long a final will take, as far as the search can tell.
class FinalEstimate {
 public:
  explicit FinalEstimate(const MeasureSpec& measure);
  void hear(const Trial& trial);
  // With all its rounds; 0 until there are two to take part.
  double seconds() const;
  // With the fewest rounds that say anything.
  double fewest_seconds() const;
  // How many could take part with the fewest rounds in that time.
  std::size_t room(double seconds) const;

 private:
  double around_rounds() const;
  double one_round() const;
  double finalists() const;

  std::size_t most_;
  std::size_t valid_ = 0;
  double device_seconds_ = 0;    // of all valid ones
  std::vector<double> best_ms_;  // no more than can take part, sorted
};

struct HeldFinal {
  FinalRound round;           // without finalists when it could not be held
  std::vector<Trial> failed;  // those that failed now
};

// Measures the trials at `chosen` again in turns, in orders that follow from `seed`, in as many
// rounds as fit into `seconds`. Those that fail now are replaced in `trials`, too.
HeldFinal hold_final(SizeEvaluator& evaluator, std::uint64_t seed, double seconds,
                     const std::vector<std::size_t>& chosen, std::vector<Trial>& trials);

// The best of a ranking and the second, measured in turns on another device than the final was.
struct FinalCheck {
  DeviceId device{};
  double ratio = 1;  // the best's time there over its time in the final
  double lead = 1;   // the second's time over the best's, there
};

// Empty where there is no other device, no final to check, or no time left.
std::optional<FinalCheck> check_final(SizeEvaluator& evaluator, std::uint64_t seed, double seconds,
                                      const RankedResults& results);
// For the user.
std::string text_of(const FinalCheck& check);

// Stores the final's figures in the trials, beside the search's, so that the ranking can be
// repeated from the store. Returns the finalists. Those that ran faster than the device can are
// suspects, and leave the round.
std::vector<Trial> take_over(FinalRound& round, const Study& study, const SearchSpace& space,
                             const Ceilings& ceilings, std::vector<Trial>& trials);

// Returns when a final must be done, for a size that may take so many seconds; without a limit
// nothing ends.
double end_of_final(std::optional<double> seconds);
// Returns the seconds that a search must leave for the final, of the size's `seconds`. A final gets
// all its rounds if they are a small part of the budget, the fewest if they are a larger one, and
// no time at all if even these are too many.
double reserve(std::optional<double> seconds, const FinalEstimate& final, bool has_final);

}  // namespace tuner
