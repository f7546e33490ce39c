// `tuner gate`: whether what is new is slower than what was there, measured in turns until that is
// known.

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <utility>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/codec/json.h"
#include "tuner/codec/json_text.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/gate_sides.h"
#include "tuner/resolve/objective.h"
#include "tuner/results/results_json.h"
#include "tuner/run/sources.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

namespace po = boost::program_options;

// Undecided is no failure of the program, and no pass either: the status of what is not available.
constexpr int kExitUndecided = kExitUnavailable;

struct GateOptions : DeviceOptions {
  std::string base, head, study;
  std::string configuration;
  Words sizes;
  GateRule rule;
  bool json = false;
  std::string color = "auto";
};

GateOptions parse_gate(const Words& words) {
  GateOptions o;
  std::string allow = "1%";
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("study", po::value(&o.study), "the study that both sides are measured by");
  add("allow", po::value(&allow)->default_value("1%"), "HEAD may be slower by so much");
  add("seconds", po::value(&o.rule.seconds)->default_value(60),
      "for one size, until it is left undecided");
  add("configuration", po::value(&o.configuration),
      "NAME=VALUE,... that a source tree runs, instead of the study's baseline or first valid one");
  add("size", po::value(&o.sizes)->composing(),
      "problem size such as M=1024,N=1024 instead of the study's; may be repeated");
  add("backend", po::value(&o.backend)->default_value("auto"), "auto, cuda, cpu, ...");
  add("device", po::value(&o.device)->default_value("0"), "its number");
  add("timeout", po::value(&o.timeout)->default_value(60), "seconds for one launch");
  add("json", po::bool_switch(&o.json), "the verdict as JSON");
  add("plugin-dir", po::value(&o.plugin_dirs)->composing(), "look for plugins here first");
  add_color_option(visible, o.color);
  const auto values = parse_words(words, "tuner gate BASE HEAD --study STUDY [options]", visible);
  const Words given = inputs(values);
  if (given.size() != 2) {
    wrong_usage(
        "compare what with what? Give two source trees, results folders, exports or "
        "configurations");
  }
  if (o.study.empty()) wrong_usage("which study? Give --study");
  o.base = given[0];
  o.head = given[1];
  o.rule.allow = parse_share("--allow", allow);
  if (!(o.rule.seconds > 0)) wrong_usage("--seconds must be a positive number of seconds");
  if (!(o.timeout > 0)) wrong_usage("--timeout must be a positive number of seconds");
  return o;
}

// What of all sizes is worst: slower, or head fails; then undecided.
enum class Worst { kPassed, kUndecided, kSlower };

Worst worst_of(const GateOutcome& outcome) {
  if (!is_valid(outcome.trials[1]) && is_valid(outcome.trials[0])) return Worst::kSlower;
  if (!is_valid(outcome.trials[0])) return Worst::kUndecided;
  if (outcome.state.verdict == GateVerdict::kSlower) return Worst::kSlower;
  return outcome.state.verdict == GateVerdict::kPassed ? Worst::kPassed : Worst::kUndecided;
}

std::string_view word_of(const GateOutcome& outcome) {
  if (!is_valid(outcome.trials[1]) && is_valid(outcome.trials[0])) return "failed";
  return name_of(outcome.state.verdict);
}

std::string why(const GateOutcome& outcome, const std::array<GateSide, 2>& sides) {
  std::string text;
  for (std::size_t i = 0; i < 2; ++i) {
    const Trial& trial = outcome.trials.at(i);
    if (is_valid(trial)) continue;
    text += fmt::format("  {} is {}: {}\n", for_terminal(sides.at(i).name), name_of(trial.state),
                        lines_for_terminal(trial.message));
  }
  return text;
}

std::string gate_text(const GateOutcome& outcome, const std::array<GateSide, 2>& sides,
                      const Colours& colours) {
  const GateState& state = outcome.state;
  const std::string_view word = word_of(outcome);
  const std::string shown = word == "passed"      ? colours.good(word)
                            : word == "undecided" ? colours.doubtful(word)
                                                  : colours.bad(word);
  const std::string head =
      fmt::format("{} on {}, {}: {}", for_terminal(sides[0].study.kernel.name),
                  for_terminal(outcome.device.name), outcome.size.label(), shown);
  if (outcome.is_one_program) return head + ", both are the same program\n";
  if (state.pairs == 0) return head + "\n" + why(outcome, sides);
  const double change = 100 * (state.ratio.median - 1);
  return head +
         fmt::format(
             ", {:.2f} % {} ({:+.2f} to {:+.2f} %), {:.4g} and {:.4g} ms, {} pairs in "
             "{:.1f} s\n",
             std::abs(change), change > 0 ? "slower" : "faster",
             100 * (state.ratio.interval.low - 1), 100 * (state.ratio.interval.high - 1),
             state.base_ms, state.head_ms, state.pairs, outcome.seconds) +
         why(outcome, sides);
}

using Json = nlohmann::ordered_json;

Json side_json(const Study& study, const Configuration& configuration, const Trial& trial,
               double ms) {
  return {{"configuration", json_of(study.parameters, configuration)},
          {"state", name_of(trial.state)},
          {"message", trial.message},
          {"time_ms", ms > 0 ? Json(ms) : Json(nullptr)}};
}

// One of the document's sizes; the form is in docs/contract.md.
Json size_json(const GateOutcome& outcome, const Study& study) {
  const GateState& state = outcome.state;
  const auto figure = [&](double value) { return state.pairs > 0 ? Json(value) : Json(nullptr); };
  return {{"device", outcome.device.name},
          {"size", json_of(outcome.size)},
          {"verdict", word_of(outcome)},
          {"base", side_json(study, outcome.configurations[0], outcome.trials[0], state.base_ms)},
          {"head", side_json(study, outcome.configurations[1], outcome.trials[1], state.head_ms)},
          {"same_program", outcome.is_one_program},
          {"ratio", figure(state.ratio.median)},
          {"low", figure(state.ratio.interval.low)},
          {"high", figure(state.ratio.interval.high)},
          {"pairs", state.pairs},
          {"seconds", outcome.seconds}};
}

std::string document(const GateOptions& options, const std::string& kernel, Worst worst,
                     Json sizes) {
  const char* verdict = worst == Worst::kPassed   ? "passed"
                        : worst == Worst::kSlower ? "slower"
                                                  : "undecided";
  return dump(Json{{"kernel", kernel},
                   {"base", options.base},
                   {"head", options.head},
                   {"allow", options.rule.allow},
                   {"verdict", verdict},
                   {"sizes", std::move(sizes)}},
              2) +
         "\n";
}

}  // namespace

int gate_command(const Words& words) {
  const GateOptions options = parse_gate(words);
  const Colours noted(options.color, stderr);
  const Colours shown(options.color, stdout);
  const auto note = [&](const std::string& text) {
    std::cerr << noted.note(lines_for_terminal(text)) << "\n";
  };
  const Study study = load_study(options.study, options.sizes, note);
  const Assignments given =
      options.configuration.empty() ? Assignments{} : assignments_of({options.configuration});
  const std::array<GateSide, 2> sides{gate_side(options.base, study, given),
                                      gate_side(options.head, study, given)};
  DeviceSettings settings = device_settings(options, study);
  const Interrupt interrupt;
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  Worst worst = Worst::kPassed;
  Json sizes = Json::array();
  run_gate(settings, sides, options.rule,
           {{executable_path(), options.plugin_dirs}, catalogue, interrupt, note},
           [&](const GateOutcome& outcome) {
             if (interrupt.count() > 0) return;
             worst = std::max(worst, worst_of(outcome));
             if (options.json) return sizes.push_back(size_json(outcome, study));
             std::cout << gate_text(outcome, sides, shown) << std::flush;
           });
  if (interrupt.count() > 0) return kExitInterrupted;
  if (options.json) std::cout << document(options, study.kernel.name, worst, std::move(sizes));
  return worst == Worst::kPassed   ? kExitDone
         : worst == Worst::kSlower ? kExitNothingValid
                                   : kExitUndecided;
}

}  // namespace tuner
