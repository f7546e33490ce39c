// Has the reference, a problem or files say what is right, times the reference where its time
// compares with those of variants, and looks whether what it left can be taken for right at all.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/base/stopwatch.h"
#include "tuner/measure/answer_size.h"
#include "tuner/measure/answers.h"
#include "tuner/measure/bound_launch.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/model/statistics.h"
#include "tuner/resolve/argument_names.h"

namespace tuner {

DeviceResult<RightAnswer> Answers::compute(const AnswerPlan& plan, const ReferenceInputs& inputs) {
  const Stopwatch since;
  RightAnswer answer;
  answer.set = inputs.set;
  answer.key = plan.key;
  TUNER_TRY(begin(plan, inputs, answer));
  for (const auto& [index, output] : plan.files) {
    TUNER_TRY(memory_.fill(answer.expected[index].id(), output));
  }
  if (plan.by_problem) TUNER_TRY(ask_problem(plan, inputs, answer));
  if (plan.files.empty() && !plan.by_problem) TUNER_TRY(launch(plan, inputs, answer));
  answer.checks = TUNER_TRY(checks_of(answer));
  TUNER_TRY(check(plan, answer));
  TUNER_TRY(hide(plan, answer));
  const double took = since.seconds();
  seconds_ = seconds_ > 0 ? std::min(seconds_, took) : took;
  return answer;
}

// The reference writes into buffers of its own, which are the expected answers from then on. Its
// outputs begin as poison, so that what it does not write is seen.
DeviceResult<Ok> Answers::begin(const AnswerPlan& plan, const ReferenceInputs& inputs,
                                RightAnswer& answer) {
  answer.expected.resize(plan_.arguments.size());
  for (const std::uint32_t index : plan_.reference->arguments) {
    const ArgumentPlan& argument = argument_of(plan_, plan.overrides, index);
    if (argument.is_scalar || argument.role == Role::kIn) continue;
    const std::uint64_t bytes = bytes_of(argument);
    answer.expected[index] = TUNER_TRY(memory_.allocate_guarded(bytes));
    const BufferId id = answer.expected[index].id();
    TUNER_TRY(argument.role == Role::kInOut
                  ? memory_.copy(id, inputs.pristine[index], bytes)
                  : memory_.fill_bytes(id, kGuardBytes, bytes,
                                       is_working_space(argument.role) ? 0 : poison_for(argument)));
  }
  return Ok{};
}

// Without what depends on the configuration, as the right answer does not, and without addresses,
// which say nothing on the host.
DeviceResult<std::vector<ProblemArray>> Answers::problem_inputs(const AnswerPlan& plan,
                                                                const ReferenceInputs& inputs) {
  std::vector<ProblemArray> all;
  for (std::uint32_t i = 0; i < plan_.arguments.size(); ++i) {
    const ArgumentPlan& argument = argument_of(plan_, plan.overrides, i);
    const bool is_input = argument.role == Role::kIn || argument.role == Role::kInOut;
    const bool is_idle = argument.is_scalar && argument.scalar.empty();
    const bool is_known = !argument.varies && !argument.map && is_input && !is_idle;
    const bool is_table = !argument.is_scalar && !argument.scalar.empty();
    if (!is_known || is_table) continue;
    if (argument.is_scalar) {
      all.push_back(problem_array(argument));
      continue;
    }
    const bool is_changed = argument.role == Role::kInOut;
    all.push_back(TUNER_TRY(fetched(i, is_changed ? inputs.pristine[i] : inputs.data[i])));
  }
  for (std::size_t i = 0; i < plan_.constants.size(); ++i) {
    if (plan_.constants[i].varies) continue;
    ProblemArray& constant = all.emplace_back(problem_array(plan_.constants[i]));
    if (!plan_.constants[i].is_scalar) constant.data = inputs.constants->at(i);
  }
  return all;
}

DeviceResult<Ok> Answers::ask_problem(const AnswerPlan& plan, const ReferenceInputs& inputs,
                                      const RightAnswer& answer) {
  auto arrays = TUNER_TRY(problem_inputs(plan, inputs));
  for (const std::uint32_t index : plan_.reference->arguments) {
    if (!answer.expected[index]) continue;
    auto bytes = problem_->answer(problem_set(plan_, inputs.set), arrays,
                                  problem_array(plan_.arguments[index]));
    if (!bytes) return Unexpected{DeviceFailure{DeviceError::kInvalid, bytes.error()}};
    auto done = backend_.memory().upload(contents_of(answer.expected[index].id()), *bytes);
    wipe(*bytes);
    if (!done) return done;
  }
  return Ok{};
}

DeviceResult<Ok> Answers::launch(const AnswerPlan& plan, const ReferenceInputs& inputs,
                                 const RightAnswer& answer) {
  SequencePlan launches = plan;
  if (!launches.arguments) launches.arguments = plan_.reference->arguments;
  std::vector<std::string> names;
  for (const std::uint32_t index : *launches.arguments) {
    names.push_back(plan_.arguments[index].name);
  }
  std::map<std::uint32_t, DeviceBuffer> tables;  // with the addresses of the reference's buffers
  const auto buffer_of = [&](std::uint32_t slot) {
    if (const auto own = tables.find(slot); own != tables.end()) return own->second.id();
    const DeviceBuffer& expected = answer.expected[slot];
    return expected ? expected.id() : inputs.data[slot];
  };
  for (std::uint32_t i = 0; i < plan_.arguments.size(); ++i) {
    if (plan_.arguments[i].is_scalar || plan_.arguments[i].addresses.empty()) continue;
    ArgumentPlan table = plan_.arguments[i];
    auto buffer = TUNER_TRY(memory_.allocate_guarded(bytes_of(table)));
    TUNER_TRY(fill_table(backend_.memory(), table, buffer_of));
    TUNER_TRY(memory_.fill(buffer.id(), table));
    tables.emplace(i, std::move(buffer));
  }
  const auto passed = [&](std::uint32_t index, const Places& places) {
    return launch_argument(argument_of(plan_, plan.overrides, places[index]), index,
                           [&](std::uint32_t of) { return buffer_of(places[of]); });
  };
  auto kernel = TUNER_TRY(backend_.load(plan.artifact));
  auto done = set_constants(kernel.id, plan.artifact, inputs);
  if (done) {
    const auto sequence = launch_sequence(launches, kernel, plan_.arguments.size(), passed);
    done = launch_and_time(sequence, plan, inputs, answer);
  }
  backend_.unload(kernel.id);
  if (!done) return Unexpected{with_names(done.error(), names)};
  return done;
}

// Whether its time would compare with those of variants: not where only they are timed on copies of
// the buffers, or on inputs that were written just before.
bool Answers::is_timed_like_variants() const {
  const MeasureSpec& measure = plan_.measure;
  const bool fresh = measure.inputs == TimedInputs::kFresh;
  return measure.cache != CacheState::kRotate && !(fresh && measure.cache == CacheState::kHot);
}

// How the reference is timed; nothing where a launch would not leave what the first one left, since
// nothing is zeroed here.
std::optional<TimingRequest> Answers::timing_of(const AnswerPlan& plan,
                                                const ReferenceInputs& inputs,
                                                const RightAnswer& answer) const {
  TimingRequest request{5, 1, plan_.measure.cache == CacheState::kCold, {}};
  request.graph = plan_.measure.mode == LaunchMode::kGraph;
  for (const std::uint32_t index : plan_.reference->arguments) {
    const ArgumentPlan& argument = argument_of(plan_, plan.overrides, index);
    if (is_working_space(argument.role)) return std::nullopt;
    if (argument.is_scalar || argument.role != Role::kInOut) continue;
    request.restores.push_back(
        {answer.expected[index].id(), inputs.pristine[index], kGuardBytes + bytes_of(argument)});
  }
  return request;
}

// Timed where there is one answer, and that is cheap. One that can be launched and not timed has no
// time; it is launched once more, because an answer may have been taken back for the timing.
DeviceResult<Ok> Answers::launch_and_time(const LaunchSequence& launch, const AnswerPlan& plan,
                                          const ReferenceInputs& inputs,
                                          const RightAnswer& answer) {
  constexpr double kMost = 0.1;  // seconds
  const Stopwatch since;
  auto done = backend_.launch(launch);
  const bool is_cheap = since.seconds() <= kMost;
  const bool first =
      inputs.set.number == 0 && reference_ms_ == 0 && plan_.reference->answers.size() == 1;
  if (!done || !is_cheap || !first || !is_timed_like_variants()) return done;
  const auto request = timing_of(plan, inputs, answer);
  if (!request) return done;
  const auto times = backend_.time(launch, *request);
  if (times) {
    reference_ms_ = median(*times);
    return Ok{};
  }
  for (const Restore& one : request->restores) {
    done = backend_.memory().copy({one.to, 0}, {one.from, 0}, one.bytes);
    if (!done) return Unexpected{times.error()};
  }
  if (!backend_.launch(launch)) return Unexpected{times.error()};
  return Ok{};
}

DeviceResult<Ok> Answers::set_constants(KernelId kernel, const Artifact& artifact,
                                        const ReferenceInputs& inputs) {
  for (std::size_t i = 0; i < plan_.constants.size(); ++i) {
    const ArgumentPlan& constant = plan_.constants[i];
    for (const auto& [name, lowered] : artifact.symbols) {
      if (name != constant.name) continue;
      auto set = backend_.set_symbol(
          kernel, lowered, constant.is_scalar ? constant.scalar : inputs.constants->at(i));
      if (set) continue;
      if (set.error().error == DeviceError::kInvalid) wrong_constant_ = name;
      return Unexpected{in_context(name, set.error())};
    }
  }
  return Ok{};
}

// ---- whether it can be right --------------------------------------------------------------------

namespace {

// An answer differs from itself where it is NaN.
DeviceResult<Comparison> compared_with_itself(DeviceMemory& memory, const ArgumentPlan& argument,
                                              BufferId id) {
  const BufferRange all = contents_of(id);
  return memory.compare(all, all, argument.type, argument.elements, 0, 0);
}

}  // namespace

namespace {

// A share of the size of an answer's numbers. Of an answer that is all zero nothing is known: it is
// compared as one whose numbers are about 1.
double share_of(const AnswerSize& size, double share, DataType type) {
  if (share == 0) return 0;
  return std::max(share * (size.rms > 0 ? size.rms : 1), smallest_step(type));
}

}  // namespace

// An absolute tolerance that the study does not name is a share of how large the numbers are, so
// that an answer in other units is judged alike.
DeviceResult<std::vector<CheckPlan>> Answers::checks_of(const RightAnswer& answer) {
  std::vector<CheckPlan> checks = plan_.checks;
  const auto apply = [this](const ArgumentPlan& argument, BufferId id, double& atol) {
    auto size =
        size_of_answer(backend_.memory(), contents_of(id), argument.type, argument.elements);
    if (size) atol = share_of(*size, atol, argument.type);
    return size;
  };
  for (CheckPlan& check : checks) {
    const DeviceBuffer& expected = answer.expected[check.argument];
    const ArgumentPlan& argument = plan_.arguments[check.argument];
    if (!expected) continue;
    if (argument.members.empty()) {
      if (check.atol_is_share) TUNER_TRY(apply(argument, expected.id(), check.atol));
      continue;
    }
    if (std::ranges::none_of(check.members, &Closeness::atol_is_share)) continue;
    const auto members = TUNER_TRY(split_members(backend_.memory(), argument, expected.id()));
    for (std::size_t i = 0; i < members.size() && i < check.members.size(); ++i) {
      Closeness& own = check.members[i];
      if (own.atol_is_share) TUNER_TRY(apply(members[i].argument, members[i].data.id(), own.atol));
    }
    TUNER_TRY(wipe_members(members));
  }
  return checks;
}

DeviceResult<Ok> Answers::check(const AnswerPlan& plan, RightAnswer& answer) {
  for (const std::uint32_t index : plan_.reference->arguments) {
    const DeviceBuffer& expected = answer.expected[index];
    if (!expected) continue;
    const ArgumentPlan& argument = argument_of(plan_, plan.overrides, index);
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
