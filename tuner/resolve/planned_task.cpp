// Plans buffers and right answers of a size.

#include "tuner/resolve/planned_task.h"

#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/resolve/resolve.h"

namespace tuner {

SizeTask planned_task(const Study& study, const SearchSpace& space, const ProblemSize& size,
                      const DeviceFacts& facts, const std::string& reference_text) {
  SizeTask task{study, space, size, facts};
  const std::vector<ReferenceCase> cases = reference_cases(study, space);
  auto plan = size_plan(study, size, facts, cases);
  if (!plan) throw InputError({Complaint{study.kernel.where, plan.error(), ""}}, study.text);
  task.plan = std::move(*plan);
  // No reference kernel is compiled where files or the study's problem give the right answers.
  if (!task.plan.reference || !study.reference->is_launched()) return task;
  for (const ReferenceCase& one : cases) {
    auto request = reference_request(study, space, one, facts, reference_text);
    if (!request) {
      throw InputError(
          {Complaint{study.reference->where, "the reference kernel: " + request.error(), ""}},
          study.text);
    }
    task.references.push_back(std::move(*request));
  }
  return task;
}

}  // namespace tuner
