// Plans inputs and right answers, which follow from a secret.

#include "tuner/run/plan_preparation.h"

#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/trust.h"
#include "tuner/resolve/resolve.h"

namespace tuner {

void plan_preparation(const std::string& reference_text, SizeTask& task) {
  const Study& study = task.study;
  const std::vector<ReferenceCase> cases = reference_cases(study, task.space);
  auto plan = size_plan(study, task.size, task.facts, cases);
  if (!plan) throw InputError({Complaint{study.kernel.where, plan.error(), ""}}, study.text);
  task.plan = std::move(*plan);
  // What follows from it nobody can have seen, whatever messages of earlier runs say.
  if (task.plan.reference) task.plan.reference->secret = drawn_secret();
  if (!task.plan.reference || !study.reference->files.empty()) return;
  if (study.reference->by_problem) return;
  for (const ReferenceCase& one : cases) {
    auto request = reference_request(study, task.space, one, task.facts, reference_text);
    if (!request) {
      throw InputError(
          {Complaint{study.reference->where, "the reference kernel: " + request.error(), ""}},
          study.text);
    }
    task.references.push_back(std::move(*request));
  }
}

}  // namespace tuner
