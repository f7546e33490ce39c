// Counts sets of inputs, and says what each holds.

#include "tuner/measure/input_sets.h"

#include <algorithm>
#include <cmath>

#include "tuner/measure/host_fills.h"

namespace tuner {
namespace {

bool is_input(const ArgumentPlan& argument) {
  return !argument.is_scalar && (argument.role == Role::kIn || argument.role == Role::kInOut);
}

bool is_among_whole_numbers(const FillSpec& fill) { return fill.kind == FillSpec::Kind::kIntegers; }

template <typename Test>
bool any_argument(const SizePlan& plan, Test test) {
  return std::ranges::any_of(plan.arguments, test) || std::ranges::any_of(plan.constants, test);
}

double smallest_normal(DataType type) {
  return std::ldexp(1.0, 2 - (1 << (facts_of(type).as_float.exponent - 1)));
}

void make_extreme(ExtremeInputs what, ArgumentPlan& argument) {
  FillSpec& fill = argument.fill;
  const double scale = facts_of(argument.type).as_float.reach;
  switch (what) {
    case ExtremeInputs::kLarge:
      fill.a *= scale;
      fill.b *= scale;
      return;
    case ExtremeInputs::kTiny:
      fill.a /= scale;
      fill.b /= scale;
      return;
    case ExtremeInputs::kEqual:
      fill.a = fill.kind == FillSpec::Kind::kUniform ? fill.a + 0.75 * (fill.b - fill.a)
                                                     : fill.a + 0.5 * fill.b;
      fill.kind = FillSpec::Kind::kConstant;
      return;
    case ExtremeInputs::kSpecial:
      argument.has_special_values = true;
      return;
  }
}

}  // namespace

// Whole numbers are often places in other inputs, so that nothing beyond their range may be put in
// their place.
bool can_be(ExtremeInputs what, const ArgumentPlan& argument) {
  const FillSpec& fill = argument.fill;
  if (!is_input(argument)) return false;
  if (is_among_whole_numbers(fill)) return what == ExtremeInputs::kSpecial && !fill.sorted;
  return is_floating(argument.type) &&
         (fill.kind == FillSpec::Kind::kUniform || fill.kind == FillSpec::Kind::kNormal);
}

bool has_inputs_for(const SizePlan& plan, ExtremeInputs what) {
  return any_argument(plan, [what](const ArgumentPlan& one) { return can_be(what, one); });
}

bool is_random(const ArgumentPlan& argument) {
  const auto is = [](const FillSpec& fill) { return fill.is_random(); };
  return is_input(argument) &&
         (is(argument.fill) || std::ranges::any_of(argument.members, is, &MemberPlan::fill));
}

bool can_draw_timed_inputs(const SizePlan& plan) {
  if (plan.measure.cache == CacheState::kHot && plan.measure.inputs != TimedInputs::kFresh) {
    return false;
  }
  const bool by_files =
      plan.reference &&
      std::ranges::any_of(plan.reference->answers, [](auto& one) { return !one.files.empty(); });
  return !by_files && any_argument(plan, [&plan](const ArgumentPlan& one) {
    return is_other_in_set(plan, one, kTimedSet);
  });
}

std::uint32_t random_sets(const SizePlan& plan) {
  if (!plan.reference || plan.checks.empty()) return 1;
  return any_argument(plan, is_random) ? plan.reference->seeds : 1;
}

std::uint32_t input_sets(const SizePlan& plan) {
  const std::uint32_t random = random_sets(plan);
  if (!plan.reference || plan.checks.empty()) return random;
  const auto has = [&plan](ExtremeInputs what) { return has_inputs_for(plan, what); };
  if (std::ranges::none_of(plan.reference->fills, has)) return random;
  return random + static_cast<std::uint32_t>(plan.reference->fills.size());
}

bool is_other_in_set(const SizePlan& plan, const ArgumentPlan& argument, std::uint32_t number) {
  if (number == 0) return false;
  if (number == kTimedSet) {
    if (!is_random(argument) || plan.measure.inputs == TimedInputs::kFresh) {
      return is_random(argument);
    }
    const auto is_slow = [](const FillSpec& fill) {
      return fill.is_random() && !fill.is_drawn_by_device();
    };
    return !is_slow(argument.fill) &&
           std::ranges::none_of(argument.members, is_slow, &MemberPlan::fill);
  }
  const std::uint32_t random = random_sets(plan);
  return number < random ? is_random(argument)
                         : can_be(plan.reference->fills.at(number - random), argument);
}

ArgumentPlan in_set(const SizePlan& plan, const ArgumentPlan& argument, const InputSet& set) {
  ArgumentPlan filled = argument;
  if (!is_other_in_set(plan, argument, set.number)) return filled;
  filled.set = problem_set(plan, set);
  filled.seed += set.draw;
  const std::uint32_t random = random_sets(plan);
  if (set.number >= random && set.number != kTimedSet) {
    make_extreme(plan.reference->fills.at(set.number - random), filled);
  }
  return filled;
}

// The sets that a study asks for have the numbers that plugins are promised. What the study makes
// extreme stands beside the problem's usual numbers.
std::uint32_t problem_set(const SizePlan& plan, const InputSet& set) {
  constexpr std::uint64_t kNumbers = std::uint64_t{1} << 31;
  if (set.number < random_sets(plan)) return set.number;
  const bool is_drawn = set.number == kTimedSet && plan.measure.inputs == TimedInputs::kFresh;
  return is_drawn ? static_cast<std::uint32_t>(kTimedSet + set.draw % kNumbers) : 0;
}

std::string name_of_set(const SizePlan& plan, std::uint32_t set) {
  const std::uint32_t random = random_sets(plan);
  if (set < random || set == kTimedSet) return "another set of inputs";
  switch (plan.reference->fills.at(set - random)) {
    case ExtremeInputs::kLarge:
      return "large inputs";
    case ExtremeInputs::kTiny:
      return "tiny inputs";
    case ExtremeInputs::kEqual:
      return "inputs that are all equal";
    case ExtremeInputs::kSpecial:
      return "inputs with special values";
  }
  return "other inputs";
}

std::string wrong_on_set(const SizePlan& plan, std::uint32_t set, const std::string& how) {
  return "right for one set of inputs, wrong for " + name_of_set(plan, set) + ": " + how;
}

bool scales_answers(const SizePlan& plan, std::uint32_t set) {
  const std::uint32_t random = random_sets(plan);
  if (set < random || set == kTimedSet) return false;
  const ExtremeInputs fill = plan.reference->fills.at(set - random);
  return fill == ExtremeInputs::kLarge || fill == ExtremeInputs::kTiny;
}

std::vector<double> special_values(const ArgumentPlan& argument) {
  const FillSpec& fill = argument.fill;
  if (is_among_whole_numbers(fill)) {
    std::vector<double> values{fill.a, fill.b, 0, 1, -1};
    std::erase_if(values, [&fill](double value) { return value < fill.a || value > fill.b; });
    return values;
  }
  const double small = smallest_normal(argument.type);
  const bool is_interval = fill.kind == FillSpec::Kind::kUniform;
  return {0.0,
          -0.0,
          1.0,
          -1.0,
          small,
          -small,
          small / 2,  // subnormal
          -small / 2,
          is_interval ? fill.a : fill.a - 2 * fill.b,
          is_interval ? fill.b : fill.a + 2 * fill.b};
}

}  // namespace tuner
