#pragma once
// The tuning run: plain settings in, events out; and one that says what an export loses.

#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/devices.h"
#include "tuner/bench/settings.h"
#include "tuner/deploy/tuned_table.h"
#include "tuner/run/advice.h"
#include "tuner/run/listener.h"
#include "tuner/worker/channel.h"

namespace tuner {

struct RunEnd {
  bool interrupted = false;
  // Each size has a valid configuration on each device, but for those of a domain that were only
  // begun when its time was up.
  bool all_valid = true;
};

// The strategy that the study names. What is given outlives it.
MakeStrategy strategies_of(const Settings& settings, const Catalogue& catalogue);

// How a run asks the study's sources of advice. `caller` outlives it.
AdviceAsked advice_asked(const Caller& caller);

// Tunes every size of the study on every device, of this machine and of those that are lent. Throws
// InputError for a study or settings that make no sense, UnavailableError when no device is to be
// had or one is lost, FatalError when results cannot be kept; what was measured until then is kept,
// ranked, and reported to the listener, which receives the caller's notes, too.
RunEnd tune(const Settings& settings, const Caller& caller, const RunListener& listener,
            const LentHosts& lent = {});

// Loss of an export at a size on this machine: the size is searched again beside what the export
// selects.
struct RetunedSize {
  ProblemSize size{};
  Configuration best{};  // here; empty: nothing valid was found
  // Speedup of the best over what the export has, side by side in a final where the study has one;
  // empty where the export's choice is not valid here.
  std::optional<Speedup> gain{};
};

// Whether the export is to be written anew: the best is better beyond the interval, or what the
// export has is not valid here.
bool is_lost(const RetunedSize& one);

// Tunes `size` with the budget of settings.study, what the export has in the baseline's place: it
// is measured first and again in the final. Trials are kept in settings.results as those of
// any run, and ranked there as the study says. `exported` is empty where it is not valid here.
// Throws as tune() does.
RetunedSize retune(const Settings& settings, const ProblemSize& size, const Configuration& exported,
                   const Caller& caller);

// "NVIDIA H200 M1024_N1024" for each entry of the table that these results have not.
std::vector<std::string> entries_beyond(const TunedTable& table,
                                        const std::vector<RankedResults>& results);

}  // namespace tuner
