#pragma once
// Drafts of a study, one after the other, until `check` takes one and trials teach nothing more.

#include <filesystem>
#include <functional>
#include <string>

#include "tuner/commands/options.h"
#include "tuner/drafting/draft.h"
#include "tuner/plugin/catalogue.h"

namespace tuner {

struct DraftSearch {
  std::filesystem::path study;  // the file that the draft is for, which need not be there
  const Strings& plugin_dirs;
  const Catalogue& catalogue;
  double timeout = 8;                   // seconds for one trial
  std::function<void()> before_trials;  // called when there is a draft that can be tried
  // Has the request draft from another file of the project, which includes the kernel's.
  std::function<void(const std::filesystem::path&, DraftRequest&)> take_source;
};

// All throw an InputError where no study can be drafted.

// Drafts a study that `check` takes, and runs nothing.
DraftedStudy accepted_draft(const DraftSearch& search, const DraftRequest& request);
// Drafts a study whose launcher is yet to be written: nothing of it can be checked before.
DraftedStudy draft_of_launcher(const DraftSearch& search, const DraftRequest& request);
// Drafts a study, compiles and runs it on the CPU and on a GPU that is there, and mends it by what
// that shows. What was tried is among what was found and guessed.
DraftedStudy tried_draft(const DraftSearch& search, const DraftRequest& request);

// A path as it is named from a folder, which may be empty for the present one.
std::string relative_to(const std::filesystem::path& folder, const std::filesystem::path& path);

}  // namespace tuner
