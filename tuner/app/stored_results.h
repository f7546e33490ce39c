#pragma once
// Rankings told again from the store.

#include <functional>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/ports/exporter.h"
#include "tuner/store/store.h"

namespace tuner {

// What a machine has for a backend, as far as it is there.
struct Machine {
  std::string compiler;  // empty: none
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

struct StoredResults {
  std::string kernel;
  std::vector<std::string> parameters;
  RankedResults ranked;
  // Where imported results came from; empty = measured by this program.
  std::string imported;
  // What has changed since ("source: changed", "driver: 580.65 -> 590.10"); empty = current. Always
  // empty without a study.
  std::vector<std::string> stale;
};

// One entry for each context that holds trials, oldest first. With a study: of its kernel only,
// ranked by its objective, and compared with what it says now. Throws InputError for a filter that
// makes no sense.
std::vector<StoredResults> stored_results(Store& store, const Study* study,
                                          const ResultFilter& filter);

// A context's trials with the metrics and the objective that the study has now. Those with other
// parameters stay as they are.
std::vector<Trial> trials_for(Store& store, const Context& context, const Study& study,
                              const DeviceFacts& device, const ProblemSize& size);

// The ranking that these, of a store, and their last final tell, as the study asks (by time, where
// there is none).
RankedResults ranked_trials(const Study* study, std::vector<Trial> trials);

// "M=1024,N=1024". Throws InputError.
ProblemSize parse_dims(const std::string& text);

// Of equal devices and sizes only the last: measured ones before imported ones before stale ones.
std::vector<StoredResults> newest_of_each(std::vector<StoredResults> all);

}  // namespace tuner
