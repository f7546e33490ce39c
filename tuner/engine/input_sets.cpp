// Counts sets of inputs, and goes from one to another.

#include "tuner/engine/input_sets.h"

#include <algorithm>

namespace tuner {
namespace {

// So far apart begin the random numbers of two sets that neither holds any of the other's.
constexpr std::uint64_t kApart = std::uint64_t{1} << 48;

bool is_random(const ArgumentPlan& argument) {
  const FillSpec::Kind kind = argument.fill.kind;
  const bool is_input = argument.role == Role::kIn || argument.role == Role::kInOut;
  return !argument.is_scalar && is_input &&
         (kind == FillSpec::Kind::kUniform || kind == FillSpec::Kind::kNormal ||
          kind == FillSpec::Kind::kIntegers);
}

}  // namespace

std::uint32_t input_sets(const SizePlan& plan) {
  if (!plan.reference || plan.checks.empty()) return 1;
  const bool any = std::ranges::any_of(plan.arguments, is_random) ||
                   std::ranges::any_of(plan.constants, is_random);
  return any ? plan.reference->seeds : 1;
}

void move_seeds(SizePlan& plan, std::uint32_t from, std::uint32_t to) {
  const std::uint64_t shift = (std::uint64_t{to} - from) * kApart;
  for (auto* all : {&plan.arguments, &plan.constants}) {
    for (ArgumentPlan& argument : *all) argument.seed += shift;
  }
}

}  // namespace tuner
