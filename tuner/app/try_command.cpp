// `tuner try`: one configuration, and everything that came of it.

#include <fmt/format.h>

#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/app/load_study.h"
#include "tuner/base/colours.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/codec/json.h"
#include "tuner/codec/json_text.h"
#include "tuner/exporters/ranked_table.h"
#include "tuner/run/single_try.h"
#include "tuner/study/unverified.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

void line(const char* name, const std::string& text) {
  std::cout << fmt::format("  {:<16}{}\n", name, for_terminal(text));
}

std::string known(std::int64_t value, const char* unit) {
  return value < 0 ? "not known" : std::to_string(value) + unit;
}

void print_times(const Trial& trial, double confidence) {
  const Timing& timing = trial.timing;
  line("time",
       fmt::format("{:.5g} ms, {:.4g} % interval {:.5g} to {:.5g}, least {:.5g}, {} samples",
                   timing.median, 100 * confidence, timing.ci_low, timing.ci_high, timing.min,
                   sample_count(timing)));
  std::string samples;
  for (const double sample : timing.samples) samples += fmt::format(" {:.5g}", sample);
  if (!samples.empty()) line("samples, ms", samples.substr(1));
  for (const auto& [name, value] : trial.metrics) line(name.c_str(), fmt::format("{:.6g}", value));
  if (trial.watts > 0) line("power", fmt::format("{:.1f} W", trial.watts));
}

void print_resources(const Trial& trial) {
  const auto shape = [](const std::array<std::uint32_t, 3>& extents) {
    return fmt::format("{} x {} x {}", extents[0], extents[1], extents[2]);
  };
  const Resources& resources = trial.resources;
  line("compilation", trial.cache_hit ? std::string("none: it was in the cache")
                                      : fmt::format("{:.0f} ms", trial.compile_ms));
  line("grid, block", shape(trial.geometry.grid) + ", " + shape(trial.geometry.block));
  line("registers", known(resources.registers, " a thread"));
  line("shared memory",
       fmt::format("{} static, {} B dynamic", known(resources.static_shared_bytes, " B"),
                   trial.geometry.dynamic_shared_bytes));
  line("spills, local",
       known(resources.spill_bytes, " B") + ", " + known(resources.local_bytes, " B"));
  line("occupancy", trial.occupancy < 0 ? std::string("not known")
                                        : fmt::format("{:.1f} %", 100 * trial.occupancy));
}

void print_answer(const Trial& trial, const std::string& unverified) {
  if (!unverified.empty()) {
    line("answer", "not verified: " + unverified);
  } else if (trial.state == TrialState::kOk || trial.state == TrialState::kDropped) {
    line("answer", fmt::format("right; largest error {:.4g}", trial.max_error));
  } else if (trial.max_error >= 0) {
    line("answer", fmt::format("largest error {:.4g}", trial.max_error));
  }
}

// The state, in the colour of what it means.
std::string state_text(TrialState state, const Colours& colours) {
  const std::string_view name = shown_name(state);
  if (state == TrialState::kOk) return colours.good(name);
  return state == TrialState::kDropped ? colours.doubtful(name) : colours.bad(name);
}

void print(const TryOutcome& outcome, const Study& study, const Colours& colours) {
  std::cout << for_terminal(fmt::format("{} on {}, {}", study.kernel.name, outcome.device.name,
                                        outcome.size.label()))
            << "\n";
  if (!outcome.refused.empty()) {
    line("state", "not in the search space; what does not hold:");
    for (const std::string& rule : outcome.refused)
      std::cout << "    " << for_terminal(rule) << "\n";
    return;
  }
  line("configuration", configuration_text(study.parameters, outcome.configuration));
  if (!outcome.trial) {
    line("state", "interrupted");
    return;
  }
  const Trial& trial = *outcome.trial;
  std::cout << fmt::format("  {:<16}{}\n", "state", state_text(trial.state, colours));
  if (!trial.message.empty()) std::cout << lines_for_terminal(trial.message) << "\n";
  if (trial.state == TrialState::kOk || trial.state == TrialState::kDropped) {
    print_times(trial, study.measure.confidence);
  }
  print_answer(trial, unverified_text(study));
  print_resources(trial);
  line("device", fmt::format("{}, {}, driver {}", outcome.device.backend, outcome.device.arch,
                             outcome.device.driver));
  line("compiler", outcome.compiler);
}

void print_json(const TryOutcome& outcome, const Study& study) {
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
  std::cout << dump(out) << "\n";
}

}  // namespace

int try_command(const TryOptions& options) {
  const Colours noted(options.color, stderr);
  const auto note = [&](const std::string& text) {
    std::cerr << noted.note(lines_for_terminal(text)) << "\n";
  };
  RunSettings settings{load_study(options.study, options.sizes, note)};
  settings.devices = device_settings(options, settings.study);
  settings.devices.jobs = 1;
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const Colours shown(options.color, stdout);
  bool all_right = true;
  const auto tell = [&](const TryOutcome& outcome) {
    options.json ? print_json(outcome, settings.study) : print(outcome, settings.study, shown);
    std::cout.flush();
    all_right = all_right && outcome.trial && outcome.trial->state == TrialState::kOk;
  };
  try_configuration(settings, options.assigned, program, catalogue, interrupt, tell, note);
  if (interrupt.count() > 0) return kExitInterrupted;
  return all_right ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
