// Runs the reference, looks at what it left, and keeps it.

#include "tuner/measure/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "tuner/base/expected.h"
#include "tuner/measure/bound_launch.h"
#include "tuner/measure/difference.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/resolve/argument_names.h"

namespace tuner {
namespace {

tuner::Answer output_of(const SizePlan& plan, const CheckPlan& check, const RightAnswer& answer,
                        const std::vector<BufferId>& room) {
  const ArgumentPlan& argument = plan.arguments[check.argument];
  const BufferRange expected = contents_of(answer.expected[check.argument].id());
  return {contents_of(room[check.argument]), expected, argument.type, argument.elements};
}

// " for STEPS=4", where there are several answers.
std::string of_values(const AnswerPlan& plan) {
  return plan.values.empty() ? std::string() : " for " + plan.values;
}

// "the reference for STEPS=4". What is wrong with a launch that has all arguments is as wrong with
// the kernel's.
std::string who(const SizePlan& plan, const AnswerPlan& answer, const DeviceFailure& failure) {
  const bool is_shared =
      is_about_arguments(failure) && plan.reference->arguments.size() == plan.arguments.size();
  return "the reference" + of_values(answer) +
         (is_shared ? ", which is given all arguments like the kernel" : "");
}

const AnswerPlan* plan_with(const ReferencePlan& reference, std::uint32_t key) {
  const auto found = std::ranges::find(reference.answers, key, &AnswerPlan::key);
  return found == reference.answers.end() ? nullptr : &*found;
}

}  // namespace

DeviceResult<Ok> Answers::turn(const RightAnswer& answer, std::uint32_t argument) {
  return masking_.turn(answer.expected[argument].id(), bytes_of(plan_.arguments[argument]),
                       answer.mask + argument);
}

template <typename Work>
auto Answers::readable(const RightAnswer& answer, std::uint32_t argument, const Work& work)
    -> decltype(work()) {
  TUNER_TRY(turn(answer, argument));
  auto result = work();
  auto done = turn(answer, argument);
  if (!done && result) return Unexpected{done.error()};
  return result;
}

DeviceResult<RightAnswer*> Answers::find(std::uint32_t key, const ReferenceInputs& inputs) {
  for (RightAnswer& one : known_) {
    if (one.key == key && one.set == inputs.set) return &one;
  }
  const AnswerPlan* plan = plan_with(*plan_.reference, key);
  if (plan == nullptr) {
    return Unexpected{DeviceFailure{DeviceError::kInvalid,
                                    "the reference has no answer for this configuration's values"}};
  }
  auto made = compute(*plan, inputs);
  // Those that are kept can be computed again.
  if (!made && made.error().error == DeviceError::kOutOfMemory && forget()) {
    made = compute(*plan, inputs);
  }
  if (!made) return Unexpected{in_context(who(plan_, *plan, made.error()), made.error())};
  known_.push_back(std::move(*made));
  return &known_.back();
}

DeviceResult<bool> Answers::is_changed_by(ReferenceInputs inputs) {
  inputs.set = {kTimedSet, drawn_secret()};
  for (const RightAnswer& right : known_) {
    if (right.set.number != 0) continue;
    auto other = compute(*plan_with(*plan_.reference, right.key), inputs);
    if (!other) return true;
    for (std::size_t i = 0; i < plan_.checks.size(); ++i) {
      const std::uint32_t argument = plan_.checks[i].argument;
      if (!other->expected[argument]) continue;
      const BufferId actual = other->expected[argument].id();
      TUNER_TRY(turn(*other, argument));
      if (!TUNER_TRY(compare(right, i, actual)).message.empty()) return true;
    }
  }
  return false;
}

void Answers::forget_other_sets() {
  known_.remove_if([](const RightAnswer& one) { return one.set.number != 0; });
}

// Masks and seals the outputs of an answer; working space of the reference is freed.
DeviceResult<Ok> Answers::hide(const AnswerPlan& plan, RightAnswer& answer) {
  for (const std::uint32_t index : plan_.reference->arguments) {
    const ArgumentPlan& argument = argument_of(plan_, plan.overrides, index);
    if (!answer.expected[index]) continue;
    if (is_working_space(argument.role)) {
      answer.expected[index] = {};
      continue;
    }
    TUNER_TRY(turn(answer, index));
    // Those of other sets are forgotten before anybody looks at digests.
    if (answer.set.number != 0) continue;
    TUNER_TRY(answer.seals.put(backend_.memory(), "the right answer for " + argument.name,
                               answer.expected[index].id(), kGuardBytes + bytes_of(argument)));
  }
  return Ok{};
}

DeviceResult<std::optional<std::string>> Answers::damaged() const {
  for (const RightAnswer& one : known_) {
    auto broken = one.seals.broken(backend_.memory());
    if (!broken || *broken) return broken;
  }
  return std::optional<std::string>();
}

std::uint64_t Answers::kept_bytes() const {
  std::uint64_t bytes = 0;
  for (const RightAnswer& one : known_) bytes += one.seals.bytes();
  return bytes;
}

bool Answers::forget() {
  const bool any = !known_.empty();
  known_.clear();
  return any;
}

DeviceResult<ProblemArray> Answers::fetched(std::uint32_t argument, BufferId buffer) {
  ProblemArray array = problem_array(plan_.arguments[argument]);
  array.data.resize(bytes_of(plan_.arguments[argument]));
  TUNER_TRY(backend_.memory().download(contents_of(buffer), array.data));
  return array;
}

DeviceResult<HostJudgement> Answers::judge(const RightAnswer& answer, const CheckPlan& check,
                                           BufferId actual) {
  const std::uint32_t output = check.argument;
  auto expected = TUNER_TRY(fetched(output, answer.expected[output].id()));
  auto found = TUNER_TRY(fetched(output, actual));
  HostJudgement out;
  if (check.by_problem) {
    const auto judgement = problem_->judge(problem_set(plan_, answer.set), found, expected);
    out = {judgement ? *judgement : Judgement{false, 0, judgement.error()}};
  } else {
    out = judged_on_host(check, plan_.arguments[output], found, expected);
  }
  wipe(expected.data);
  return out;
}

DeviceResult<OutputCheck> Answers::compare(const RightAnswer& answer, std::size_t check,
                                           BufferId actual) {
  const std::uint32_t argument = plan_.checks.at(check).argument;
  auto found = readable(answer, argument, [&] { return compare_readable(answer, check, actual); });
  if (!found || answer.set.number == 0) return found;
  if (!found->message.empty()) {
    found->message = plan_.arguments[argument].name + " differs (these inputs are secret)";
    found->evidence = Evidence::kNone;
  }
  found->max_error = 0;
  return found;
}

DeviceResult<OutputCheck> Answers::compare_readable(const RightAnswer& answer, std::size_t check,
                                                    BufferId actual) {
  CheckPlan applied = answer.checks.at(check);
  const ArgumentPlan& argument = plan_.arguments[applied.argument];
  // A share is of this answer's size already.
  if (!answer.sizes.empty() && !applied.atol_is_share) applied.atol *= answer.sizes[check];
  if (answer.nans[check] == 0) applied.how.equal_nan = false;  // the device says it in more words
  if (applied.by_problem || !applied.how.is_usual()) {
    auto judgement = TUNER_TRY(judge(answer, applied, actual));
    const std::string wrong = fmt::format("{}: {}", argument.name, judgement.why);
    return OutputCheck{judgement.right ? std::string() : wrong, judgement.error,
                       judgement.evidence};
  }
  const BufferId expected = answer.expected[applied.argument].id();
  return argument.members.empty() ? compare_numbers(argument, applied, expected, actual)
                                  : compare_structs(argument, applied, expected, actual);
}

DeviceResult<OutputCheck> Answers::compare_numbers(const ArgumentPlan& argument,
                                                   const CheckPlan& applied, BufferId expected,
                                                   BufferId actual) {
  auto difference =
      TUNER_TRY(backend_.memory().compare(contents_of(actual), contents_of(expected), argument.type,
                                          argument.elements, applied.rtol, applied.atol));
  if (difference.mismatches == 0) return OutputCheck{{}, difference.max_abs_error};
  auto all =
      TUNER_TRY(look_at(backend_.memory(), argument, contents_of(expected), contents_of(actual)));
  return OutputCheck{describe(argument, applied, difference, all), difference.max_abs_error,
                     evidence_of(argument, applied, difference, all)};
}

namespace {

void take(const Closeness& from, CheckPlan& check) {
  check.rtol = from.rtol;
  check.atol = from.atol;
  check.atol_is_share = from.atol_is_share;
}

}  // namespace

// The first member that is wrong.
DeviceResult<OutputCheck> Answers::compare_structs(const ArgumentPlan& argument,
                                                   const CheckPlan& applied, BufferId expected,
                                                   BufferId actual) {
  auto right = TUNER_TRY(split_members(backend_.memory(), argument, expected));
  auto found = TUNER_TRY(split_members(backend_.memory(), argument, actual));
  OutputCheck out;
  for (std::size_t i = 0; i < right.size() && out.message.empty(); ++i) {
    CheckPlan check = applied;
    if (i < applied.members.size()) take(applied.members[i], check);
    auto one = TUNER_TRY(
        compare_numbers(right[i].argument, check, right[i].data.id(), found[i].data.id()));
    out.message = std::move(one.message);
    out.evidence = one.evidence;
    out.max_error = std::max(out.max_error, one.max_error);
  }
  TUNER_TRY(wipe_members(right));
  return out;
}

DeviceResult<Ok> Answers::wipe_members(const std::vector<MemberArray>& members) {
  for (const MemberArray& one : members) {
    TUNER_TRY(memory_.fill_bytes(one.data.id(), kGuardBytes, bytes_of(one.argument), 0));
  }
  return Ok{};
}

DeviceResult<Ok> Answers::choose_decoys(RightAnswer& answer, const std::vector<BufferId>& room) {
  answer.decoys.resize(plan_.arguments.size());
  for (const CheckPlan& check : answer.checks) {
    const std::uint32_t index = check.argument;
    if (plan_.arguments[index].role != Role::kOut || !answer.expected[index]) continue;
    answer.decoys[index] = TUNER_TRY(readable(answer, index, [&] {
      return choose_decoy(backend_.memory(), output_of(plan_, check, answer, room), check,
                          drawn_secret());
    }));
  }
  return Ok{};
}

DeviceResult<std::vector<double>> Answers::sizes(const RightAnswer& answer,
                                                 const std::vector<BufferId>& room) {
  std::vector<double> sizes;
  for (const CheckPlan& check : plan_.checks) {
    if (!answer.expected[check.argument]) {
      sizes.push_back(0);
      continue;
    }
    sizes.push_back(TUNER_TRY(readable(answer, check.argument, [&] {
      return magnitude(backend_.memory(), output_of(plan_, check, answer, room));
    })));
  }
  return sizes;
}

DeviceResult<std::vector<std::string>> Answers::doubts_about_members(const ArgumentPlan& structs,
                                                                     const CheckPlan& check,
                                                                     const tuner::Answer& output,
                                                                     const std::string& values) {
  std::vector<std::string> found;
  const auto members = TUNER_TRY(split_members(backend_.memory(), structs, output.expected.buffer));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ArgumentPlan& member = members[i].argument;
    CheckPlan own = check;
    if (i < check.members.size()) take(check.members[i], own);
    const auto doubts = TUNER_TRY(
        doubts_about(backend_.memory(),
                     {output.room, contents_of(members[i].data.id()), member.type, member.elements},
                     own, member.name, values));
    found.insert(found.end(), doubts.begin(), doubts.end());
  }
  TUNER_TRY(wipe_members(members));
  return found;
}

DeviceResult<std::vector<std::string>> Answers::doubts(const RightAnswer& answer,
                                                       const std::vector<BufferId>& room) {
  std::vector<std::string> found;
  const AnswerPlan& first = plan_.reference->answers.front();
  if (answer.key == first.key) found = partly_set(backend_, plan_, first.artifact);
  for (std::size_t i = 0; i < answer.checks.size(); ++i) {
    const CheckPlan& check = answer.checks[i];
    if (!answer.expected[check.argument]) continue;
    const ArgumentPlan& argument = plan_.arguments[check.argument];
    if (answer.nans[i] > 0) {
      found.push_back(
          fmt::format("{} of {} elements of {} are NaN in the right answer: there "
                      "variants have to be, too",
                      answer.nans[i], argument.elements, argument.name));
    }
    const std::string values = of_values(*plan_with(*plan_.reference, answer.key));
    const auto doubts = TUNER_TRY(readable(answer, check.argument, [&] {
      const auto output = output_of(plan_, check, answer, room);
      return argument.members.empty()
                 ? doubts_about(backend_.memory(), output, check, argument.name, values)
                 : doubts_about_members(argument, check, output, values);
    }));
    found.insert(found.end(), doubts.begin(), doubts.end());
  }
  return found;
}

}  // namespace tuner
