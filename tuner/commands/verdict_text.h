#pragma once
// The verdict of `tuner judge` on a kernel, for people and for machines.

#include <string>
#include <vector>

#include "tuner/base/terminal_text.h"
#include "tuner/model/study.h"
#include "tuner/trust/judge.h"

namespace tuner {

// The verdict in one word and one sentence.
struct KernelVerdict {
  std::string word;  // "accepted", "refused", "interrupted", or the state of the first failure
  std::string why;
};

KernelVerdict verdict_on(const Judged& judged);

// `kernel`: as the user wrote it; `seconds`: that the verdict took.
std::string judged_text(const std::string& kernel, const Judged& judged,
                        const KernelVerdict& verdict, const Study& study, double seconds,
                        const Colours& colours);
// One document; the form is in docs/judge.md.
std::string judged_json(const std::string& kernel, const Judged& judged,
                        const KernelVerdict& verdict, const Study& study, double seconds);

}  // namespace tuner
