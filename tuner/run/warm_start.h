#pragma once
// What earlier runs of a kernel, for other sizes or on other devices, tell a new search.

#include <string>
#include <vector>

#include "tuner/exchange/prior.h"
#include "tuner/model/study.h"
#include "tuner/ports/strategy.h"
#include "tuner/store/store.h"

namespace tuner {

// How alike results of two contexts of one kernel are expected to be, 0 .. 1. A guess: devices of
// another name, sizes that differ by factors, and anything else that differs make it smaller.
double likeness(const ContextKey& earlier, const ContextKey& now);

struct EarlierResults {
  std::vector<Prior> priors;  // most alike first, few
  std::string note;           // "312 results of M1024 on NVIDIA H200, ..."; empty without priors
};

// Of the store's other contexts of this kernel.
EarlierResults earlier_results(Store& store, const ContextKey& now, const ObjectiveSpec& objective,
                               const PriorTarget& target);

}  // namespace tuner
