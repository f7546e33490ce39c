// `tuner gate`: whether what is new is slower than what was there, measured in turns until that is
// known.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/interrupt.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/one_try.h"
#include "tuner/commands/result_sets.h"
#include "tuner/files/results_json.h"
#include "tuner/model/json_text.h"
#include "tuner/model/study.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/study/unverified.h"
#include "tuner/trust/gate.h"
#include "tuner/worker/plugins.h"

namespace tuner {

namespace {

// Undecided is no failure of the program, and no pass either: the status of what is not available.
constexpr int kExitUndecided = kExitUnavailable;

struct GateOptions : DeviceOptions {
  std::string base, head, configuration;
  GateRule rule;
  bool json = false;
  std::string color = "auto";
};

GateOptions parse_gate(const Strings& words) {
  GateOptions o;
  std::string allow = "1%";
  OptionTable add;
  add("study", o.study, "the study with the sizes, inputs and reference");
  add("allow", allow, "how much slower HEAD may be");
  add("seconds", o.rule.seconds, "time for one size; after it the size is undecided");
  add("configuration", o.configuration,
      "NAME=VALUE,... that a source tree runs, instead of the study's baseline or first valid one");
  add.sizes(o);
  add.device(o);
  add.timeout(o.settings.timeout, "seconds for one launch");
  add("json", o.json, "the verdict as JSON");
  add.plugin_dirs(o.plugin_dirs);
  add.color(o.color);
  const auto values = add.parse(words, "tuner gate BASE HEAD --study STUDY [options]");
  const Strings given = inputs(values);
  if (given.size() != 2) {
    wrong_usage("gate takes two source trees, results folders, exports or configurations");
  }
  if (o.study.empty()) wrong_usage("which study? Give --study");
  o.base = given[0];
  o.head = given[1];
  o.rule.allow = parse_share("--allow", allow);
  if (!(o.rule.seconds > 0)) wrong_usage("--seconds must be a positive number of seconds");
  return o;
}

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// ---- the two sides ------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& side, const std::string& why) {
  wrong_usage("'" + side + "' " + why);
}

// ---- source trees -------------------------------------------------------------------------------

// Finds the counterpart of a file in another tree: by its path below the current folder, or else
// below the study's.
std::optional<fs::path> in_tree(const fs::path& tree, const fs::path& file, const Study& study) {
  std::error_code error;
  for (const fs::path& root : {fs::current_path(), study.file.parent_path()}) {
    const fs::path below = file.lexically_relative(root);
    if (below.empty() || *below.begin() == "..") continue;
    const fs::path other = (fs::absolute(tree) / below).lexically_normal();
    if (fs::exists(other, error)) return other;
  }
  return std::nullopt;
}

bool take_tree(const fs::path& tree, const Study& original, Study& study) {
  const auto source = in_tree(tree, original.kernel.source, original);
  if (!source) return false;
  study = with_source(original, *source);
  for (auto* files : {&study.kernel.units, &study.kernel.include_dirs}) {
    for (fs::path& file : *files) file = in_tree(tree, file, original).value_or(file);
  }
  return true;
}

// ---- results ------------------------------------------------------------------------------------

struct Winner {
  std::string device;
  std::vector<std::pair<std::string, std::int64_t>> size;
  Configuration configuration;
};

// The study's value that is written like this one; nothing: it has none.
std::optional<Value> value_of(const Parameter& parameter, const std::string& text) {
  const auto found = std::ranges::find_if(
      parameter.values, [&](const Value& value) { return to_text(value) == text; });
  return found == parameter.values.end() ? std::nullopt : std::optional(*found);
}

template <typename TextOf>
Configuration configuration_from(const std::string& side, const Study& study,
                                 const TextOf& text_of) {
  Configuration out;
  for (const Parameter& parameter : study.parameters) {
    const std::optional<std::string> text = text_of(parameter.name);
    if (!text) refuse(side, "has no parameter '" + parameter.name + "'");
    const auto value = value_of(parameter, *text);
    if (!value)
      refuse(side, fmt::format("has {}={}, which the study does not have", parameter.name, *text));
    out.push_back(*value);
  }
  return out;
}

std::vector<Winner> winners_of_results(const std::string& side, const Study& study) {
  std::vector<Winner> winners;
  for (const StoredResults& set : result_sets(side, &study, {}, [](const std::string&) {})) {
    const RankedResults& ranked = set.ranked;
    if (ranked.ranked == 0) continue;
    const std::vector<std::string>& names = set.parameters;
    const Configuration& best = ranked.trials.front().configuration;
    const auto text_of = [&](const std::string& name) -> std::optional<std::string> {
      const auto at = std::ranges::find(names, name);
      if (at == names.end()) return std::nullopt;
      return to_text(best.at(static_cast<std::size_t>(at - names.begin())));
    };
    winners.push_back(
        {ranked.device.name, ranked.size.dims, configuration_from(side, study, text_of)});
  }
  return winners;
}

// Reads the winners from a file of `tuner export --format json`.
std::vector<Winner> winners_of_json(const std::string& side, const Study& study) {
  std::vector<Winner> winners;
  try {
    const Json document = Json::parse(read_file(side));
    for (const Json& one : document.at("results")) {
      const Json& trials = one.at("trials");
      if (trials.empty() || trials.front().at("rank").is_null()) continue;
      const Json& best = trials.front().at("configuration");
      const auto text_of = [&](const std::string& name) -> std::optional<std::string> {
        if (!best.contains(name)) return std::nullopt;
        return to_text(value_from_json(best.at(name)));
      };
      Winner winner{one.at("device").at("name"), {}, configuration_from(side, study, text_of)};
      for (const auto& [name, extent] : one.at("size").items())
        winner.size.emplace_back(name, extent);
      winners.push_back(std::move(winner));
    }
  } catch (const nlohmann::json::exception&) {
    refuse(side, "is no export of 'tuner export --format json'");
  }
  return winners;
}

// Picks a size's winner on this device, else on any other.
Configuration winner_at(const std::string& side, const std::vector<Winner>& winners,
                        const ProblemSize& size, const DeviceFacts& device) {
  const Winner* found = nullptr;
  for (const Winner& winner : winners) {
    if (winner.size != size.dims) continue;
    if (found == nullptr || winner.device == device.name) found = &winner;
  }
  if (found == nullptr) refuse(side, "has no results at " + size.label());
  return found->configuration;
}

// A tree that holds the study's sources, a results folder, a file with results or an export, or
// "NAME=VALUE,...". `given`: what a tree runs; empty: the study's baseline, or else its first valid
// configuration. Throws InputError.
GateSide gate_side(const std::string& text, const Study& study, const Assignments& given) {
  GateSide side{text, study, {}};
  side.study = with_source(study, study.kernel.source);
  const auto chosen = std::make_shared<const Study>(study);
  const auto of_study = [chosen](const Assignments& assigned) {
    return [chosen, assigned](const ProblemSize& size, const DeviceFacts& device) {
      return chosen_configuration(*chosen, assigned, size, device);
    };
  };
  std::error_code error;
  if (!fs::exists(text, error)) {
    if (text.find('=') == std::string::npos) {
      refuse(text, "is neither a folder, a file nor NAME=VALUE,...");
    }
    side.configuration = of_study(assignments_of({text}));
    return side;
  }
  if (fs::is_directory(text, error) && take_tree(text, study, side.study)) {
    side.configuration = of_study(given);
    return side;
  }
  auto winners = fs::path(text).extension() == ".json" ? winners_of_json(text, study)
                                                       : winners_of_results(text, study);
  side.configuration = [text, winners = std::move(winners)](const ProblemSize& size,
                                                            const DeviceFacts& device) {
    return winner_at(text, winners, size, device);
  };
  return side;
}

// ---- the verdict --------------------------------------------------------------------------------

GateVerdict verdict_on(const GateOutcome& outcome) {
  if (!is_valid(outcome.trials[0])) return GateVerdict::kUndecided;
  return is_valid(outcome.trials[1]) ? outcome.state.verdict : GateVerdict::kFailed;
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
  const std::string_view word = name_of(verdict_on(outcome));
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
          {"verdict", name_of(verdict_on(outcome))},
          {"base", side_json(study, outcome.configurations[0], outcome.trials[0], state.base_ms)},
          {"head", side_json(study, outcome.configurations[1], outcome.trials[1], state.head_ms)},
          {"same_program", outcome.is_one_program},
          {"ratio", figure(state.ratio.median)},
          {"low", figure(state.ratio.interval.low)},
          {"high", figure(state.ratio.interval.high)},
          {"pairs", state.pairs},
          {"seconds", outcome.seconds}};
}

std::string document(const GateOptions& options, const Study& study, GateVerdict worst,
                     const std::string& same_inputs, Json sizes) {
  return dump(Json{{"kernel", study.kernel.name},
                   {"base", options.base},
                   {"head", options.head},
                   {"allow", options.rule.allow},
                   {"verdict", name_of(worst)},
                   {"same_inputs", same_inputs.empty() ? Json(nullptr) : Json(same_inputs)},
                   {"sizes", std::move(sizes)}},
              2) +
         "\n";
}

}  // namespace

int gate_command(const Strings& words) {
  const GateOptions options = parse_gate(words);
  const Colours shown(options.color, stdout);
  const auto note = noted(options.color);
  const Study study = study_of(options, note);
  const Assignments given =
      options.configuration.empty() ? Assignments{} : assignments_of({options.configuration});
  const std::array<GateSide, 2> sides{gate_side(options.base, study, given),
                                      gate_side(options.head, study, given)};
  const Settings settings = settings_with(options, sides[0].study);
  const Interrupt interrupt;
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  GateVerdict worst = GateVerdict::kPassed;
  Json sizes = Json::array();
  run_gate(settings, sides, options.rule,
           {{executable_path(), options.plugin_dirs}, catalogue, interrupt, note},
           [&](const GateOutcome& outcome) {
             if (interrupt.count() > 0) return;
             worst = std::max(worst, verdict_on(outcome));
             if (options.json) return sizes.push_back(size_json(outcome, study));
             std::cout << shown.lines(gate_text(outcome, sides, shown)) << std::flush;
           });
  if (interrupt.count() > 0) throw InterruptedError("interrupted before there was a verdict");
  const std::string same_inputs = same_inputs_text(study);
  if (options.json) {
    std::cout << document(options, study, worst, same_inputs, std::move(sizes));
  } else if (!same_inputs.empty()) {
    std::cout << shown.lines(
        "a kernel that keeps its answers would not be noticed: " + same_inputs + "\n");
  }
  if (worst == GateVerdict::kUndecided) return kExitUndecided;
  return worst == GateVerdict::kPassed ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
