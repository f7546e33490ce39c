// The field lists of the nouns that only the wire knows, and all of them as JSON.

#include "tuner/worker/messages.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/codec/json.h"
#include "tuner/worker/frame.h"

namespace tuner {

using nlohmann::json;

TUNER_FIELDS(CompileRequest, source, source_name, include_dirs, options, defines, entry, arch,
             symbols, then, units, is_host_function)

TUNER_FIELDS(TensorMap, type, extents, box, swizzle)

TUNER_FIELDS(TensorMapPlan, of, map)

TUNER_FIELDS(FillSpec, kind, a, b, file, sorted, values, formula, names)

TUNER_FIELDS(TextureView, type, lanes, width, height, depth, kind, filter, outside, normalized,
             as_floats)

TUNER_FIELDS(AddressPlan, place, of, offset, texture)

TUNER_FIELDS(MemberPlan, path, offset, type, fill, seed)

TUNER_FIELDS(ArgumentPlan, name, type, is_scalar, scalar, addresses, members, elements, extents,
             role, fill, zero, seed, set, varies, has_special_values, map)

// What ranks stays with the coordinator.
TUNER_FIELDS(MeasureSpec, cache, mode, inputs, min_samples, max_samples, max_milliseconds,
             confidence, precision, drop_above, finalists, power, by_variant)

TUNER_FIELDS(CompareRule, norm, any_order, to_largest, equal_nan)

TUNER_FIELDS(CheckPlan, argument, rtol, atol, by_problem, members, how)

TUNER_FIELDS(NextLaunchPlan, name, geometry, arguments)

TUNER_FIELDS(AnswerPlan, key, values, artifact, geometry, arguments, then, rounds, swaps, overrides,
             by_problem, files)

TUNER_FIELDS(ReferencePlan, arguments, answers, seeds, fills, secret)

TUNER_FIELDS(PluginPlan, name, options)

TUNER_FIELDS(ObserverPlan, plugin, metrics)

TUNER_FIELDS(SizePlan, arguments, constants, reference, checks, deterministic, measure, problem,
             extents, observers)

TUNER_FIELDS(VariantPlan, artifact, geometry, arguments, then, rounds, swaps, overrides, answer,
             best_ms, looks_at_kept)

TUNER_FIELDS(FinalPlan, rounds, seed, seconds, fewest, counters)

template <Is<Verdict> T, typename Visit>
void for_each_field(T& verdict, Visit&& visit) {
  visit("state", verdict.state);
  for_each_field(verdict.timing, visit);
  visit("resources", verdict.resources);
  visit("max_error", verdict.max_error);
  visit("message", Bytes{verdict.message});
  visit("watts", verdict.watts);
  visit("observed", verdict.observed);
  visit("conditions", verdict.conditions);
  visit("drift", verdict.drift);
  visit("deterministic", verdict.deterministic);
  visit("kept", verdict.kept);
  visit("context_dead", verdict.context_dead);
  visit("device_lost", verdict.device_lost);
  visit("retryable", verdict.retryable);
}

namespace {

bool may_be(double figure) { return std::isfinite(figure) && figure >= 0; }

// A worker in which a kernel has written may say anything.
bool is_plausible(const Timing& timing) {
  return !timing.samples.empty() && std::ranges::all_of(timing.samples, is_time) &&
         is_time(timing.min) && timing.min <= timing.ci_low && timing.ci_low <= timing.median &&
         timing.median <= timing.ci_high && std::isfinite(timing.ci_high);
}

bool is_plausible(const Resources& resources) {
  constexpr std::int64_t kMostRegisters = 1024;  // of a thread; devices have 255
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
  const auto fits = [](std::int64_t value, std::int64_t most) {
    return value >= -1 && value <= most;
  };
  return fits(resources.registers, kMostRegisters) && fits(resources.max_threads, kMostBytes) &&
         fits(resources.static_shared_bytes, kMostBytes) &&
         fits(resources.constant_bytes, kMostBytes) && fits(resources.local_bytes, kMostBytes) &&
         fits(resources.spill_bytes, kMostBytes);
}

// What of a verdict cannot be; empty when it can.
std::string absurdity(const Verdict& verdict) {
  if (verdict.state > TrialState::kDropped) return "an unknown state";
  if (verdict.kept > Kept::kDamaged) return "an unknown state of what is kept";
  const bool is_timed = verdict.state == TrialState::kOk || verdict.state == TrialState::kDropped;
  if (is_timed && verdict.context_dead) return "a right answer of a dead context";
  if (is_timed && !is_plausible(verdict.timing)) return "times that are none";
  if (!is_plausible(verdict.resources)) return "resources that no kernel has";
  const bool are_figures = may_be(verdict.watts) && may_be(verdict.drift) &&
                           may_be(verdict.conditions.watts) &&
                           may_be(verdict.conditions.clock_mhz) && !std::isnan(verdict.max_error);
  return are_figures ? "" : "figures that are none";
}

}  // namespace

bool is_plausible(const std::vector<std::vector<double>>& samples, std::size_t finalists,
                  const FinalPlan& plan) {
  const std::size_t wanted = plan.counters.size();
  const auto most = static_cast<std::size_t>(std::max(0, plan.rounds));
  return samples.size() == finalists && std::ranges::all_of(samples, [&](const auto& of_one) {
           if (wanted > 0) return of_one.size() == wanted;
           return of_one.size() == samples.front().size() && of_one.size() <= most &&
                  std::ranges::all_of(of_one, is_time);
         });
}

std::string text_in(const json& message, const char* member) {
  const auto found = message.find(member);
  return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag_in(const json& message, const char* member) {
  const auto found = message.find(member);
  return found != message.end() && found->is_boolean() && found->get<bool>();
}

std::vector<std::string> texts_in(const json& answer, const char* member) {
  std::vector<std::string> out;
  const auto list = answer.find(member);
  if (list == answer.end() || !list->is_array()) return out;
  for (const json& one : *list) {
    if (one.is_string()) out.push_back(one.get<std::string>());
  }
  return out;
}

double time_in(const json& answer, const char* member) {
  const auto number = answer.find(member);
  if (number == answer.end() || !number->is_number()) return 0;
  const double time = number->get<double>();
  return std::isfinite(time) && time > 0 ? time : 0;
}

namespace {

template <typename Noun>
void refuse_nonsense(const Noun&) {}

void refuse_nonsense(const Verdict& verdict) {
  const std::string absurd = absurdity(verdict);
  if (!absurd.empty()) throw ProtocolError("a verdict with " + absurd);
}

}  // namespace

#define TUNER_DEFINE_WIRE_NOUN(Noun)                                   \
  void to_json(json& j, const Noun& noun) { j = encoded<json>(noun); } \
  void from_json(const json& j, Noun& noun) {                          \
    decode(j, noun);                                                   \
    refuse_nonsense(noun);                                             \
  }
TUNER_WIRE_NOUNS(TUNER_DEFINE_WIRE_NOUN)

}  // namespace tuner
