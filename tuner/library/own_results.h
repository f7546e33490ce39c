#pragma once
// Results that a program measured by itself, in the store of `tuner run`: each trial is committed
// as it comes, and ranked by the rules of a run.

#include <string>

#include "tuner/history/size_history.h"
#include "tuner/model/study.h"
#include "tuner/space/search_space.h"
#include "tuner/store/store.h"

namespace libtuner {

class OwnResults {
 public:
  // Opens the results of the study's first size. `context` is a JSON object: `device` (name, arch,
  // driver) and `identity`, a list of pairs of name and text: all that can change what is measured.
  // With `fresh`, earlier records are ignored from now on.
  OwnResults(tuner::Study study, const std::string& folder, const std::string& context);

  // Stores trials: a JSON list of objects with `configuration`, `state`, `samples` (milliseconds),
  // `final` (of those that took part in one), `message`, `compile_ms`, `cost_seconds`, `max_error`.
  void record(const std::string& trials);

  // Returns all results of this context as JSON (docs/exchange.md), with `finalists`: the
  // configurations that a final is due for.
  std::string results();

 private:
  tuner::Trial trial_from(const std::string& text) const;

  tuner::Study study_;
  tuner::SearchSpace space_;
  tuner::Store store_;
  tuner::ContextKey key_;
  tuner::Context context_;
};

}  // namespace libtuner
