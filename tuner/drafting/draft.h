#pragma once
// A first study for a kernel that somebody has: what a source and the host code beside it tell, and
// guesses where they do not.

#include <string>
#include <vector>

namespace tuner {

struct DraftRequest {
  std::string source;         // its text
  std::string source_name;    // for messages
  std::string relative_name;  // as the study names it
  std::string kernel;         // empty: the first that is not a reference
};

struct DraftedStudy {
  std::string yaml;
  std::string kernel;
  std::vector<std::string> found;    // what the source says
  std::vector<std::string> guessed;  // what the user should look at
};

// Throws InputError for a source without a kernel, and for one that takes what no study can give.
DraftedStudy draft_study(const DraftRequest& request);

}  // namespace tuner
