// Has the request of a draft say how far launches of the captured kernel differ.

#include "tuner/commands/draft_own_launches.h"

#include <algorithm>

#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"
#include "tuner/commands/time_limit.h"
#include "tuner/trust/own_launches.h"

namespace tuner {
namespace {

// Adds what one size shows: the farthest counts, and every size has to have room.
void add(const OwnLaunches& launches, DraftRequest& request) {
  for (const OwnDistance& one : launches.outputs) {
    DraftedDistance& all =
        request.distances.try_emplace(one.output, DraftedDistance{0, true}).first->second;
    all.largest = std::max(all.largest, one.largest);
    all.has_room = all.has_room && one.has_room;
  }
  if (request.differs.empty()) request.differs = launches.elsewhere;
}

}  // namespace

void compare_own_launches(const DraftText& draft, const TrialSetup& setup, DraftRequest& request) {
  const auto ignore = [](const std::string&) {};
  const TimeLimit limit(2 * setup.timeout);
  try {
    const Study study = checked_study(study_of_text(draft.file, draft.yaml), {}, ignore);
    const Caller caller{{executable_path(), setup.plugin_dirs}, setup.catalogue, limit, ignore};
    for (const CapturedSize& one : study.captured) {
      if (!one.launch.is_replayable()) {
        throw UnavailableError("launches of the backend '" + one.launch.backend +
                               "' are not replayed");
      }
      add(compare_own_launches(study, one, kTimesFarther, 0, setup.timeout, caller), request);
      ++request.compared;
      request.not_compared.clear();
    }
  } catch (const std::exception& error) {
    if (limit.is_interrupted()) throw;
    if (request.compared > 0) return;  // what is known of the sizes before is taken
    const std::string said = error.what();
    request.not_compared = limit.is_over() ? "it takes too long" : said.substr(0, said.find('\n'));
  }
}

}  // namespace tuner
