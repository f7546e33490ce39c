#pragma once
// Tunes one problem size on one device, from the search space to the ranked CSV.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/app/identity.h"
#include "tuner/app/options.h"
#include "tuner/app/progress.h"
#include "tuner/base/interrupt.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/ports/exporter.h"
#include "tuner/recordings/recording.h"
#include "tuner/store/store.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner {

// What all sizes and devices of a run share.
struct RunShared {
  const RunOptions* options = nullptr;
  const Study* study = nullptr;
  std::string source_text;
  std::string reference_text;
  std::string source_digest;  // over the source and everything that it includes
  std::string source_gap;     // why that may not be all, where it may not
  DataDigests data;
  ArtifactLibrary library;
  const Catalogue* catalogue = nullptr;
  Store* store = nullptr;
  CompilePool* compilers = nullptr;
  RunWorker* runner = nullptr;
  const Interrupt* interrupt = nullptr;
  Progress* progress = nullptr;
  std::string backend_options;  // as text, for the identity of trials
  Budget budget;
  std::string strategy;
  std::vector<std::pair<std::string, std::string>> strategy_options;
  std::optional<Recording> warm_recording;  // for the strategy, beside what the store knows
  std::function<void(const Trial&, double seconds)> on_trial;  // for --trace
};

struct SizeOutcome {
  RankedResults results;
  std::string csv_path;
  std::size_t measured = 0;  // trials that were not in the store
  bool any_valid = false;    // of the space that was searched; the ranking may hold more
  bool compared = false;     // stored results with the device as it is in this run
  bool interrupted = false;
  std::string lost;         // why there is no device any more; empty when there is one
  bool store_gone = false;  // somebody removed the database: what was measured is in the CSV only
};

// What device and compiler are to prepare for a size: buffers, and the answer of the reference. Of
// `shared` it needs the study and its texts. Throws InputError.
void plan_preparation(const RunShared& shared, const SearchSpace& space, const DeviceFacts& device,
                      const ProblemSize& size, EvaluatorSetup& setup);

// Under which the store keeps what is measured now.
ContextKey key_of(const RunShared& shared, const DeviceFacts& device, const ProblemSize& size);

// Throws InputError when the study makes no sense at this size, on this device.
SizeOutcome tune_size(const RunShared& shared, const DeviceFacts& device, const ProblemSize& size);

// The same for given configurations, in their order and without a budget, instead of a search;
// those that are not of the size's space are passed over. Everything that is known of the size is
// ranked anew. `what` says for the user which ones they are; `compared`: what is stored was
// compared with the device already.
SizeOutcome measure_size(const RunShared& shared, const DeviceFacts& device,
                         const ProblemSize& size, const std::vector<Configuration>& configurations,
                         const std::string& what, bool compared);

}  // namespace tuner
