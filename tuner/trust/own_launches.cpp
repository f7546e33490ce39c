// Compares launches of captured kernels with what they wrote in their programs.

#include "tuner/trust/own_launches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/resolve/resolve.h"
#include "tuner/trust/replay_worker.h"

namespace tuner {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Memory where it was, with what the study compares of it: each output by its own tolerance, all
// else to the bit. It does not matter where the study itself has its arrays.
SizePlan compared_by(Study study, const ProblemSize& size) {
  study.memory_is_captured = true;
  const DeviceFacts facts = nominal_facts("sm_90");  // no captured answer depends on it
  const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
  auto plan = size_plan(study, size, facts, reference_cases(study, space));
  if (!plan) throw FatalError(plan.error());
  return std::move(*plan);
}

class OwnKernel {
 public:
  OwnKernel(const Study& study, const CapturedSize& one, double times_farther,
            const EvaluatePlans& evaluate)
      : launch_(one.launch),
        times_farther_(times_farther),
        evaluate_(evaluate),
        compared_(compared_by(study, one.size)) {}

  OwnLaunches compared() const {
    OwnLaunches out;
    const CapturedPlans bits = plans_of(launch_, ten_launches());
    if (bits.size.checks.empty()) throw FatalError("the launch left all memory as it was");
    if (is_right(evaluate_(bits))) return out;
    for (const MemberPlan& output : floats()) {
      const auto is_it = [&](const MemberPlan& one) { return one.path == output.path; };
      const auto distance = distance_of(output.path, is_it, out.elsewhere);
      if (distance.largest > 0) out.outputs.push_back(distance);
    }
    const auto is_other = [](const MemberPlan& one) { return !is_floating(one.type); };
    const Verdict others = evaluate_(of_members(is_other, 1));
    if (!is_right(others)) out.elsewhere = others.message;
    return out;
  }

 private:
  using IsMember = std::function<bool(const MemberPlan&)>;

  // Each sample with cold caches is one launch, and the answers of all but two are compared.
  static MeasureSpec ten_launches() {
    MeasureSpec out;
    out.cache = CacheState::kCold;
    out.min_samples = out.max_samples = 12;
    out.max_milliseconds = kInfinity;
    return out;
  }

  // Returns false for a wrong answer. Throws FatalError where the launch fails otherwise.
  static bool is_right(const Verdict& verdict) {
    if (verdict.state == TrialState::kCorrectness) return false;
    must_work(verdict);
    return true;
  }

  std::vector<MemberPlan> floats() const {
    std::vector<MemberPlan> out;
    for (const CheckPlan& check : compared_.checks) {
      for (const MemberPlan& one : compared_.arguments.at(check.argument).members) {
        if (is_floating(one.type)) out.push_back(one);
      }
    }
    return out;
  }

  OwnDistance distance_of(const std::string& output, const IsMember& is_it,
                          std::string& elsewhere) const {
    const Verdict near = evaluate_(of_members(is_it, 1 / times_farther_));
    if (is_right(near)) return {output, near.max_error, true};
    const Verdict any = evaluate_(of_members(is_it, kInfinity));
    if (is_right(any) && std::isfinite(any.max_error)) return {output, any.max_error, false};
    elsewhere = any.message;  // NaN is near to nothing
    return {};
  }

  // The launch with these outputs compared alone, with so many times their tolerances.
  CapturedPlans of_members(const IsMember& is_it, double times) const {
    CapturedPlans out = plans_of(launch_, ten_launches());
    AnswerPlan& answer = out.size.reference->answers.front();
    const auto& files = compared_.reference->answers.front().files;
    out.size.checks.clear();
    answer.files.clear();
    out.size.reference->arguments.clear();
    for (const CheckPlan& check : compared_.checks) {
      ArgumentPlan piece = compared_.arguments.at(check.argument);
      const auto file =
          std::ranges::find_if(files, [&](const auto& one) { return one.first == check.argument; });
      ArgumentPlan right = file->second;
      CheckPlan own = check;
      own.argument = place_of(out.size, piece.address);
      keep(is_it, times, piece, right, own);
      if (own.members.empty()) continue;
      out.size.reference->arguments.push_back(own.argument);
      out.size.arguments[own.argument] = std::move(piece);
      answer.files.emplace_back(own.argument, std::move(right));
      out.size.checks.push_back(std::move(own));
    }
    return out;
  }

  static std::uint32_t place_of(const SizePlan& plan, std::uint64_t address) {
    const auto found = std::ranges::find(plan.arguments, address, &ArgumentPlan::address);
    return static_cast<std::uint32_t>(found - plan.arguments.begin());
  }

  static void keep(const IsMember& is_it, double times, ArgumentPlan& piece, ArgumentPlan& right,
                   CheckPlan& check) {
    std::vector<MemberPlan> members;
    std::vector<Closeness> closeness;
    for (std::size_t i = 0; i < piece.members.size(); ++i) {
      if (!is_it(piece.members[i])) continue;
      members.push_back(piece.members[i]);
      members.back().is_poisoned = false;  // the launch found what it found in its program
      const Closeness& asked = check.members[i];
      closeness.push_back(std::isinf(times) ? Closeness{0, kInfinity}
                                            : Closeness{times * asked.rtol, times * asked.atol,
                                                        asked.atol_is_share});
    }
    piece.members = right.members = std::move(members);
    check.members = std::move(closeness);
  }

  const CapturedLaunch& launch_;
  double times_farther_;
  const EvaluatePlans& evaluate_;
  SizePlan compared_;
};

}  // namespace

OwnLaunches compare_own_launches(const Study& study, const CapturedSize& one, double times_farther,
                                 const EvaluatePlans& evaluate) {
  return OwnKernel(study, one, times_farther, evaluate).compared();
}

OwnLaunches compare_own_launches(const Study& study, const CapturedSize& one, double times_farther,
                                 unsigned device, double timeout, const Caller& caller) {
  ReplayWorker worker(one.launch, device, timeout, caller);
  return compare_own_launches(study, one, times_farther, [&](CapturedPlans plans) {
    return worker.evaluate(std::move(plans));
  });
}

}  // namespace tuner
