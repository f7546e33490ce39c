// Writes the small formats.

#include "tuner/deploy/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/model/json_text.h"
#include "tuner/resolve/resolve.h"
#include "tuner/search/ranking.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

// A word of a response file, after the rules that g++, clang and nvcc share: double quotes around
// blanks, a backslash before what would end them. No quoting helps a newline, at which every
// preprocessor ends a macro, and nvcc gives its words to a shell, which replaces $ and backticks.
std::string response_word(const std::string& text) {
  const auto impossible = std::find_if(text.begin(), text.end(), [](unsigned char c) {
    return (c < 0x20 && c != '\t') || c == 0x7F || c == '$' || c == '`';
  });
  if (impossible != text.end()) {
    const auto byte = static_cast<unsigned char>(*impossible);
    reject("", fmt::format("a response file cannot hold '{}': it has {}",
                           for_terminal(text.substr(0, 100)),
                           byte == '$' || byte == '`'
                               ? fmt::format("a '{}', which nvcc gives to a shell", *impossible)
                               : fmt::format("the control character 0x{:02x}", byte)));
  }
  if (!text.empty() && text.find_first_of(" \t\"'\\") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string_view invalidity_of(TrialState state) {
  switch (state) {
    case TrialState::kOk:
    case TrialState::kDropped:
      return "correct";
    case TrialState::kLaunch:
      return "runtime";
    case TrialState::kSuspect:
      return "correctness";
    default:
      return name_of(state);  // the other words are T4's
  }
}

Json times_of(const Trial& trial) {
  // The schema wants numbers, and JSON has neither NaN nor infinities.
  const double compile = std::isfinite(trial.compile_ms) ? trial.compile_ms : 0;
  const double cost = std::isfinite(trial.cost_seconds) ? trial.cost_seconds * 1000 : 0;
  Json times{{"compilation_time", compile},
             {"compilation", compile},
             {"benchmark", std::max(0.0, cost - compile)},
             {"framework", 0},
             {"search_algorithm", 0},
             {"validation", 0}};
  times["runtimes"] = trial.timing.samples;
  return times;
}

// Files of others have one figure for each configuration: that of the search, so that they compare.
// Where it was not kept, the final's has to do.
Shown figures_in_file(const Trial& trial) {
  const bool kept = is_time(trial.timing.median) && !std::isnan(trial.objective.value());
  if (!trial.final || !kept) return shown(trial);
  Trial searched = trial;
  searched.final.reset();
  return shown(searched);
}

double value_in_file(const Study& study, const Trial& trial) {
  const Shown figures = figures_in_file(trial);
  return study.objective.name == "time" ? figures.median_ms : figures.objective;
}

// Lists a trial's measurements. Only the best-ranked trial has the best value of the objective: see
// beside_best().
Json measurements_of(const Study& study, const RankedResults& results, const Trial& trial) {
  Json all = Json::array();
  const auto add = [&](const std::string& name, double value, const char* unit) {
    if (std::isfinite(value)) all.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  };
  const auto figure = [&](const std::string& name, double own) {
    const bool is_best = results.ranked == 0 || &trial == &results.trials.front();
    if (is_best || name != study.objective.name) return own;
    return beside_best(study.objective, value_in_file(study, results.trials.front()), own);
  };
  const Shown figures = figures_in_file(trial);
  add("time", figure("time", figures.median_ms), "ms");
  if (trial.final) add("final_time", trial.final->median_ms.value(), "ms");
  for (const auto& [name, value] : figures.metrics) {
    if (name != "time") add(name, figure(name, value), "");
  }
  return all;
}

Json result_of(const Study& study, const RankedResults& results, const Trial& trial) {
  Json configuration = Json::object();
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    configuration[study.parameters[p].name] = value_to_json(trial.configuration.at(p));
  }
  const bool valid = is_valid(trial);
  return {{"timestamp", results.date},
          {"configuration", std::move(configuration)},
          {"times", times_of(trial)},
          {"invalidity", invalidity_of(trial.state)},
          {"correctness", valid ? 1 : 0},
          {"measurements", valid ? measurements_of(study, results, trial) : Json::array()},
          {"objectives", {study.objective.name}}};
}

// One document is one line.
std::string wisdom_line(const Json& json) { return dump(json) + "\n"; }

Json wisdom_record(const RankedResults& results) {
  const Trial& best = results.trials.front();
  Json config = Json::array();
  for (const Value& value : best.configuration) config.push_back(value_to_json(value));
  Json size = Json::array();
  for (const auto& [name, extent] : results.size.dims) size.push_back(extent);
  if (size.empty()) size.push_back(1);
  return {{"config", std::move(config)},
          {"problem_size", std::move(size)},
          {"time", shown(best).median_ms},
          {"environment",
           {{"device_name", results.device.name},
            {"driver_version", results.device.driver},
            {"compiler", results.compiler},
            {"date", results.date}}}};
}

}  // namespace

const RankedResults& single_result(const std::vector<RankedResults>& results,
                                   const std::string& format) {
  const RankedResults* found = nullptr;
  std::size_t count = 0;
  std::string which;
  for (const RankedResults& one : results) {
    if (one.ranked == 0) continue;
    found = &one;
    ++count;
    which += fmt::format("\n  {} on {}", one.size.label(), one.device.name);
  }
  if (count == 1) return *found;
  if (count == 0) reject("", "there is nothing to export: no configuration was valid");
  reject("", fmt::format("{} is for one device and size; choose with --device and --size:{}",
                         format, which));
}

std::string export_defines(const Study& study, const RankedResults& results) {
  if (results.ranked == 0) reject("", "there is nothing to export: no configuration was valid");
  const Configuration& best = results.trials.front().configuration;
  // A space of this one configuration gives the names that the options may use.
  SpaceDefinition alone = definition_of_one(study, best, results.size, results.device);
  alone.constraints.clear();
  const auto request =
      compile_request(study, SearchSpace::build(std::move(alone)), best, {}, results.device, {});
  if (!request) reject("", request.error());
  std::string out;
  for (const auto& [name, value] : request->defines) {
    out += response_word(fmt::format("-D{}={}", name, value)) + "\n";
  }
  for (const std::string& option : request->options) out += response_word(option) + "\n";
  return out;
}

std::string export_t4(const Study& study, const RankedResults& results,
                      const std::string& version) {
  Json metadata{{"autotuner", "tuner"},
                {"device", results.device.name},
                {"platform", results.compiler},
                {"timestamp", results.date},
                {"timeunit", "milliseconds"},
                {"kernel", study.kernel.name},
                {"problem_size", Json::object()},
                {"objective", study.objective.name},
                {"objective_direction", study.objective.maximize ? "maximize" : "minimize"}};
  if (!version.empty()) metadata["autotuner_version"] = version;
  if (results.unverified) metadata["verified"] = results.unverified->empty();
  const bool is_cuda = results.device.compute_capability > 0 && !study.kernel.is_opencl();
  if (is_cuda) metadata["compute_api"] = "CUDA";
  for (const auto& [name, extent] : results.size.dims) metadata["problem_size"][name] = extent;
  Json all = Json::array();
  for (const Trial& trial : results.trials) all.push_back(result_of(study, results, trial));
  const Json document{
      {"schema_version", "1.1.0"}, {"metadata", std::move(metadata)}, {"results", std::move(all)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string export_wisdom(const Study& study, const std::vector<RankedResults>& results) {
  std::string out = wisdom_line({{"generator", "tuner"},
                                 {"version", "1.0"},
                                 {"key", study.kernel.name},
                                 {"objective", "time"},
                                 {"tunable_parameters", parameter_names(study.parameters)}});
  bool any = false;
  for (const RankedResults& one : results) {
    if (one.ranked == 0) continue;
    if (one.size.dims.size() > 3) {
      reject("",
             fmt::format("a wisdom file has at most three dimensions, not {}", one.size.label()));
    }
    out += wisdom_line(wisdom_record(one));
    any = true;
  }
  if (!any) reject("", "there is nothing to export: no configuration was valid");
  return out;
}

}  // namespace tuner
