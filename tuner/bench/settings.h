#pragma once
// Settings of a run, as plain data.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/note.h"
#include "tuner/files/recording.h"
#include "tuner/history/asked.h"
#include "tuner/model/study.h"
#include "tuner/ports/strategy.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Settings of a run, resolved once, whether the study, the command line or an application made
// them.
struct Settings {
  Study study{};  // with the sizes, constraints, backend, strategy and budget of this run
  std::vector<unsigned> devices = {0};  // of the backend, by number; empty: all
  double timeout = 60;                  // seconds for one configuration
  unsigned jobs = 1;                    // compile workers
  std::uint64_t seed = 1;               // of the strategy
  bool fresh = false;                   // what is stored of the sizes is not looked at any more
  bool counters = false;                // of finalists, though no metric of the study is one
  bool warm_start = true;  // the strategy receives earlier results of other sizes and devices
  std::optional<Recording> warm_recording{};  // and of these
  std::string results = "results";            // folder of the store and of the ranked CSV files
  bool in_turn = false;                       // one size after the other, on all devices of a model
  std::vector<AskedSize> asked{};             // of these the missed ones, instead of all sizes
  bool cross_sizes = false;  // each size's winner is measured at the other sizes too
};

// How the configurations of a size are chosen. Throws InputError for options that the strategy does
// not accept.
using MakeStrategy = std::function<std::unique_ptr<Strategy>(const SearchSpace&)>;

}  // namespace tuner
