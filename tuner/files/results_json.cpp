// Writes study and results as JSON.

#include "tuner/files/results_json.h"

#include "tuner/model/bound.h"
#include "tuner/model/json_text.h"
#include "tuner/model/trial_figures.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const LaunchSpec& launch) {
  const auto text = [](const Expression& one) {
    return one.empty() ? Json(nullptr) : Json(one.text());
  };
  Json out;
  for (const Expression& one : launch.grid) out["grid"].push_back(text(one));
  for (const Expression& one : launch.block) out["block"].push_back(text(one));
  out["dynamic_shared_bytes"] = text(launch.dynamic_shared_bytes);
  const LaunchAttributesSpec& more = launch.attributes;
  if (!more.cluster[0].empty()) {
    for (const Expression& one : more.cluster) out["cluster"].push_back(text(one));
  }
  const auto add = [&](const char* name, const Expression& one) {
    if (!one.empty()) out[name] = one.text();
  };
  add("cooperative", more.cooperative);
  add("carveout", more.carveout);
  add("scheduling", more.scheduling);
  add("programmatic", more.programmatic);
  return out;
}

void add_rounds(const RoundsSpec& rounds, Json& out) {
  if (!rounds.repeat.empty()) out["repeat"] = rounds.repeat.text();
  for (const auto& [one, other] : rounds.swap) out["swap"].push_back({one, other});
}

Json launches_of(const Study& study) {
  Json out = json_of(study.launch);
  if (!study.launch_arguments.empty()) out["arguments"] = study.launch_arguments;
  add_rounds(study.rounds, out);
  const KernelLimits& limits = study.limits;
  for (const auto& [name, bytes] :
       {std::pair("heap", limits.heap), std::pair("stack", limits.stack),
        std::pair("printf", limits.printf)}) {
    if (bytes > 0) out["limits"][name] = bytes;
  }
  if (!study.work.empty()) out["work"] = study.work.text();
  if (study.then.empty()) return out;
  for (const NextLaunchSpec& next : study.then) {
    Json one{{"entry", next.entry}};
    one.update(json_of(next.launch));
    if (next.arguments.empty()) {
      std::string before;
      for (const ArgumentSpec& argument : study.arguments) {
        if (argument.name != before && !argument.is_beside) {
          one["arguments"].push_back(argument.name);
        }
        before = argument.name;
      }
    } else {
      one["arguments"] = next.arguments;
    }
    one["when"] = next.when.empty() ? Json(nullptr) : Json(next.when.text());
    out["then"].push_back(std::move(one));
  }
  return out;
}

Json json_of(const DeviceFacts& device) {
  Json out{{"backend", device.backend},
           {"name", device.name},
           {"slug", device.slug()},
           {"uuid", device.uuid},
           {"arch", device.arch},
           {"driver", device.driver},
           {"compute_capability", device.compute_capability}};
  for (const auto& [name, value] : device.bindings()) {
    const std::string bare = name.substr(name.find('.') + 1);
    if (!out.contains(bare)) out[bare] = value_to_json(value);
  }
  return out;
}

// Null where it took no part; samples are an empty list then.
void add_final(Json& out, const Trial& trial) {
  const auto figure = [&](FinalFigure FinalResult::*member) {
    return trial.final ? Json(((*trial.final).*member).value()) : Json(nullptr);
  };
  out["final_ms"] = figure(&FinalResult::median_ms);
  out["final_ci_low_ms"] = figure(&FinalResult::ci_low_ms);
  out["final_ci_high_ms"] = figure(&FinalResult::ci_high_ms);
  out["final_samples_ms"] = trial.final ? Json(trial.final->samples) : Json::array();
}

Json json_of(const Trial& trial, const Study& study) {
  const Shown figures = shown(trial);
  Json metrics = Json::object();
  for (const auto& [name, value] : figures.metrics) metrics[name] = value;
  Json out{{"state", name_of(trial.state)},
           {"configuration", json_of(study.parameters, trial.configuration)},
           {"objective", figures.objective},
           {"metrics", metrics},
           {"time_ms", figures.median_ms},
           {"basis", trial.final ? "final" : "search"},
           {"search_ms", trial.timing.median},
           {"ci_low_ms", trial.timing.ci_low},
           {"ci_high_ms", trial.timing.ci_high},
           {"min_ms", trial.timing.min},
           {"samples_ms", trial.timing.samples},
           {"grid", trial.geometry.grid},
           {"block", trial.geometry.block}};
  add_final(out, trial);
  add_figures(out, trial, TrialFigure::Json::kAlways);
  out["message"] = trial.message;
  if (!is_valid(trial)) {
    for (const char* name :
         {"objective", "time_ms", "basis", "search_ms", "ci_low_ms", "ci_high_ms", "min_ms"}) {
      out[name] = nullptr;
    }
  }
  return out;
}

Json json_of(const Speedup& speedup) {
  return {{"ratio", speedup.ratio},
          {"low", speedup.low},
          {"high", speedup.high},
          {"basis", speedup.by_final ? "final" : "search"}};
}

Json json_of(const BaselineResult& baseline, const Study& study) {
  Json out{{"configuration", json_of(study.parameters, baseline.configuration)},
           {"place", nullptr},
           {"speedup", nullptr}};
  if (baseline.at) out["place"] = *baseline.at;
  if (!baseline.speedups.empty()) out["speedup"] = json_of(baseline.speedups.front());
  return out;
}

Json json_of(const RankedResults& results, const Study& study) {
  Json trials = Json::array();
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    Json trial = json_of(results.trials[i], study);
    trial["rank"] = i < results.ranked ? Json(i + 1) : Json(nullptr);
    trial["tie"] = i < results.tied.size() && results.tied[i];
    add_figures(trial, results.trials[i], TrialFigure::Json::kIfKnown);
    if (!results.trials[i].device_uuid.empty()) {
      trial["device_uuid"] = results.trials[i].device_uuid;
    }
    if (const Metrics& read = results.trials[i].counters; !read.empty()) {
      for (const auto& [name, value] : read) trial["counters"][name] = value;
    }
    if (const auto bound = bound_of(results.trials[i].counters)) {
      trial["bound"] = {{"by", bound->by}, {"text", bound->text}};
    }
    if (const auto share = share_of_limit(results.trials[i])) {
      const DeviceLimit& limit = *results.trials[i].limit;
      trial["limit"] = {{"ms", limit.ms}, {"of", limit.of}, {"share", *share}};
    }
    if (const auto& advised = results.trials[i].advised) {
      trial["advised"] = {{"by", advised->by}, {"after_s", advised->after_s}};
    }
    if (!results.front.empty()) trial["front"] = i < results.front.size() && results.front[i];
    if (results.baseline && i < results.baseline->speedups.size()) {
      trial["speedup"] = json_of(results.baseline->speedups[i]);
    }
    trials.push_back(std::move(trial));
  }
  Json out{{"device", json_of(results.device)}, {"size", json_of(results.size)},
           {"label", results.size.label()},     {"date", results.date},
           {"compiler", results.compiler},      {"verified", nullptr}};
  if (results.timed) {
    out["mode"] = name_of(results.timed->mode);
    out["cache"] = name_of(results.timed->cache);
    out["inputs"] = name_of(results.timed->inputs);
  }
  if (!results.form.empty()) out["form"] = results.form;
  if (results.unverified) out["verified"] = results.unverified->empty();
  if (!results.unverified.value_or("").empty()) {
    out["unverified"] = "not verified: " + *results.unverified;
  }
  if (!results.same_inputs.empty()) out["same_inputs"] = results.same_inputs;
  if (results.outside > 0) out["outside"] = results.outside;
  if (!results.warnings.empty()) out["warnings"] = results.warnings;
  if (results.baseline) out["baseline"] = json_of(*results.baseline, study);
  if (!results.advice.empty()) out["advice"] = json_of(results.advice);
  out["trials"] = trials;
  return out;
}

}  // namespace

Json json_of(const ProblemSize& size) {
  Json out = Json::object();
  for (const auto& [name, extent] : size.dims) out[name] = extent;
  return out;
}

Json json_of(const std::vector<Parameter>& parameters, const Configuration& configuration) {
  Json out = Json::object();
  for (std::size_t i = 0; i < parameters.size() && i < configuration.size(); ++i) {
    out[parameters[i].name] = value_to_json(configuration[i]);
  }
  return out;
}

Json json_of(const std::vector<AdviceWorth>& advice) {
  Json out = Json::array();
  for (const AdviceWorth& one : advice) {
    out.push_back({{"by", one.by},
                   {"tried", one.tried},
                   {"loss", one.loss ? Json(*one.loss) : Json(nullptr)},
                   {"after_s", one.after_s}});
  }
  return out;
}

std::string results_json(const Study& study, const std::vector<RankedResults>& results) {
  Json parameters = Json::array();
  for (const Parameter& parameter : study.parameters) {
    Json values = Json::array();
    for (const Value& value : parameter.values) values.push_back(value_to_json(value));
    parameters.push_back({{"name", parameter.name}, {"values", values}});
  }
  Json derived = Json::object();
  for (const NamedExpression& one : study.derived) derived[one.name] = one.expression.text();
  Json constraints = Json::array();
  for (const Expression& rule : study.constraints) constraints.push_back(rule.text());
  Json metrics = Json::object();
  for (const NamedExpression& one : study.metrics) metrics[one.name] = one.expression.text();
  Json all = Json::array();
  for (const RankedResults& one : results) all.push_back(json_of(one, study));
  const Json document{
      {"generator", "tuner"},
      {"schema", 1},
      {"kernel",
       {{"name", study.kernel.name},
        {"source", study.kernel.source.filename().string()},
        {"entry", study.kernel.entry},
        {"define_prefix", study.kernel.define_prefix},
        {"options", study.kernel.options}}},
      {"objective", {{"name", study.objective.name}, {"maximize", study.objective.maximize}}},
      {"parameters", parameters},
      {"derived", derived},
      {"constraints", constraints},
      {"metrics", metrics},
      {"launch", launches_of(study)},
      {"results", all}};
  return dump(document, 2) + "\n";
}

}  // namespace tuner
