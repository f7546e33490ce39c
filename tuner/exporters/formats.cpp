#include "tuner/exporters/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/engine/resolve.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void reject(const std::string& message) {
  throw InputError(Complaint{{}, message, {}});
}

// A word of a response file: g++ and nvcc both take double quotes and backslashes.
std::string shell_word(const std::string& text) {
  if (text.find_first_of(" \t\"'\\") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

Json number_or_text(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

std::string_view invalidity_of(TrialState state) {
  switch (state) {
    case TrialState::kOk:
    case TrialState::kDropped:
      return "correct";
    case TrialState::kLaunch:
      return "runtime";
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

Json measurements_of(const Trial& trial) {
  Json all = Json::array();
  const auto add = [&](const std::string& name, double value, const char* unit) {
    if (std::isfinite(value)) all.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  };
  add("time", trial.timing.median, "ms");
  for (const auto& [name, value] : trial.metrics) {
    if (name != "time") add(name, value, "");
  }
  return all;
}

Json result_of(const Study& study, const RankedResults& results, const Trial& trial) {
  Json configuration = Json::object();
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    configuration[study.parameters[p].name] = number_or_text(trial.configuration.at(p));
  }
  const bool valid = trial.state == TrialState::kOk || trial.state == TrialState::kDropped;
  return {{"timestamp", results.date},
          {"configuration", std::move(configuration)},
          {"times", times_of(trial)},
          {"invalidity", invalidity_of(trial.state)},
          {"correctness", valid ? 1 : 0},
          {"measurements", valid ? measurements_of(trial) : Json::array()},
          {"objectives", {study.objective.name}}};
}

}  // namespace

const RankedResults& single_result(const std::vector<RankedResults>& results,
                                   const std::string& format) {
  if (results.size() == 1) return results.front();
  if (results.empty()) reject("there is nothing to export");
  std::string known;
  for (const RankedResults& one : results) {
    known += fmt::format("\n  {}, {}", one.device.name, one.size.label());
  }
  reject(fmt::format("the format {} holds one device and one size; choose from{}", format, known));
}

std::string export_defines(const Study& study, const RankedResults& results) {
  if (results.ranked == 0) reject("there is nothing to export: no configuration was valid");
  const Configuration& best = results.trials.front().configuration;
  // A space of this one configuration gives the names that the options may use.
  SpaceDefinition alone = space_definition(study, results.size, results.device);
  for (std::size_t p = 0; p < alone.parameters.size(); ++p) {
    alone.parameters[p].values = {best.at(p)};
  }
  alone.constraints.clear();
  const auto request =
      compile_request(study, SearchSpace::build(std::move(alone)), best, {}, results.device, {});
  if (!request) reject(request.error());
  std::string out;
  for (const auto& [name, value] : request->defines) {
    out += shell_word(fmt::format("-D{}={}", name, value)) + "\n";
  }
  return out;
}

std::string export_t4(const Study& study, const RankedResults& results,
                      const std::string& version) {
  Json metadata{{"autotuner", "tuner"},          {"device", results.device.name},
                {"platform", results.compiler},  {"timestamp", results.date},
                {"timeunit", "milliseconds"},    {"kernel", study.kernel.name},
                {"problem_size", Json::object()}};
  if (!version.empty()) metadata["autotuner_version"] = version;
  if (results.device.backend == "cuda") metadata["compute_api"] = "CUDA";
  for (const auto& [name, extent] : results.size.dims) metadata["problem_size"][name] = extent;
  Json all = Json::array();
  for (const Trial& trial : results.trials) all.push_back(result_of(study, results, trial));
  const Json document{
      {"schema_version", "1.1.0"}, {"metadata", std::move(metadata)}, {"results", std::move(all)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner
