// Makes the buffers and the reference's answers, and takes care of the buffers around each launch.

#include "tuner/measure/device_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/base/expected.h"
#include "tuner/base/stopwatch.h"
#include "tuner/measure/bound_launch.h"

namespace tuner {

// ---- preparing: buffers, constants, the reference -----------------------------------------------

DeviceResult<Ok> DeviceBuffers::prepare_argument(std::uint32_t index) {
  const ArgumentPlan& argument = plan_.arguments[index];
  Slot& slot = slots_[index];
  if (argument.is_scalar) return Ok{};
  slot.capacity = bytes_of(argument);
  slot.data = TUNER_TRY(memory_.allocate_guarded(slot.capacity, argument.address));
  // Small inputs are compared after every variant, with a copy. What a kernel reads and writes is
  // filled into a copy that is never launched on, and copied from there before each launch.
  const bool small_input = argument.role == Role::kIn && inputs_are_small();
  if (!small_input && argument.role != Role::kInOut) return Ok{};
  auto pristine = memory_.allocate_pristine(slot.capacity);
  if (!pristine && argument.role == Role::kInOut) return Unexpected{pristine.error()};
  if (pristine) slot.pristine = std::move(*pristine);
  return Ok{};
}

// Outputs get their contents in reset(), and so does what is read and written: from its copy. The
// copy of what is only read stays that of the first set, so that other sets are one fill each.
DeviceResult<Ok> DeviceBuffers::fill_input(Slot& slot, const ArgumentPlan& argument) {
  if (argument.is_scalar || !is_read(argument.role)) return Ok{};
  const ArgumentPlan filled = in_set(plan_, argument, set_);
  const bool in_place = argument.role == Role::kInOut;
  const bool is_other = is_other_in_set(plan_, argument, set_.number);
  if (!slot.pristine || (is_other && !in_place)) return memory_.fill(slot.data.id(), filled);
  // Once: a digest is a copy to the host, and the first set is the same each time. A problem may
  // think otherwise.
  const std::string copy = "the copy of " + argument.name + " that is kept";
  const bool is_known = slot.is_sealed && filled.fill.kind != FillSpec::Kind::kProblem;
  if (in_place || !is_known) TUNER_TRY(memory_.fill(slot.pristine.id(), filled));
  if (set_.number == 0 && !is_known) {
    TUNER_TRY(seals_.put(backend_.memory(), copy, slot.pristine.id(), kGuardBytes + slot.capacity));
    slot.is_sealed = true;
  }
  if (in_place) return Ok{};
  return memory_.copy(slot.data.id(), slot.pristine.id(), slot.capacity);
}

DeviceResult<Ok> DeviceBuffers::fill_all_inputs() {
  for (std::uint32_t i = 0; i < plan_.arguments.size(); ++i) {
    TUNER_TRY(in_context(plan_.arguments[i].name, fill_input(slots_[i], plan_.arguments[i])));
  }
  inputs_untouched_ = true;
  return constants_.fill(set_);
}

DeviceResult<Ok> DeviceBuffers::fill_drawn_inputs(std::uint32_t before) {
  for (std::uint32_t i = 0; i < plan_.arguments.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    const bool is_other =
        is_other_in_set(plan_, argument, before) || is_other_in_set(plan_, argument, set_.number);
    if (is_other) TUNER_TRY(in_context(argument.name, fill_input(slots_[i], argument)));
  }
  return constants_.fill(set_);
}

DeviceResult<Ok> DeviceBuffers::prepare(Doubts doubts) {
  slots_.resize(plan_.arguments.size());
  for (std::uint32_t i = 0; i < plan_.arguments.size(); ++i) {
    TUNER_TRY(in_context(plan_.arguments[i].name, prepare_argument(i)));
  }
  for (ArgumentPlan& argument : plan_.arguments) {
    if (argument.is_scalar || argument.addresses.empty()) continue;
    const auto buffer_of = [&](std::uint32_t of) { return slots_[of].data.id(); };
    TUNER_TRY(in_context(argument.name, fill_table(backend_.memory(), argument, buffer_of)));
  }
  TUNER_TRY(fill_all_inputs());
  return plan_.reference ? prepare_answers(doubts) : Ok{};
}

// All of them, so that a reference that cannot answer is known before anything is measured. Warns
// where right answers could hardly be told from wrong ones.
DeviceResult<Ok> DeviceBuffers::prepare_answers(Doubts doubts) {
  const bool are_sought = doubts == Doubts::kSought;
  for (const AnswerPlan& one : plan_.reference->answers) {
    const RightAnswer* answer = TUNER_TRY(answer_for(one.key));
    if (!are_sought) continue;
    const auto found = TUNER_TRY(answers_.doubts(*answer, ids()));
    warnings_.insert(warnings_.end(), found.begin(), found.end());
    TUNER_TRY(warn_of_unchanged_outputs(*answer));
  }
  if (are_sought) TUNER_TRY(warn_of_idle_inputs());
  TUNER_TRY(warn_of_unanswered_sets());
  TUNER_TRY(try_fresh_inputs());
  if (!inputs_are_small()) return Ok{};
  auto changed = TUNER_TRY(repair_inputs());
  if (changed) warnings_.push_back("the reference changes its input " + *changed);
  return Ok{};
}

// Warns of outputs that a kernel that does nothing leaves right.
DeviceResult<Ok> DeviceBuffers::warn_of_unchanged_outputs(const RightAnswer& answer) {
  for (std::size_t i = 0; i < plan_.checks.size(); ++i) {
    const std::uint32_t index = plan_.checks[i].argument;
    const Slot& slot = slots_[index];
    if (plan_.arguments[index].role != Role::kInOut || !answer.expected[index]) continue;
    TUNER_TRY(memory_.copy(slot.data.id(), slot.pristine.id(), slot.capacity));
    const auto as_it_was = TUNER_TRY(answers_.compare(answer, i, slot.data.id()));
    if (!as_it_was.message.empty()) continue;
    warnings_.push_back(
        fmt::format("{} as it was would pass: the right answer changes nothing of it",
                    plan_.arguments[index].name));
  }
  return Ok{};
}

namespace {

// The largest and the smallest of the numbers that a random fill may draw; nothing where they are
// not drawn one by one.
std::optional<std::pair<double, double>> drawn_range(const ArgumentPlan& argument) {
  constexpr double kFar = 6;  // standard deviations
  const FillSpec& fill = argument.fill;
  const bool is_plain = !argument.is_scalar && argument.role == Role::kIn && !argument.varies &&
                        argument.members.empty() && fill.same_as.empty() && !fill.sorted;
  if (!is_plain) return std::nullopt;
  switch (fill.kind) {
    case FillSpec::Kind::kUniform:
    case FillSpec::Kind::kIntegers:
      return std::pair(fill.b, fill.a);
    case FillSpec::Kind::kNormal:
      return std::pair(fill.a + kFar * fill.b, fill.a - kFar * fill.b);
    case FillSpec::Kind::kChoice:
      if (fill.values.empty()) return std::nullopt;
      return std::pair(std::ranges::max(fill.values), std::ranges::min(fill.values));
    default:
      return std::nullopt;
  }
}

}  // namespace

// Warns of inputs on which the answer does not depend as it should: a number, a size or a grid is
// wrong in the study, or in the reference. Each costs a launch of the reference or a few, so a slow
// one is spared.
DeviceResult<Ok> DeviceBuffers::warn_of_idle_inputs() {
  constexpr double kMostSeconds = 0.3;  // for all answers, and for looking
  constexpr std::uint64_t kFewest = 8;
  const AnswerPlan& first = plan_.reference->answers.front();
  const bool is_launched = first.files.empty() && !first.by_problem;
  const double seconds = answers_.seconds() * static_cast<double>(plan_.reference->answers.size());
  if (!is_launched || plan_.checks.empty() || seconds > kMostSeconds) return Ok{};
  const Stopwatch since;
  for (const std::uint32_t i : plan_.reference->arguments) {
    if (since.seconds() > kMostSeconds) break;
    const ArgumentPlan& argument = plan_.arguments[i];
    if (!drawn_range(argument) || argument.elements < kFewest) continue;
    const std::string& name = argument.name;
    if (TUNER_TRY(is_idle(i, argument.elements - argument.elements / 4))) {
      warnings_.push_back(
          TUNER_TRY(is_idle(i, 0))
              ? fmt::format("the right answer does not depend on {}: is a number or a size wrong?",
                            name)
              : fmt::format("the right answer does not depend on the last quarter of {}: is that "
                            "too large, or a number or the reference's grid too small?",
                            name));
    } else if (TUNER_TRY(is_read_behind_end(i))) {
      warnings_.push_back(fmt::format(
          "the right answer depends on what lies behind the end of {}: is that too small, or a "
          "number too large?",
          name));
    }
  }
  return Ok{};
}

// Whether other elements from there on leave the answer as it is: those of the beginning, and,
// since a largest element may be among the others, the extreme ones of their range.
DeviceResult<bool> DeviceBuffers::is_idle(std::uint32_t index, std::uint64_t from) {
  const ArgumentPlan& argument = plan_.arguments[index];
  const Slot& slot = slots_[index];
  const auto [largest, smallest] = *drawn_range(argument);
  const std::uint64_t bytes = from * size_of(argument.type);
  const std::uint64_t elements = argument.elements - from;
  const BufferRange tail{slot.data.id(), kGuardBytes + bytes};
  const auto answers_otherwise = [&]() -> DeviceResult<bool> {
    const bool changed = TUNER_TRY(answers_.is_changed_by(inputs_as_they_are()));
    TUNER_TRY(fill_input(slots_[index], argument));
    return changed;
  };
  if (from > 0) {
    TUNER_TRY(backend_.memory().copy(tail, contents_of(slot.data.id()),
                                     elements * size_of(argument.type)));
    if (TUNER_TRY(answers_otherwise())) return false;
  }
  for (const double extreme : {largest, smallest}) {
    TUNER_TRY(backend_.memory().fill(tail, elements,
                                     {Fill::Kind::kConstant, argument.type, extreme, 0, 0}));
    if (TUNER_TRY(answers_otherwise())) return false;
  }
  return true;
}

DeviceResult<bool> DeviceBuffers::is_read_behind_end(std::uint32_t index) {
  constexpr unsigned char kHuge = 0x7F;  // each byte of a floating-point number; an index is 0
  const ArgumentPlan& argument = plan_.arguments[index];
  const BufferId id = slots_[index].data.id();
  const std::uint64_t end = kGuardBytes + bytes_of(argument);
  TUNER_TRY(memory_.fill_bytes(id, end, kGuardBytes, is_floating(argument.type) ? kHuge : 0));
  const bool changed = TUNER_TRY(answers_.is_changed_by(inputs_as_they_are()));
  TUNER_TRY(memory_.fill_bytes(id, end, kGuardBytes, kGuardByte));
  return changed;
}

// Warns of requested sets of inputs (large or special numbers) that make the reference fail or
// overflow: it may compute NaN for them.
DeviceResult<Ok> DeviceBuffers::warn_of_unanswered_sets() {
  if (input_sets(plan_) == random_sets(plan_)) return Ok{};
  for (const AnswerPlan& one : plan_.reference->answers) {
    const RightAnswer* usual = TUNER_TRY(answer_for(one.key));
    usual_sizes_[one.key] = TUNER_TRY(answers_.sizes(*usual, ids()));
  }
  for (std::uint32_t set = random_sets(plan_); set < input_sets(plan_); ++set) {
    TUNER_TRY(use_inputs(set));
    for (const AnswerPlan& one : plan_.reference->answers) {
      auto answer = answer_for(one.key);
      if (answer) {
        const auto sizes = TUNER_TRY(answers_.sizes(**answer, ids()));
        if (std::ranges::none_of(sizes, [](double size) { return std::isinf(size); })) continue;
        warnings_.push_back(fmt::format("{} {}", kNotFinite, name_of_set(plan_, set)));
        break;
      }
      if (answer.error().error != DeviceError::kInvalid) return Unexpected{answer.error()};
      warnings_.push_back(
          fmt::format("{} {}: {}", kNotCompared, name_of_set(plan_, set), answer.error().message));
      break;
    }
  }
  return use_inputs(0);
}

// Computes an answer on fresh inputs, so that a reference that cannot answer there, or no memory
// for its answers, is known before anything is measured.
DeviceResult<Ok> DeviceBuffers::try_fresh_inputs() {
  if (plan_.measure.inputs != TimedInputs::kFresh || plan_.checks.empty()) return Ok{};
  TUNER_TRY(use_inputs(kTimedSet));
  for (const AnswerPlan& one : plan_.reference->answers) {
    TUNER_TRY(in_context("'inputs: fresh'", answer_for(one.key)));
  }
  return use_inputs(0);
}

std::vector<BufferId> DeviceBuffers::ids() const {
  std::vector<BufferId> ids;
  for (const Slot& slot : slots_) ids.push_back(slot.data.id());
  return ids;
}

ReferenceInputs DeviceBuffers::inputs_as_they_are() const {
  ReferenceInputs inputs;
  inputs.data = ids();
  for (const Slot& slot : slots_) inputs.pristine.push_back(slot.pristine.id());
  inputs.set = set_;
  inputs.constants = &constants_.bytes();
  return inputs;
}

DeviceResult<RightAnswer*> DeviceBuffers::answer_for(std::uint32_t key) {
  inputs_untouched_ = false;  // a reference is a kernel, too
  return answers_.find(key, inputs_as_they_are());
}

// An absolute tolerance is meant for answers of the usual size: with larger or smaller inputs it
// grows or shrinks as the largest right number does.
DeviceResult<Ok> DeviceBuffers::compute_answer(std::uint32_t key) {
  RightAnswer& right = *TUNER_TRY(answer_for(key));
  if (!scales_answers(plan_, set_.number) || !right.sizes.empty()) return Ok{};
  auto sizes = TUNER_TRY(answers_.sizes(right, ids()));
  const std::vector<double>& usual = usual_sizes_.at(key);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double ratio = sizes.at(i) / usual.at(i);
    right.sizes.push_back(std::isfinite(ratio) ? ratio : 1);
  }
  return Ok{};
}

DeviceResult<Ok> DeviceBuffers::use_inputs(std::uint32_t set) {
  if (set == 0 && set_.number == 0) return Ok{};
  const std::uint32_t before = set_.number;
  set_ = {set, set == 0 ? 0 : drawn_secret()};
  answers_.forget_other_sets();
  return fill_drawn_inputs(before);
}

DeviceResult<Ok> DeviceBuffers::restore_drawn_inputs() { return fill_drawn_inputs(set_.number); }

// ---- around each launch -------------------------------------------------------------------------

DeviceResult<Ok> DeviceBuffers::reserve(const VariantPlan& variant) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = argument_of(plan_, variant.overrides, i);
    if (argument.is_scalar || !is_working_space(argument.role)) continue;
    const std::uint64_t bytes = bytes_of(argument);
    if (bytes > slots_[i].capacity) {
      entered_.clear();
      slots_[i].data = {};  // first, so that both never exist
      slots_[i].capacity = 0;
      auto data = memory_.allocate_guarded(bytes);
      if (!data && answers_.forget()) data = memory_.allocate_guarded(bytes);
      slots_[i].data = TUNER_TRY(in_context(argument.name, std::move(data)));
      slots_[i].capacity = bytes;
    }
  }
  return Ok{};
}

BoundLaunch DeviceBuffers::bind(const VariantPlan& variant, const LoadedKernel& kernel) const {
  BoundLaunch bound;
  bound.answer = variant.answer;
  bound.constants = constants_.bind(variant);
  std::vector<Zeros> zeros;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = argument_of(plan_, variant.overrides, i);
    const Slot& slot = slots_[i];
    const std::uint64_t bytes = bytes_of(argument);
    bound.bytes.push_back(bytes);
    bound.buffers.push_back(contents_of(slot.data.id()));
    if (argument.is_scalar) continue;
    // With the guard words in front: what a variant did to these does not outlive it.
    if (argument.role == Role::kOut || argument.role == Role::kScratch) {
      const bool is_output = argument.role == Role::kOut;
      std::vector<ByteFill>& fills = is_output ? bound.poisons : bound.zeros;
      fills.push_back({{slot.data.id(), 0}, kGuardBytes, kGuardByte, 0});
      fills.push_back(
          {contents_of(slot.data.id()), bytes, is_output ? poison_for(argument) : 0U, 0});
    } else if (argument.role == Role::kInOut) {
      bound.restores.push_back({slot.data.id(), slot.pristine.id(), kGuardBytes + bytes});
    } else if (argument.role == Role::kWorkspace) {
      bound.workspaces.push_back({&plan_.arguments[i], slot.data.id(), bytes});
      if (argument.zero == Zero::kEach) zeros.push_back({contents_of(slot.data.id()), bytes});
    }
  }
  const auto passed = [&](std::uint32_t index, const Places& places) {
    const ArgumentPlan& argument = argument_of(plan_, variant.overrides, places[index]);
    return launch_argument(argument, index,
                           [&](std::uint32_t of) { return slots_[places[of]].data.id(); });
  };
  bound.sequence = launch_sequence(variant, kernel, slots_.size(), passed, zeros);
  return bound;
}

DeviceResult<Ok> DeviceBuffers::renew_workspaces(const BoundLaunch& bound) {
  for (const WorkspaceArgument& one : bound.workspaces) {
    TUNER_TRY(renew(memory_, one));
  }
  entered_ = bound.bytes;
  return Ok{};
}

DeviceResult<std::optional<std::string>> DeviceBuffers::left_behind(const BoundLaunch& bound) {
  for (const WorkspaceArgument& one : bound.workspaces) {
    if (!keeps_zeros(*one.argument)) continue;
    auto left = tuner::left_behind(backend_, memory_, one);
    if (!left || *left) return left;
  }
  return std::optional<std::string>();
}

DeviceResult<Ok> DeviceBuffers::reset(const BoundLaunch& bound, Outputs outputs) {
  inputs_untouched_ = false;
  TUNER_TRY(enter(bound));
  TUNER_TRY(begin_anew(backend_.memory(), bound));
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (plan_.arguments[i].is_scalar || plan_.arguments[i].role != Role::kScratch) continue;
    // A scratch buffer's size depends on the configuration: the guard words behind it move.
    TUNER_TRY(memory_.fill_bytes(slots_[i].data.id(), kGuardBytes + bound.bytes[i], kGuardBytes,
                                 kGuardByte));
  }
  return outputs == Outputs::kDecoys ? place_decoys(bound) : Ok{};
}

DeviceResult<bool> DeviceBuffers::zero(const BoundLaunch& bound, Role role) {
  bool is_any = false;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    const bool keeps = role == Role::kWorkspace && argument.zero != Zero::kNever;
    if (argument.is_scalar || argument.role != role || keeps) continue;
    TUNER_TRY(memory_.fill_bytes(slots_[i].data.id(), kGuardBytes, bound.bytes[i], 0));
    is_any = true;
  }
  return is_any;
}

DeviceResult<Ok> DeviceBuffers::place_decoys(const BoundLaunch& bound) {
  RightAnswer& right = *TUNER_TRY(answer_for(bound.answer));
  if (right.decoys.empty()) {
    TUNER_TRY(answers_.choose_decoys(right, ids()));
  }
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (!right.decoys[i]) continue;
    TUNER_TRY(backend_.memory().fill(contents_of(slots_[i].data.id()), plan_.arguments[i].elements,
                                     *right.decoys[i]));
  }
  return Ok{};
}

bool DeviceBuffers::has_decoys() const {
  return std::ranges::any_of(plan_.checks, [this](const CheckPlan& check) {
    return plan_.arguments[check.argument].role == Role::kOut;
  });
}

DeviceResult<std::optional<std::string>> DeviceBuffers::broken_guard() {
  std::optional<std::string> broken;
  for (std::uint32_t i = 0; i < entered_.size(); ++i) {
    if (entered_[i] == 0) continue;  // no buffer, or none of this variant
    auto outside =
        TUNER_TRY(memory_.outside_write(slots_[i].data.id(), entered_[i], plan_.arguments[i]));
    if (!broken) broken = std::move(outside);
  }
  return broken;
}

DeviceResult<OutputCheck> DeviceBuffers::check_outputs(const BoundLaunch& bound) {
  OutputCheck result;
  if (plan_.checks.empty()) return result;
  RightAnswer& right = *TUNER_TRY(answer_for(bound.answer));
  for (std::size_t i = 0; i < plan_.checks.size(); ++i) {
    if (!right.expected[plan_.checks[i].argument]) continue;
    const BufferId actual = slots_[plan_.checks[i].argument].data.id();
    auto one = TUNER_TRY(answers_.compare(right, i, actual));
    result.max_error = std::max(result.max_error, one.max_error);
    if (result.message.empty()) {
      result.message = std::move(one.message);
      result.evidence = one.evidence;
    }
  }
  return result;
}

DeviceResult<std::optional<std::string>> DeviceBuffers::damaged() {
  TUNER_TRY(use_inputs(0));
  auto broken = seals_.broken(backend_.memory());
  if (broken && !*broken) broken = constants_.seals().broken(backend_.memory());
  return broken && !*broken ? answers_.damaged() : broken;
}

std::uint64_t DeviceBuffers::kept_bytes() const {
  return seals_.bytes() + constants_.seals().bytes() + answers_.kept_bytes();
}

bool DeviceBuffers::inputs_are_small() const {
  constexpr std::uint64_t kSmall = std::uint64_t{64} << 20;
  std::uint64_t bytes = 0;
  for (const ArgumentPlan& argument : plan_.arguments) {
    if (argument.role == Role::kIn) bytes += bytes_of(argument);
  }
  return bytes <= kSmall;
}

DeviceResult<std::optional<std::string>> DeviceBuffers::repair_inputs() {
  std::optional<std::string> changed;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    if (argument.is_scalar || argument.role != Role::kIn) continue;
    const Slot& slot = slots_[i];
    const ArgumentPlan filled = in_set(plan_, argument, set_);
    const DeviceBuffer none;
    const bool is_other = is_other_in_set(plan_, argument, set_.number);
    const bool repaired =
        TUNER_TRY(memory_.repair(slot.data.id(), is_other ? none : slot.pristine, filled));
    if (repaired && !changed) changed = argument.name;
  }
  inputs_untouched_ = true;
  return changed;
}

}  // namespace tuner
