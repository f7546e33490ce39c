#pragma once
// What a program measured by itself, in the store of `tuner run`: each trial is committed as it
// comes, and ranked by the rules of a run.

#include <string>

#include "tuner/history/size_history.h"
#include "tuner/model/study.h"
#include "tuner/space/search_space.h"
#include "tuner/store/store.h"

namespace libtuner {

class OwnResults {
 public:
  // Of the study's first size. `context` is a JSON object: `device` (name, arch, driver) and
  // `identity`, a list of pairs of name and text: all that can change what is measured. With
  // `fresh` what was recorded before is not seen any more.
  OwnResults(tuner::Study study, const std::string& folder, const std::string& context);

  // A JSON list of objects: `configuration`, `state`, `samples` (milliseconds), `final` (of those
  // that took part in one), `message`, `compile_ms`, `cost_seconds`, `max_error`.
  void record(const std::string& trials);

  // What is known of this context, as docs/results-json.md says, with `finalists`: the
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
