// Launches the reference, and times it where its time compares with those of variants.

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/try.h"
#include "tuner/measure/answer_plan.h"
#include "tuner/measure/answers.h"
#include "tuner/measure/launch_sequence.h"
#include "tuner/model/statistics.h"
#include "tuner/resolve/argument_names.h"

namespace tuner {

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
    return launch_argument(argument_of(plan_, plan, places[index]), index,
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
    const ArgumentPlan& argument = argument_of(plan_, plan, index);
    if (argument.role >= Role::kScratch) return std::nullopt;
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
  constexpr std::chrono::milliseconds kMost{100};
  const auto start = std::chrono::steady_clock::now();
  auto done = backend_.launch(launch);
  const bool is_cheap = std::chrono::steady_clock::now() - start <= kMost;
  const bool first = inputs.set == 0 && reference_ms_ == 0 && plan_.reference->answers.size() == 1;
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

}  // namespace tuner
