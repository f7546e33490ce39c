// Whether what the reference left can be taken for right at all.

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tuner/base/try.h"
#include "tuner/measure/answer_plan.h"
#include "tuner/measure/answers.h"
#include "tuner/measure/struct_members.h"

namespace tuner {
namespace {

// An answer differs from itself where it is NaN.
DeviceResult<Comparison> compared_with_itself(DeviceMemory& memory, const ArgumentPlan& argument,
                                              BufferId id) {
  const BufferRange all = contents_of(id);
  return memory.compare(all, all, argument.type, argument.elements, 0, 0);
}

}  // namespace

DeviceResult<Ok> Answers::check(const AnswerPlan& plan, RightAnswer& answer) {
  for (const std::uint32_t index : plan_.reference->arguments) {
    const DeviceBuffer& expected = answer.expected[index];
    if (!expected) continue;
    const ArgumentPlan& argument = argument_of(plan_, plan, index);
    auto outside = TUNER_TRY(memory_.outside_write(expected.id(), bytes_of(argument), argument));
    if (!outside) continue;
    const std::string where = outside->substr(0, outside->find(':'));
    return Unexpected{
        DeviceFailure{DeviceError::kInvalid, "writes" + where.substr(std::string("write").size())}};
  }
  answer.nans.resize(plan_.checks.size());
  for (std::size_t i = 0; i < plan_.checks.size(); ++i) {
    if (!answer.expected[plan_.checks[i].argument]) continue;
    TUNER_TRY(check_itself(i, answer));
  }
  return Ok{};
}

// NaN could never be matched. The problem has to take its right answers for right.
DeviceResult<Ok> Answers::check_itself(std::size_t index, RightAnswer& answer) {
  const CheckPlan& check = plan_.checks[index];
  const ArgumentPlan& argument = plan_.arguments[check.argument];
  const BufferId id = answer.expected[check.argument].id();
  if (check.how.equal_nan) {
    const auto nans = TUNER_TRY(compared_with_itself(backend_.memory(), argument, id));
    answer.nans[index] = nans.mismatches;
    // With numbers alone the device compares it; with NaN alone nothing could be told from it.
    if (nans.mismatches == 0 || nans.mismatches == argument.elements) {
      return check_numbers(argument, id);
    }
  }
  if (check.by_problem || !check.how.is_usual()) {
    auto judgement = TUNER_TRY(judge(answer, check, id));
    if (judgement.right) return Ok{};
    return Unexpected{DeviceFailure{
        DeviceError::kInvalid,
        fmt::format("its right answer for {} does not pass: {}", argument.name, judgement.why)}};
  }
  if (argument.members.empty()) return check_numbers(argument, id);
  auto members = TUNER_TRY(split_members(backend_.memory(), argument, id));
  for (const MemberArray& one : members) {
    TUNER_TRY(check_numbers(one.argument, one.data.id()));
  }
  return Ok{};
}

DeviceResult<Ok> Answers::check_numbers(const ArgumentPlan& argument, BufferId id) {
  const auto same = TUNER_TRY(compared_with_itself(backend_.memory(), argument, id));
  if (same.mismatches == 0) return Ok{};
  return Unexpected{DeviceFailure{
      DeviceError::kInvalid,
      fmt::format("leaves {} of {} elements of {} as NaN, the first at {}: they are not written "
                  "(then the role is inout) or wrong",
                  same.mismatches, argument.elements, argument.name, same.first_mismatch)}};
}

}  // namespace tuner
