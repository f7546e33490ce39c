#pragma once
// Stored knowledge of a study: the database, and what makes a stored trial answer for a new one.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/files/recording.h"
#include "tuner/history/identity.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/ports/strategy.h"
#include "tuner/search/resumption.h"
#include "tuner/space/search_space.h"
#include "tuner/store/store.h"

namespace tuner {

// Earlier trials by configuration, so that a resumed run queries the database once.
class TrialMemory {
 public:
  explicit TrialMemory(const std::vector<Trial>& trials);

  // Those that belong to the space, with their index there.
  std::vector<Trial> in(const SearchSpace& space) const;
  void replace(const Trial& trial);
  // Those whose samples come from an earlier final: they cannot be paired with the new ones.
  std::vector<Trial> earlier_finalists(const std::vector<Trial>& now) const;
  // Adds stored trials that this run did not revisit, if they are in the space; they are ranked
  // too.
  void add_others(const SearchSpace& space, std::vector<Trial>& trials) const;
  // Those that the space does not have.
  std::vector<Trial> outside(const SearchSpace& space) const;
  // Adds the study's stored trials outside of the space, where only a part of it is searched: they
  // are ranked with the rest, with indices behind those of the space.
  void add_outsiders(const SearchSpace& space, std::vector<Trial>& trials) const;
  // How many the study does not have any more.
  std::size_t outside_of_study() const;

 private:
  std::vector<Trial> known_;  // in the order in which they were measured
  std::unordered_map<std::string, std::size_t> places_;
};

class History {
 public:
  // `store` and `study` outlive this.
  History(Store& store, const Study& study, MeasuredWith with)
      : store_(store), study_(study), with_(std::move(with)) {}

  // Under which the store keeps what is measured now.
  ContextKey key(const DeviceFacts& device, const ProblemSize& size) const {
    return context_key(study_, device, size, with_);
  }
  Store& store() const { return store_; }
  const MeasuredWith& with() const { return with_; }

 private:
  Store& store_;
  const Study& study_;
  MeasuredWith with_;
};

// Knowledge of one size on one device while it is tuned. Every change is committed when the call
// returns.
class SizeHistory {
 public:
  // `space` outlives this.
  SizeHistory(const History& history, const Study& study, const SearchSpace& space,
              const DeviceFacts& device, const ProblemSize& size);

  // Configurations that were on the device when earlier runs died, and count as failed from now on.
  const std::vector<Trial>& blamed() const { return blamed_; }
  // Those that were on the device when a run died, and that nobody has a result of: they come last.
  std::vector<ConfigIndex> suspects() const;
  // Returns the stored result of a configuration that need not be measured again.
  std::optional<Recalled> recall(const Configuration& configuration) const;
  Resumption& resumption() { return resumption_; }

  // Marks a configuration that is about to be launched, and may take everything down.
  void announce(const Configuration& configuration);
  // Removes that mark: the configuration came back, or was cut short, and not by its own fault.
  void withdraw(const Configuration& configuration);
  void record(const Trial& trial);
  // Records finalists, whose samples were taken side by side: those of earlier finals do not count
  // any more.
  void record_final(const std::vector<Trial>& finalists);
  // Stores what has become of stored trials now that the last of them was measured again.
  void replace(std::span<const Trial> changed);
  // Marks trials outside of the searched space as outdated: they are as old as the rest, and nobody
  // measures them again.
  void outdate_outsiders(const Moved& moved);
  // Adds to a run's trials what earlier ones know besides: it competes all the same.
  void add_others(std::vector<Trial>& trials) const;
  // How many stored ones the study does not have any more: they are kept, and not ranked.
  std::size_t outside_of_study() const { return memory_.outside_of_study(); }
  // Keeps what the answers are doubted for, beside the results.
  void warn(const std::string& text);
  // All that was kept.
  std::vector<std::string> warnings() const;
  // False once somebody removed or replaced the database.
  bool is_in_place() const { return store_.is_in_place(); }

 private:
  Store& store_;
  const SearchSpace& space_;
  Context context_;
  std::vector<Trial> blamed_;
  TrialMemory memory_;
  Resumption resumption_;
};

// How alike results of two contexts of one kernel are expected to be, 0 .. 1. A guess: devices of
// another name, sizes that differ by factors, and anything else that differs make it smaller.
double likeness(const ContextKey& earlier, const ContextKey& now);

struct EarlierResults {
  std::vector<Prior> priors;  // most alike first, few
  std::string note;           // "312 results of M1024 on NVIDIA H200, ..."; empty without priors
};

// Collects results from the store's other contexts of this kernel.
EarlierResults earlier_results(Store& store, const ContextKey& now, const ObjectiveSpec& objective,
                               const PriorTarget& target);

}  // namespace tuner
