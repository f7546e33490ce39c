#pragma once
// The memory of a results directory: every trial that was ever made there, in one SQLite database.
//
// One Store belongs to one thread. Any number of processes may use one directory at once.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// Everything that a trial depends on besides its configuration. Trials of one context never answer
// for another: what differs in any part is another context.
struct ContextKey {
  std::string kernel;
  DeviceFacts device;  // compared by backend, name, arch, driver and compute capability
  ProblemSize size;
  std::vector<std::string> parameters;  // names, in the order of Trial::configuration
  // Named components with their texts or digests: "source", "options", "compiler", "inputs", ...
  std::vector<std::pair<std::string, std::string>> identity;
};

// Lists the differences of two contexts of one kernel, each as "driver: 580.65 -> 590.10"; empty
// when trials of one answer for the other.
std::vector<std::string> differences(const ContextKey& before, const ContextKey& now);

// A context in the database, with the order in which its user wants configurations.
struct Context {
  std::int64_t id = 0;
  std::vector<std::string> parameters;
};

// How the study that measured or imported a context last ranks its trials. Of `measure` only what
// ranks is kept: confidence and simpler_within. `baseline` is by name; empty: there is none.
struct RankedBy {
  ObjectiveSpec objective;
  MeasureSpec measure;
  std::vector<std::pair<std::string, Value>> baseline{};
  std::string limit{};  // by what trials are too fast to be ranked; empty: by nothing
  std::string space{};  // digest of what the study may choose; empty: not known
  std::vector<std::string> warnings{};  // RankedResults::warnings, of all runs
};
bool operator==(const RankedBy& a, const RankedBy& b);

// Who measured a context's trials; all empty where they are a recording's.
struct Hosts {
  std::vector<std::string> own{};       // machines whose runs wrote into this store
  std::vector<std::string> imported{};  // others, whose stores were merged into it
};

struct StoredContext {
  Context context;
  ContextKey key;
  std::optional<RankedBy> ranked_by;  // empty: no study has ranked it yet
  std::uint64_t trials = 0;
  std::string newest;  // date of the newest trial, ISO 8601; empty when there is none
  Hosts hosts{};
};

// Whether `path` is a results directory or its database.
bool is_store(const std::filesystem::path& path);

class Store {
 public:
  enum class Access { kWrite, kRead };

  // Opens <directory>/tuner.sqlite (with kRead also the database file itself); with kWrite it is
  // created when it is not there. A damaged database, or one of an older program, is kept aside as
  // tuner.sqlite.corrupt-<n> or .older-<n>, and a new one is begun. Throws FatalError with path and
  // reason: not writable, disk full, made by a newer tuner, ...
  static Store open(const std::filesystem::path& directory, Access access = Access::kWrite);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Messages for the user about data set aside while opening, or left out while reading.
  const std::vector<std::string>& notes() const;
  const std::filesystem::path& file() const;
  // False once somebody removed or replaced the file: what is recorded then is not kept.
  bool is_in_place() const;

  // The context with this key, made when it is not there.
  Context context(const ContextKey& key);
  // All contexts, of one kernel unless `kernel` is empty, oldest first.
  std::vector<StoredContext> contexts(const std::string& kernel = {});

  // Trials in the order in which they were first recorded. Their `index` is not set.
  std::vector<Trial> trials(const Context& context);

  // The canonical text of each of their configurations (trial_codec.h) and when it was recorded
  // last, ISO 8601, in the same order. A final records its finalists again.
  std::vector<std::pair<std::string, std::string>> dates(const Context& context);

  // Committed when it returns: safe from any end of this process. A power cut may cost the trials
  // of the last half second, never the database. A trial of the same configuration is replaced; the
  // configuration is no longer in flight.
  void record(const Context& context, const Trial& trial);
  void record(const Context& context, std::span<const Trial> trials);  // all or none

  // Replaces trials that are there by what is thought of them now; they keep their dates. Those
  // that are not there stay away. `measured` is recorded as record() does. All or none.
  void rewrite(const Context& context, std::span<const Trial> trials, const Trial& measured);

  std::optional<RankedBy> ranked_by(const Context& context);
  // Keeps how the context is ranked from now on, and what becomes of its trials by that.
  void rank_by(const Context& context, const RankedBy& how, std::span<const Trial> rescored);

  // Hides the context's earlier trials from now on (they stay in the database).
  void start_afresh(const Context& context);

  // The configuration is about to run and may take everything down.
  void mark_in_flight(const Context& context, const Configuration& configuration);
  // Forgets that the configuration is in flight: it did not run to its end, and not through its own
  // fault (interrupted).
  void clear_in_flight(const Context& context, const Configuration& configuration);
  // Settles what runs that are dead by now left in flight: a death may have had any cause, so the
  // configuration becomes a suspect; after kMaxDeaths, of which all but the first came while it was
  // alone, it is recorded as `runtime`. Returns the trials recorded so. To be called before a run.
  std::vector<Trial> settle_in_flight(const Context& context);
  static constexpr int kMaxDeaths = 3;
  // Configurations that were in flight when a run died, and for which there is no result yet: to be
  // measured last, with nothing else in flight.
  std::vector<Configuration> suspects(const Context& context);

  // Implementation, for the store's own files only (store_impl.h).
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tuner
