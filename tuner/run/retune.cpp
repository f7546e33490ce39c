// Runs a search of one size whose baseline is what an export selects.

#include "tuner/run/retune.h"

#include <algorithm>
#include <utility>

#include "tuner/results/ranked_files.h"
#include "tuner/run/device_run.h"
#include "tuner/run/stored_results.h"

namespace tuner {
namespace {

// The export stood in for the study's own baseline, in the store and in the CSV file.
void rank_as_the_study_says(const Study& study, const ProblemSize& size,
                            const std::filesystem::path& results, const std::string& written_for) {
  Store store = Store::open(results);
  for (const StoredContext& one : store.contexts(study.kernel.name)) {
    if (one.key.size == size) {
      trials_for_run(store, one.context, study, one.key.device, one.key.size);
    }
  }
  for (const StoredResults& one : newest_of_each(stored_results(store, &study, {}))) {
    if (one.ranked.device.name != written_for || one.ranked.size != size) continue;
    write_ranked_csv(results, study.kernel.name, one.ranked, one.parameters);
  }
}

}  // namespace

bool is_lost(const RetunedSize& one) {
  return !one.best.empty() && (!one.gain || one.gain->low > 1);
}

RetunedSize retune(const RunSettings& settings, const ProblemSize& size,
                   const Configuration& exported, const Caller& caller) {
  RetunedSize out{size};
  RunSettings alone = settings;
  alone.study.sizes = {size};
  alone.study.domain.reset();
  alone.study.baseline.reset();
  if (!exported.empty()) alone.study.baseline = BaselineSpec{exported, {}};
  std::string written_for;  // the device whose ranking was written; empty: of none
  // Progress of so short a search is of no interest.
  const RunListener listener([&](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::kNote) caller.note(std::string(event.text));
    if (event.kind != RunEvent::Kind::kRanked) return;
    const RankedResults& results = event.outcome->results;
    if (!event.outcome->csv_path.empty()) written_for = results.device.name;
    if (results.ranked == 0) return;
    out.best = results.trials.front().configuration;
    if (results.baseline && !results.baseline->speedups.empty()) {
      out.gain = results.baseline->speedups.front();
    }
  });
  tune(alone, caller, listener);
  rank_as_the_study_says(settings.study, size, settings.search.results, written_for);
  return out;
}

std::vector<std::string> entries_beyond(const TunedTable& table,
                                        const std::vector<RankedResults>& results) {
  std::vector<std::string> out;
  for (const TunedEntry& entry : table.entries) {
    const DeviceFacts& device = table.devices[entry.device];
    const bool known = std::ranges::any_of(results, [&](const RankedResults& one) {
      return one.ranked > 0 && one.device.name == device.name && one.size == entry.size;
    });
    if (!known) out.push_back(device.name + " " + entry.size.label());
  }
  return out;
}

}  // namespace tuner
