#pragma once
// Advice: configurations that the sources of a study (search: advice) propose for a size, to be
// measured before the search asks.

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"
#include "tuner/run/proposals.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Asks an advisor of a plugin; its answer, or why there is none.
using AskAdvisor = std::function<Expected<std::string, std::string>(const AdviceSource& source,
                                                                    const std::string& question)>;

// How sources are asked that are not files.
struct AdviceAsked {
  AskAdvisor advisor{};
  std::vector<std::string> keeper{};  // AskedProgram::keeper
  std::function<bool()> stop{};       // whether the user wants the end
};

// A configuration of the space that somebody proposed, and who.
struct Advice {
  ConfigIndex index = 0;
  std::string by;
};

// The sources of a study. One that has given no answer, or nothing but
// mistakes, is not asked again at the next size.
class Advisers {
 public:
  // `study` outlives this.
  Advisers(const Study& study, AdviceAsked how) : study_(study), how_(std::move(how)) {}

  // What all propose, source after source, each configuration once: at most 64 of a source, and
  // `most` together. Wishes that are no valid configuration become the nearest ones. `note` gets a
  // sentence for each source: what it gave, or why it gave nothing. `seconds`: for the answers.
  std::vector<Advice> ask(const SearchSpace& space, const ProblemSize& size,
                          const DeviceFacts& device, std::size_t most, double seconds,
                          const std::function<void(const std::string&)>& note);

 private:
  Expected<std::string, std::string> answer(const AdviceSource& source, const std::string& question,
                                            double seconds) const;

  const Study& study_;
  AdviceAsked how_;
  std::set<std::size_t> silent_;
};

// Lists what is wrong with the study's files of advice, one sentence for each. Runs nothing.
std::vector<Complaint> advice_file_faults(const Study& study);

}  // namespace tuner
