// `tuner try`: one configuration of a study, compiled, verified and timed, and everything that came
// of it. Nothing of it is stored.

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <string_view>

#include "tuner/base/child_process.h"
#include "tuner/base/interrupt.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/one_try.h"
#include "tuner/files/ranked_table.h"
#include "tuner/files/results_json.h"
#include "tuner/model/bound.h"
#include "tuner/model/json.h"
#include "tuner/model/json_text.h"
#include "tuner/study/unverified.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct TryOptions : DeviceOptions {
  Assignments assigned;
  bool json = false;
  std::string color = "auto";
};

TryOptions parse_try(const Strings& words) {
  TryOptions o;
  OptionTable add;
  add.device(o);
  add.sizes(o);
  add.t1(o, false);
  add.timeout(o.settings.timeout, "seconds");
  add("random-order", o.in_random_order,
      "cpu backend: run a block's threads in random order between barriers");
  add("counters", o.settings.counters, "read hardware counters, and say what limits it");
  add("json", o.json, "the result as JSON, one line for each size");
  add.plugin_dirs(o.plugin_dirs);
  add.color(o.color);
  const auto values = add.parse(words, "tuner try STUDY NAME=VALUE,... [options]");
  const Strings given = inputs(values);
  if (given.empty()) wrong_usage("which study? Give its path (see --help)");
  o.study = given.front();
  o.assigned = assignments_of({given.begin() + 1, given.end()});
  return o;
}

// ---- what came of it ----------------------------------------------------------------------------

std::string tried_line(const char* name, const std::string& text) {
  return fmt::format("  {:<15} {}\n", for_terminal(name), for_terminal(text));
}

std::string known(std::int64_t value, const char* unit) {
  return value < 0 ? "not known" : std::to_string(value) + unit;
}

std::string times(const Trial& trial, double confidence) {
  const Timing& timing = trial.timing;
  std::string text =
      sample_count(timing) < 2
          ? tried_line("time", fmt::format("{:.5g} ms, one sample", timing.median))
          : tried_line("time",
                       fmt::format("{:.5g} ms, {:.4g} % interval {:.5g} to {:.5g}, least {:.5g}, "
                                   "{} samples",
                                   timing.median, 100 * confidence, timing.ci_low, timing.ci_high,
                                   timing.min, sample_count(timing)));
  std::string samples;
  for (const double sample : timing.samples) samples += fmt::format(" {:.5g}", sample);
  if (!samples.empty()) text += tried_line("samples, ms", samples.substr(1));
  if (trial.limit) text += tried_line("of the limit", share_text(trial));
  if (const auto bound = bound_of(trial.counters)) text += tried_line("counters", bound->text);
  for (const auto& [name, value] : trial.metrics) {
    text += tried_line(name.c_str(), fmt::format("{:.6g}", value));
  }
  if (const double clock = trial.conditions.clock_mhz; clock > 0) {
    text += tried_line("clock", fmt::format("{:.0f} MHz", clock));
  }
  if (trial.watts > 0) text += tried_line("power", fmt::format("{:.1f} W", trial.watts));
  return text;
}

std::string resources(const Trial& trial) {
  const auto shape = [](const std::array<std::uint32_t, 3>& extents) {
    return fmt::format("{} x {} x {}", extents[0], extents[1], extents[2]);
  };
  const Resources& used = trial.resources;
  return tried_line("compilation", trial.cache_hit ? std::string("none: it was in the cache")
                                                   : fmt::format("{:.0f} ms", trial.compile_ms)) +
         tried_line("grid, block",
                    shape(trial.geometry.grid) + ", " + shape(trial.geometry.block)) +
         tried_line("registers", known(used.registers, " a thread")) +
         tried_line("shared memory",
                    fmt::format("{} static, {} B dynamic", known(used.static_shared_bytes, " B"),
                                trial.geometry.dynamic_shared_bytes)) +
         tried_line("spills, local",
                    known(used.spill_bytes, " B") + ", " + known(used.local_bytes, " B")) +
         tried_line("occupancy", trial.occupancy < 0
                                     ? std::string("not known")
                                     : fmt::format("{:.1f} %", 100 * trial.occupancy));
}

std::string answer(const Trial& trial, const std::string& unverified) {
  if (!unverified.empty()) return tried_line("answer", "not verified: " + unverified);
  if (is_valid(trial)) {
    return tried_line("answer", fmt::format("right; largest error {:.4g}", trial.max_error));
  }
  if (trial.max_error < 0) return {};
  return tried_line("answer", fmt::format("largest error {:.4g}", trial.max_error));
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
  if (is_valid(trial)) {
    text += times(trial, study.measure.confidence);
  }
  return text + answer(trial, unverified_text(study)) + resources(trial);
}

std::string try_text(const TryOutcome& outcome, const Study& study, const Colours& colours) {
  std::string text = for_terminal(fmt::format("{} on {}, {}", study.kernel.name,
                                              outcome.device.name, outcome.size.label())) +
                     "\n";
  if (!outcome.refused.empty()) {
    text += tried_line("state", "not in the search space; these do not hold:");
    for (const std::string& rule : outcome.refused) text += "    " + for_terminal(rule) + "\n";
    return text;
  }
  text += tried_line("configuration", configuration_text(study.parameters, outcome.configuration));
  if (!outcome.trial) return text + tried_line("state", "interrupted");
  return text + tried(*outcome.trial, study, colours) +
         tried_line("device", fmt::format("{}, {}, driver {}", outcome.device.backend,
                                          outcome.device.arch, outcome.device.driver)) +
         tried_line("compiler", outcome.compiler);
}

// One line; the form is in docs/contract.md.
std::string try_json(const TryOutcome& outcome, const Study& study) {
  using Json = nlohmann::ordered_json;
  Json out{{"kernel", study.kernel.name},
           {"device", outcome.device.name},
           {"driver", outcome.device.driver},
           {"compiler", outcome.compiler},
           {"size", json_of(outcome.size)},
           {"configuration", json_of(study.parameters, outcome.configuration)},
           {"refused", outcome.refused},
           {"verified", unverified_text(study).empty()},
           {"trial", nullptr}};
  if (outcome.trial) out["trial"] = exact(encoded<Json>(*outcome.trial));
  return dump(out) + "\n";
}

}  // namespace

int try_command(const Strings& words) {
  const TryOptions options = parse_try(words);
  const auto note = noted(options.color);
  const Settings settings = settings_with(options, study_of(options, note));
  const Interrupt interrupt;
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const Colours shown(options.color, stdout);
  bool all_right = true;
  const auto tell = [&](const TryOutcome& outcome) {
    std::cout << (options.json ? try_json(outcome, settings.study)
                               : shown.lines(try_text(outcome, settings.study, shown)));
    std::cout.flush();
    all_right = all_right && outcome.trial && outcome.trial->state == TrialState::kOk;
  };
  try_configuration(settings, options.assigned,
                    {{executable_path(), options.plugin_dirs}, catalogue, interrupt, note}, tell);
  if (interrupt.count() > 0) return kExitInterrupted;
  return all_right ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
