// Reads the sections metrics, objective, search, measure, export and work.

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>

#include "tuner/model/ranked_results.h"
#include "tuner/model/trial.h"
#include "tuner/resolve/device_limit.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {

// ---- metrics, objective, search, measure --------------------------------------------------------

namespace {

constexpr auto kBudget = key_table(
    "'budget'",
    key("evaluations", &Budget::evaluations, at_least(1), "Enough after so many configurations."),
    key("seconds", &Budget::seconds, above(0), "Enough after so much time."),
    key("target", &Budget::target, any_number(), "Enough once the objective is as good."),
    key("patience", &Budget::patience, at_least(1),
        "Enough after so many evaluations without a better one."));

constexpr auto kSearch = key_table(
    "'search'",
    key("strategy", &SearchSpec::strategy, any_text(), "A name of 'tuner list strategies'.")
        .at(&SearchSpec::where),
    key("options", &SearchSpec::options, options_of("search"), "Of the strategy."),
    key("budget", &SearchSpec::budget, keys_of(kBudget), "When it is enough."),
    key("until_loss", &SearchSpec::until_loss, from_below(0, 1, "0.03 is 3 %"),
        "Of a domain: enough when the expected loss is below."),
    key("advice", R"({"type": "array", "items": {"$ref": "#/definitions/advice"}})",
        "Who proposes configurations, which are measured first."));

constexpr auto kMeasure = key_table(
    "'measure'",
    key("mode", &MeasureSpec::mode, one_of(LaunchMode::kStream, LaunchMode::kGraph),
        "How timed launches come to the device.")
        .at(&MeasureSpec::mode_where),
    key("cache", &MeasureSpec::cache,
        one_of(CacheState::kCold, CacheState::kHot, CacheState::kRotate),
        "State of the last-level cache.")
        .at(&MeasureSpec::cache_where),
    key("inputs", &MeasureSpec::inputs, one_of(TimedInputs::kSame, TimedInputs::kFresh),
        "What the inputs hold from one timed launch to the next.")
        .at(&MeasureSpec::inputs_where),
    key("min_samples", &MeasureSpec::min_samples, from_to(1, kMostSamples),
        "Timed launches of a configuration that is not dropped, at least."),
    key("max_samples", &MeasureSpec::max_samples, from_to(1, kMostSamples),
        "Timed launches of a configuration, at most."),
    key("max_milliseconds", &MeasureSpec::max_milliseconds, above(0),
        "Kernel time for one configuration's samples."),
    key("confidence", &MeasureSpec::confidence, between(0, 1), "Of the median's interval."),
    key("precision", &MeasureSpec::precision, between(0, 1),
        "Sampling ends when the median's interval is within this share of it."),
    key("drop_above", &MeasureSpec::drop_above, above_or_zero(1, "never"),
        "A probe slower than this times the best is dropped; 0: never."),
    key("finalists", &MeasureSpec::finalists, from_to(0, kMostSamples),
        "Configurations that are measured again, alternately, at the end; 0: none."),
    key("simpler_within", &MeasureSpec::simpler_within, from_below(0, 1),
        "Among configurations less than this share slower than the fastest the simplest wins."));

// There must be something to write anew, and a right answer for it.
void check_fresh_inputs(Reader& reader) {
  const Study& study = reader.study;
  if (study.measure.inputs != TimedInputs::kFresh || !study.is_runnable()) return;
  const auto is_random = [](const ArgumentSpec& one) {
    return is_read(one.role) && one.fill.is_random();
  };
  if (std::ranges::none_of(study.arguments, is_random) &&
      std::ranges::none_of(study.constants, is_random)) {
    reader.error(
        study.measure.inputs_where,
        "'inputs: fresh' needs an argument that is filled with 'uniform', 'normal', 'integers', "
        "'zipf' or by the problem: all others hold the same numbers each time",
        "inputs: same");
  } else if (study.reference && study.reference->is_given()) {
    reader.error(
        study.measure.inputs_where,
        "'inputs: fresh' cannot be verified with a reference from files, which is the answer for "
        "one set of inputs",
        "inputs: same, or a kernel as reference");
  }
}

constexpr auto kGoal =
    key_table("an objective beside it", key("minimize", "text", ""), key("maximize", "text", ""));
constexpr auto kObjective =
    key_table("'objective'", key("minimize", "text", "What is ranked by."),
              key("maximize", "text", "What is ranked by, the largest first."),
              key("beside", R"({"type": "array", "items": {"$ref": "#/definitions/goal"}})",
                  "Weighed beside it."));

// A metric that is a counter, or has one in its expression.
bool is_of_counters(const Study& study, const std::string& metric) {
  std::set<std::string> those;
  for (const OptionValue& one : study.counters) those.insert(one.name);
  for (const NamedExpression& one : study.metrics) {
    const auto& names = one.expression.names();
    if (std::ranges::any_of(names, [&](const std::string& name) { return those.contains(name); })) {
      those.insert(one.name);
    }
  }
  return those.contains(metric);
}

// {minimize: NAME} or {maximize: NAME}.
std::optional<ObjectiveSpec> read_goal(Reader& reader, const Fields& fields, const Position& where,
                                       const std::string& what) {
  if (!fields.is_map()) return std::nullopt;
  const bool maximize = fields.mentions("maximize");
  if (maximize == fields.mentions("minimize")) {
    reader.error(where, what + " must have either 'minimize' or 'maximize'");
    return std::nullopt;
  }
  const YamlNode* node = fields.require(maximize ? "maximize" : "minimize");
  if (node == nullptr) return std::nullopt;
  const auto name = read_text(*node, "the objective");
  if (!name) return std::nullopt;
  const unsigned kinds = kTimeName | kMetricName | kCompiledName;
  if (!reader.names.knows(*name, kinds)) {
    node->error("the objective '" + *name + "' is neither time, power, energy nor a metric",
                suggestion_for(*name, reader.names.of_kinds(kTimeName | kMetricName)));
    return std::nullopt;
  }
  if (*name == "time" && maximize) {
    node->error("time cannot be maximized", "minimize: time");
  }
  if (is_of_counters(reader.study, *name)) {
    node->error("the objective '" + *name +
                    "' depends on a hardware counter, which is read of finalists only",
                "minimize: time");
    return std::nullopt;
  }
  // Shown like any metric, and ranked by.
  const auto is_it = [&](const NamedExpression& metric) { return metric.name == *name; };
  if (*name != "time" && reader.names.knows(*name, kTimeName | kCompiledName) &&
      std::ranges::none_of(reader.study.metrics, is_it)) {
    reader.study.metrics.push_back({*name, *Expression::parse(*name, {})});
  }
  return ObjectiveSpec{*name, maximize};
}

}  // namespace

void read_metrics(Reader& reader, const YamlNode& node) {
  if (!expect_map(node, "'metrics'")) {
    reader.names.set_incomplete();
    return;
  }
  for (const auto& [key, value] : node.entries) reader.names.announce(key->text);
  for (const auto& [key, value] : node.entries) {
    if (value->is_map() && value->value_of("counter") != nullptr) {
      read_counter(reader, *key, *value);
      continue;
    }
    if (value->is_map()) {
      read_observed(reader, *key, *value);
      continue;
    }
    Expression metric =
        reader.names.read(*value, "metric '" + key->text + "'",
                          kSpaceNames | kTimeName | kMetricName | kCompiledName, "a metric");
    reader.names.declare(*key, kMetricName, {key->text});
    static const std::regex kMilliseconds(R"(\btime\s*/\s*(1e3|1000)(\.0*)?\b)");
    if (std::regex_search(metric.text(), kMilliseconds)) {
      reader.warning(metric.origin(), "metric '" + key->text + "' divides 'time' by 1000",
                     "it is in seconds here, in Kernel Tuner in milliseconds");
    }
    if (!metric.empty()) reader.study.metrics.push_back({key->text, std::move(metric)});
  }
}

void read_compiled(Reader& reader, const YamlNode& node) {
  for (const YamlRef& item : items_of(node, "'compiled'")) {
    Expression rule = reader.names.read(*item, "a condition of 'compiled'",
                                        kSpaceNames | kCompiledName, "a condition of 'compiled'");
    if (rule.empty()) continue;
    const auto is_of_compiler = [&](const std::string& name) {
      return reader.names.knows(name, kCompiledName);
    };
    if (std::ranges::none_of(rule.names(), is_of_compiler)) {
      reader.warning(rule.origin(), "this condition names nothing that compilers say",
                     "among 'constraints' nothing is compiled for it");
    }
    const auto is_known_on_cpu = [](const std::string& name) {
      return name != "registers" && name != "spill_bytes" && name != "occupancy";
    };
    if (reader.study.backend.name == "cpu" && !std::ranges::all_of(rule.names(), is_known_on_cpu)) {
      reader.warning(rule.origin(),
                     "on 'cpu' nothing says registers, spill_bytes and occupancy: this "
                     "condition rules nothing out there");
    }
    reader.study.compiled.push_back(std::move(rule));
  }
}

void read_objective(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields = kObjective.fields(node, where);
  auto objective = read_goal(reader, fields, where, kObjective.what);
  if (!objective) return;
  if (const YamlNode* beside = fields.find("beside")) {
    if (!expect_list(*beside, "'beside'")) return;
    for (const auto& item : beside->items) {
      const Position at = item->where();
      const auto other = read_goal(reader, kGoal.fields(*item, at), at, kGoal.what);
      if (!other) continue;
      const auto is_same = [&](const ObjectiveSpec& o) { return o.name == other->name; };
      if (is_same(*objective) || std::ranges::any_of(objective->beside, is_same)) {
        reader.error(at, "'" + other->name + "' is an objective already");
      }
      objective->beside.push_back(*other);
    }
  }
  reader.study.objective = std::move(*objective);
}

void read_search(Reader& reader, const YamlNode& node, const Position& where) {
  reader.study.search.where = where;
  const Fields fields = kSearch.fields(node, where);
  kSearch.read(reader, fields, reader.study.search);
  if (const YamlNode* advice = fields.find("advice")) read_advice(reader, *advice);
}

void read_measure(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields = kMeasure.fields(node, where);
  MeasureSpec& measure = reader.study.measure;
  kMeasure.read(reader, fields, measure);
  if (measure.cache == CacheState::kRotate &&
      std::ranges::any_of(reader.study.arguments, is_table)) {
    reader.error(measure.cache_where,
                 "'cache: rotate' gives launches copies of the buffers, and a table "
                 "of addresses names the buffers themselves");
  }
  check_fresh_inputs(reader);
  if (measure.min_samples > measure.max_samples) {
    const bool says_max = fields.mentions("max_samples");
    reader.error(fields.where(says_max ? "max_samples" : "min_samples"),
                 "'max_samples' (" + std::to_string(measure.max_samples) +
                     ") is below 'min_samples' (" + std::to_string(measure.min_samples) + ")");
  }
}

// ---- export: how exported tables answer ---------------------------------------------------------

namespace {

constexpr auto kExport = key_table(
    "'export'",
    key("weights",
        R"({"type": "object", "additionalProperties": {"type": "number", "minimum": 0}})",
        "By dimension: how much a ratio in it counts when the nearest size is looked for."));

void read_weight(Reader& reader, const YamlNode& key, const YamlNode& value,
                 const std::vector<std::string>& dimensions) {
  const std::string what = "the weight of '" + key.text + "'";
  const auto weight = read_number(value, what);
  if (std::find(dimensions.begin(), dimensions.end(), key.text) == dimensions.end()) {
    if (!reader.names.complete()) return;
    key.error("'problem_sizes' have no dimension '" + key.text + "'",
              dimensions.empty() ? "" : suggestion_for(key.text, dimensions));
  } else if (weight && *weight < 0) {
    value.error(what + " must be at least 0, not " + value.text);
  } else if (weight) {
    reader.study.exports.weights.emplace_back(key.text, *weight);
  }
}

void read_weights(Reader& reader, const YamlNode& node, const Position& where) {
  if (!expect_map(node, "'weights'")) return;
  const std::vector<std::string> dimensions = reader.names.of_kinds(kSizeName);
  for (const auto& [key, value] : node.entries) read_weight(reader, *key, *value, dimensions);
  const auto& weights = reader.study.exports.weights;
  const bool all_zero =
      std::all_of(weights.begin(), weights.end(), [](const auto& one) { return one.second == 0; });
  if (all_zero && !weights.empty() && weights.size() == dimensions.size()) {
    reader.error(where, "all weights are 0: no size would be nearer than another");
  }
}

}  // namespace

void read_export(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields = kExport.fields(node, where);
  if (const YamlNode* weights = fields.find("weights")) {
    read_weights(reader, *weights, fields.where("weights"));
  }
}

// ---- work: what a kernel has to do at least -----------------------------------------------------

namespace {

constexpr auto kWork =
    key_table("'work'", key("bytes", "expression", "Read and written, each once."),
              key("flops", "expression", "Operations; a fused multiply-add is two."),
              key("type", "text", "Of flops: a type of arguments, or tf32."));

// Checks an amount that only the size decides, at each size; only the first mistake is reported.
void check_amount(Reader& reader, const YamlNode& node, const Expression& amount,
                  const std::string& what) {
  if (amount.empty()) return;
  const auto is_extent = [&](const std::string& name) {
    return reader.names.knows(name, kSizeName);
  };
  if (!std::ranges::all_of(amount.names(), is_extent)) return;
  for (const ProblemSize& size : reader.study.sizes) {
    Bindings names;
    for (const auto& [name, extent] : size.dims) names[name] = extent;
    const auto value = amount.evaluate(names);
    const std::string at = size.dims.empty() ? "" : " at " + size.label();
    if (!value) {
      return node.error(what + " has no value" + at + ": " + value.error().message);
    }
    const auto number = amount_of(*value);
    if (number) continue;
    return node.error(fmt::format("{} is {}{}", what, to_text(*value), at), "a number, 0 or more");
  }
}

void read_type(Reader& reader, const YamlNode& node, std::string& out) {
  const auto text = read_text(node, "'type'");
  if (!text) return;
  out = *text;
  if (text->find('{') != std::string::npos) {
    return check_placeholders(reader, node, kSpaceNames, "the type of 'work'");
  }
  const auto type = work_type_named(*text);
  if (type) {
    out = *type;
  } else {
    node.error("unknown type '" + *text + "' of 'work'", suggestion_for(*text, work_types()));
  }
}

}  // namespace

void read_work(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields = kWork.fields(node, where);
  if (!fields.is_map()) return;
  if (!fields.mentions("bytes") && !fields.mentions("flops")) {
    return reader.error(where, "'work' says neither 'bytes' nor 'flops'", "work: {bytes: 8 * N}");
  }
  LeastWork work;
  const auto read = [&](const char* key, Expression& out) {
    const YamlNode* amount = fields.require(key);
    if (amount == nullptr) return;
    const std::string what = "'" + std::string(key) + "' of 'work'";
    out = reader.names.read(*amount, what, kSpaceNames, what);
    check_amount(reader, *amount, out, what);
  };
  if (fields.mentions("bytes")) read("bytes", work.bytes);
  if (fields.mentions("flops")) read("flops", work.flops);
  if (const YamlNode* type = fields.find("type")) {
    read_type(reader, *type, work.type);
    if (!fields.mentions("flops")) {
      type->error("'type' is that of 'flops', which are not there");
    }
  }
  reader.study.least_work = std::move(work);
}

void describe_search(SchemaParts& parts) {
  const std::string_view one_goal =
      R"({"oneOf": [{"required": ["minimize"]}, {"required": ["maximize"]}]})";
  parts.definitions["goal"] = kGoal.schema(one_goal);
  parts.sections["objective"] = kObjective.schema(one_goal);
  parts.sections["work"] = kWork.schema(
      R"({"description": "What has to be done at least: shares of the device's limit, )"
      R"(and what is faster than it can be."})");
  parts.sections["search"] = kSearch.schema();
  parts.sections["measure"] = kMeasure.schema();
  parts.sections["export"] = kExport.schema();
  add_schema(parts.sections, R"({"compiled": {
    "type": "array", "items": {"$ref": "#/definitions/expression"},
    "description": "Conditions on what compilers say: registers, spill_bytes, occupancy, ..."}})");
}

}  // namespace tuner
