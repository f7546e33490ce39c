#pragma once
// Tunes problem sizes on one device, each from the search space to the ranked CSV.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/settings.h"
#include "tuner/history/size_history.h"
#include "tuner/ports/evaluator.h"
#include "tuner/ports/exporter.h"
#include "tuner/run/advice.h"
#include "tuner/run/listener.h"
#include "tuner/run/usage.h"
#include "tuner/search/ranking.h"
#include "tuner/search/tuning_loop.h"

namespace tuner {

// Overrides for the search of one size.
struct SizeOptions {
  std::vector<Configuration>
      first{};                     // are measured before the strategy asks; where they are valid
  std::optional<Budget> budget{};  // instead of the study's
  double spent = 0;   // of the budget's seconds, before this: a device had to be opened
  bool final = true;  // whether one is held at the end, if it is due
};

struct SizeOutcome {
  RankedResults results;
  std::string csv_path;      // empty: there was nothing to write
  std::size_t searched = 0;  // trials of this search, those that the store answered among them
  std::size_t measured = 0;  // of these, trials that were not in the store
  bool any_valid = false;    // of the space that was searched; the ranking may hold more
  bool only_begun = false;   // the domain's time was up before it had a right variant
  bool compared = false;     // stored results with the device as it is in this run
  bool interrupted = false;
  bool out_of_time = false;                  // the seconds were over before the first trial
  double seconds = 0;                        // that search and final took
  std::optional<Utilization> utilization{};  // how these were used; empty when nothing was run
  std::vector<DeviceShare> devices{};        // that measured
  std::string lost;         // why there is no device any more; empty when there is one
  bool store_gone = false;  // somebody removed the database: what was measured is in the CSV only
};

class DeviceRun {
 public:
  // All that is taken by reference outlives this. `interrupted` says whether the user wants the
  // end.
  DeviceRun(const Settings& settings, const MakeStrategy& make_strategy, std::string reference_text,
            const History& history, MeasuringDevice& device, RunListener listener,
            std::function<bool()> interrupted, AdviceAsked advice = {});

  // Searches a size. Throws InputError when the study makes no sense at this size, on this device.
  SizeOutcome tune(const ProblemSize& size, const SizeOptions& options = {});

  // Measures given configurations, in their order, instead of a search, and the final that is due,
  // in so many seconds; those that are not of the size's space are passed over. Everything that is
  // known of the size is ranked anew. `what` names them for the user; `compared`: what
  // is stored was compared with the device already.
  SizeOutcome measure(const ProblemSize& size, const std::vector<Configuration>& configurations,
                      const std::string& what, bool compared,
                      std::optional<double> seconds = std::nullopt);

  const Study& study() const { return study_; }
  const History& history() const { return history_; }
  const DeviceFacts& facts() const { return facts_; }
  const RunListener& listener() const { return listener_; }
  bool is_interrupted() const { return interrupted_(); }

 private:
  struct Search;
  struct SizeSearch;

  SearchSpace build_space(const ProblemSize& size) const;
  std::vector<Prior> warm_start(const ContextKey& key, const SearchSpace& space) const;
  SizeTask task(const SearchSpace& space, const ProblemSize& size, SizeHistory& history) const;
  std::vector<ConfigIndex> baseline_in(const SearchSpace& space) const;
  void take_advice(const SearchSpace& space, const ProblemSize& size, Search& search);
  SizeOutcome run(const SearchSpace& space, const ProblemSize& size, Search search);
  bool compare_with_stored(SizeSearch& current);
  LoopResult ask(SizeSearch& current, const LoopCallbacks& callbacks);
  LoopResult resume(SizeSearch& current, LoopCallbacks callbacks);
  void search(SizeSearch& current);
  void take_trial(SizeSearch& current, Trial trial);
  void note_end(const SizeSearch& current, const LoopResult& loop);
  std::optional<FinalRound> final_of(SizeSearch& current);
  std::optional<FinalRound> held_final(SizeSearch& current, std::vector<std::size_t> due);
  void rank_all(SizeSearch& current, const std::optional<FinalRound>& round);
  void check_elsewhere(SizeSearch& current);
  void count_finalists(SizeSearch& current);
  SizeOutcome write(SizeSearch& current);

  const Settings& settings_;
  const Study& study_;
  const MakeStrategy& make_strategy_;
  std::string reference_text_;
  const History& history_;
  MeasuringDevice& device_;
  RunListener listener_;
  std::function<bool()> interrupted_;
  DeviceFacts facts_;
  Advisers advisers_;
};

// `outcomes`: what this run has found on the device, one for each size. The winner of each of them,
// and of the store's other current sizes of the study on this device, is measured wherever it is
// valid and was not measured yet: an ordinary trial, but beyond the budget. A size that it changes
// is ranked anew, with a final where the old one does not stand; if that makes another
// configuration the winner, that one is tried too. Returns the positions of the outcomes that were
// replaced. Stops at an interruption, or when the device is lost (SizeOutcome::lost).
std::vector<std::size_t> cross_sizes(DeviceRun& run, std::vector<SizeOutcome>& outcomes);

// The study of `run` has a domain; its budget is that of all sizes together, but for target and
// patience, which are each size's. `begin`: when its seconds began. What was measured is in the
// store as ordinary trials of ordinary sizes; `conclude` receives each size's outcome and may
// throw. `now`: seconds of the same clock. A size of which the study makes no sense is reported and
// passed over, but not the first. Returns the last outcome of each size that was tuned.
std::vector<SizeOutcome> tune_domain(DeviceRun& run, std::uint64_t seed, double begin,
                                     const std::function<double()>& now,
                                     const std::function<void(const SizeOutcome&)>& conclude);

// Tunes the sizes that were asked for on this device and not answered exactly, the costliest first.
// The budget is that of all of them together, each size's share is what it costs; what one does not
// need is the others'. `begin`, `now`, `conclude`: as above. The configurations that an application
// got are measured first. A size of which the study makes no sense is reported and passed over.
std::vector<SizeOutcome> tune_asked(DeviceRun& run, const std::vector<AskedSize>& asked,
                                    double begin, const std::function<double()>& now,
                                    const std::function<void(const SizeOutcome&)>& conclude);

}  // namespace tuner
