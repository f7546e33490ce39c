#pragma once
// Rankings repeated from the store.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tuner/files/recording.h"
#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/store/store.h"

namespace tuner {

// Compilers and devices that a machine has for a backend, as far as they are there.
struct Machine {
  std::vector<std::string>
      compilers;  // empty: none; several for one that takes what NVRTC does not
  std::vector<DeviceFacts> devices;
};

struct ResultFilter {
  std::string device;  // part of the name or of its slug, case ignored; empty = all
  std::string size;    // "M=1024,N=1024", any part of the dimensions; empty = all
  // Asked once for each backend, when results must also fit this machine. May be empty.
  std::function<Machine(const std::string& backend)> machine;
};

// Throws InputError for a size that makes no sense.
bool fits(const DeviceFacts& device, const ProblemSize& size, const ResultFilter& filter);

// Whether anything of the kernel is stored in a results folder; of any where it is empty.
bool holds_trials(const std::filesystem::path& folder, const std::string& kernel);

struct StoredResults {
  std::string kernel;
  std::vector<std::string> parameters;
  RankedResults ranked;
  // Options of the backend, such as an order of threads; empty: as a plain `tuner run` measures.
  std::string options;
  // Other results of the same device and size, one phrase each.
  std::vector<std::string> others;
  // Origin of imported results; empty = measured by this program.
  std::string imported;
  // Changes since then ("source: changed", "driver: 580.65 -> 590.10"); empty = current. Always
  // empty without a study.
  std::vector<std::string> stale;
  StoredContext of;         // where they lie in the store
  ObjectiveSpec objective;  // by which they are ranked
  bool has_store = true;    // else they are of a CSV file: no identity, no order, no samples
  // Seconds from the first trial, for each ranked one, to when it was recorded, at the latest.
  // Empty where nobody asked (result_sets()) or that is not known.
  std::vector<double> seconds{};
};

// One entry for each context that holds trials: stale ones behind the others, oldest first. With a
// study: of its kernel only, ranked by its objective, and compared with what it says now; without,
// ranked by the objective of the study that measured them. Throws InputError for a filter that
// makes no sense.
std::vector<StoredResults> stored_results(Store& store, const Study* study,
                                          const ResultFilter& filter);

// A context's trials with the metrics and the objective that the study has now, and whether it has
// their configurations (Trial::outside), without those that
// files make stale which the context does not cover. Those with other parameters stay as they are.
// Of imported ones what was recorded stays, where the study cannot compute it.
std::vector<Trial> trials_for(Store& store, const Context& context, const Study& study,
                              const DeviceFacts& device, const ProblemSize& size,
                              bool imported = false);

// How a study ranks.
RankedBy ranked_by(const Study& study);

// The baseline as a configuration of these parameters; empty where there is none.
std::optional<Configuration> baseline_of(const RankedBy& how,
                                         const std::vector<std::string>& parameters);

// Ranks stored trials, using their last final if it still stands; those outside of the study are
// left out. Whatever chooses among stored trials chooses from this ranking. `parameters` are those
// of their configurations.
RankedResults ranked_trials(const RankedBy& how, const std::vector<std::string>& parameters,
                            std::vector<Trial> trials);

// Returns the trials that a run finds in a context (trials_for()). From now on the context is
// ranked as the study ranks, also where no study is at hand.
std::vector<Trial> trials_for_run(Store& store, const Context& context, const Study& study,
                                  const DeviceFacts& device, const ProblemSize& size);

// "M=1024,N=1024". Throws InputError.
ProblemSize parse_dims(const std::string& text);

// Whether `b` is shown instead of `a`, both of one device and size. What runs in this folder
// measured goes before what came from other stores, and of two from other stores the newer driver.
// Otherwise the newer result goes before, and with equal dates `b`.
bool is_behind(const StoredContext& a, const StoredContext& b);

// Keeps, for each device and size, the results that a plain `tuner run` would go on with: measured
// ones before those with options of the backend, imported ones and stale ones, then by is_behind().
// Results left out are named in `others`.
std::vector<StoredResults> newest_of_each(std::vector<StoredResults> all);

// Reads what read_recording() takes, or ranked CSV files (one, a folder or a .tar.gz), or a results
// directory or its database, of which `filter` may choose, with "#kernel/device/size"
// ("results#matmul/nvidia-h200/M1024_N1024") where it holds more than one context. Of several
// contexts with that name (another driver, another source) one that was measured goes before
// imported ones, one in the usual order of threads before others, then the one with the newest
// trial is taken, and a note reports that. Throws InputError with the list of contexts when `path`
// does not pick one.
Recording read_any_recording(const std::filesystem::path& path, const std::string& objective = {},
                             const ResultFilter& filter = {});

// The trials of a context. Empty when it holds no readable trials. Dropped trials count as
// measured, with their estimate. Without an objective it is that of the study that measured, and
// the best entry is the one that ranks first: see beside_best().
Recording store_recording(Store& store, const StoredContext& context,
                          const std::string& objective = {});

}  // namespace tuner
