// Says everything that came of one configuration: as text for people, as JSON for programs.

#include "tuner/terminal/try_text.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "tuner/base/terminal_text.h"
#include "tuner/codec/json.h"
#include "tuner/codec/json_text.h"
#include "tuner/exporters/ranked_table.h"
#include "tuner/study/unverified.h"

namespace tuner {
namespace {

std::string line(const char* name, const std::string& text) {
  return fmt::format("  {:<15} {}\n", for_terminal(name), for_terminal(text));
}

std::string known(std::int64_t value, const char* unit) {
  return value < 0 ? "not known" : std::to_string(value) + unit;
}

std::string times(const Trial& trial, double confidence) {
  const Timing& timing = trial.timing;
  std::string text =
      sample_count(timing) < 2
          ? line("time", fmt::format("{:.5g} ms, one sample", timing.median))
          : line("time", fmt::format("{:.5g} ms, {:.4g} % interval {:.5g} to {:.5g}, least {:.5g}, "
                                     "{} samples",
                                     timing.median, 100 * confidence, timing.ci_low, timing.ci_high,
                                     timing.min, sample_count(timing)));
  std::string samples;
  for (const double sample : timing.samples) samples += fmt::format(" {:.5g}", sample);
  if (!samples.empty()) text += line("samples, ms", samples.substr(1));
  for (const auto& [name, value] : trial.metrics) {
    text += line(name.c_str(), fmt::format("{:.6g}", value));
  }
  if (const double clock = trial.conditions.clock_mhz; clock > 0) {
    text += line("clock", fmt::format("{:.0f} MHz", clock));
  }
  if (trial.watts > 0) text += line("power", fmt::format("{:.1f} W", trial.watts));
  return text;
}

std::string resources(const Trial& trial) {
  const auto shape = [](const std::array<std::uint32_t, 3>& extents) {
    return fmt::format("{} x {} x {}", extents[0], extents[1], extents[2]);
  };
  const Resources& used = trial.resources;
  return line("compilation", trial.cache_hit ? std::string("none: it was in the cache")
                                             : fmt::format("{:.0f} ms", trial.compile_ms)) +
         line("grid, block", shape(trial.geometry.grid) + ", " + shape(trial.geometry.block)) +
         line("registers", known(used.registers, " a thread")) +
         line("shared memory",
              fmt::format("{} static, {} B dynamic", known(used.static_shared_bytes, " B"),
                          trial.geometry.dynamic_shared_bytes)) +
         line("spills, local",
              known(used.spill_bytes, " B") + ", " + known(used.local_bytes, " B")) +
         line("occupancy", trial.occupancy < 0 ? std::string("not known")
                                               : fmt::format("{:.1f} %", 100 * trial.occupancy));
}

std::string answer(const Trial& trial, const std::string& unverified) {
  if (!unverified.empty()) return line("answer", "not verified: " + unverified);
  if (trial.state == TrialState::kOk || trial.state == TrialState::kDropped) {
    return line("answer", fmt::format("right; largest error {:.4g}", trial.max_error));
  }
  if (trial.max_error < 0) return {};
  return line("answer", fmt::format("largest error {:.4g}", trial.max_error));
}

// The state, in the colour of what it means.
std::string state_text(TrialState state, const Colours& colours) {
  const std::string_view name = shown_name(state);
  if (state == TrialState::kOk) return colours.good(name);
  return state == TrialState::kDropped ? colours.doubtful(name) : colours.bad(name);
}

std::string tried(const Trial& trial, const Study& study, const Colours& colours) {
  std::string text = fmt::format("  {:<16}{}\n", "state", state_text(trial.state, colours));
  if (!trial.message.empty()) text += lines_for_terminal(trial.message) + "\n";
  if (trial.state == TrialState::kOk || trial.state == TrialState::kDropped) {
    text += times(trial, study.measure.confidence);
  }
  return text + answer(trial, unverified_text(study)) + resources(trial);
}

}  // namespace

std::string try_text(const TryOutcome& outcome, const Study& study, const Colours& colours) {
  std::string text = for_terminal(fmt::format("{} on {}, {}", study.kernel.name,
                                              outcome.device.name, outcome.size.label())) +
                     "\n";
  if (!outcome.refused.empty()) {
    text += line("state", "not in the search space; what does not hold:");
    for (const std::string& rule : outcome.refused) text += "    " + for_terminal(rule) + "\n";
    return text;
  }
  text += line("configuration", configuration_text(study.parameters, outcome.configuration));
  if (!outcome.trial) return text + line("state", "interrupted");
  return text + tried(*outcome.trial, study, colours) +
         line("device", fmt::format("{}, {}, driver {}", outcome.device.backend,
                                    outcome.device.arch, outcome.device.driver)) +
         line("compiler", outcome.compiler);
}

std::string try_json(const TryOutcome& outcome, const Study& study) {
  using Json = nlohmann::ordered_json;
  Json configuration = Json::object();
  for (std::size_t i = 0; i < outcome.configuration.size(); ++i) {
    configuration[study.parameters[i].name] = value_to_json(outcome.configuration[i]);
  }
  Json size = Json::object();
  for (const auto& [name, extent] : outcome.size.dims) size[name] = extent;
  Json out{{"kernel", study.kernel.name},
           {"device", outcome.device.name},
           {"driver", outcome.device.driver},
           {"compiler", outcome.compiler},
           {"size", size},
           {"configuration", configuration},
           {"refused", outcome.refused},
           {"verified", unverified_text(study).empty()},
           {"trial", nullptr}};
  if (outcome.trial) out["trial"] = exact(encoded<Json>(*outcome.trial));
  return dump(out) + "\n";
}

}  // namespace tuner
