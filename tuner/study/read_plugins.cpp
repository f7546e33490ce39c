// Reads what a study leaves to plugins: backend, problem, and metrics that observers give.

#include <algorithm>

#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {

OptionList read_options(const YamlNode& node, const std::string& whose) {
  OptionList options;
  for (const auto& [key, value] : entries_of(node, "'options' of the " + whose)) {
    const auto text = read_text(*value, "option '" + key->text + "'");
    if (text) options.push_back({key->text, *text, key->where()});
  }
  return options;
}

namespace {

constexpr auto kBackend =
    key_table("'backend'",
              key("name", &BackendSpec::name, any_text(), "A name of 'tuner list'.")
                  .needed()
                  .at(&BackendSpec::where),
              key("options", &BackendSpec::options, options_of("backend"), "Of the backend."));

constexpr auto kProblem =
    key_table("'problem'",
              key("name", &ProblemSpec::name, any_text(), "A problem that a plugin offers.")
                  .needed()
                  .at(&ProblemSpec::where),
              key("options", &ProblemSpec::options, options_of("problem"), "Of the problem."));

constexpr auto kObserver =
    key_table("a metric of an observer",
              key("observer", &ObserverSpec::name, any_text(), "A name of 'tuner list observers'.")
                  .needed()
                  .at(&ObserverSpec::where),
              key("value", &ObserverSpec::value, any_text(),
                  "One of its values; that with the metric's name, or its only one, if absent.")
                  .at(&ObserverSpec::value_where),
              key("options", &ObserverSpec::options, options_of("observer"), "Of the observer."));

constexpr auto kCounter = key_table(
    "a metric that is a counter",
    key("counter", &OptionValue::value, any_text(), "Its name: dram__bytes.sum.").needed());

}  // namespace

void read_backend(Reader& reader, const YamlNode& node, const Position& where) {
  BackendSpec& backend = reader.study.backend;
  backend.where = where;
  if (!node.is_map()) {
    backend.name = read_text(node, "'backend'").value_or("");
  } else {
    kBackend.read(reader, kBackend.fields(node, where), backend);
  }
  if (backend.name.empty()) backend.name = "auto";
  if (backend.name == "auto" && !backend.options.empty()) {
    reader.error(backend.where, "options need the name of their backend", "");
  }
}

void read_problem(Reader& reader, const YamlNode& node, const Position& where) {
  ProblemSpec& problem = reader.study.problem.emplace();
  problem.where = where;
  if (!node.is_map()) {
    problem.name = read_text(node, "'problem'").value_or("");
    return;
  }
  kProblem.read(reader, kProblem.fields(node, where), problem);
}

bool is_left_to_problem(Reader& reader, const YamlNode& node, const std::string& what) {
  if (!node.is_scalar() || node.text != "problem") return false;
  if (reader.study.problem) return true;
  node.error(what + " is left to a problem, and the study names none", "problem: NAME");
  return true;
}

void warn_of_idle_problem(Reader& reader) {
  const Study& study = reader.study;
  if (!study.problem) return;
  const auto is_left = [](const auto& one) { return one.fill.kind == FillSpec::Kind::kProblem; };
  const auto fills = [&](const ArgumentSpec& argument) {
    return is_left(argument) ||
           (argument.record && std::ranges::any_of(argument.record->members, is_left));
  };
  const auto judges = [](const auto& entry) { return entry.second.by_problem; };
  const bool answers = study.reference && study.reference->from == AnswerSource::kProblem;
  if (answers || std::ranges::any_of(study.arguments, fills) ||
      std::ranges::any_of(study.constants, fills) || std::ranges::any_of(study.verify, judges)) {
    return;
  }
  reader.warning(study.problem->where,
                 "nothing is left to the problem '" + study.problem->name + "'",
                 "'fill: problem', 'reference: {by: problem}', or 'problem' in 'verify'");
}

// The metric's expression is its own name, whose value the device gives.
void read_counter(Reader& reader, const YamlNode& key, const YamlNode& node) {
  OptionValue counter{key.text, {}};
  kCounter.read(reader, kCounter.fields(node, key.where()), counter);
  reader.names.declare(key, kMetricName, {key.text});
  auto own = Expression::parse(key.text, {});
  if (!own || counter.value.empty()) return;
  reader.study.metrics.push_back({key.text, std::move(*own)});
  reader.study.counters.push_back(std::move(counter));
}

// The metric's expression is its own name, whose value the observer gives.
void read_observed(Reader& reader, const YamlNode& key, const YamlNode& node) {
  const Position where = key.where();
  reader.names.declare(key, kMetricName, {key.text});
  ObserverSpec spec{key.text, {}, {}, {}, where, where};
  kObserver.read(reader, kObserver.fields(node, where), spec);
  auto own = Expression::parse(key.text, {});
  if (!own || spec.name.empty()) return;  // that was complained of
  reader.study.metrics.push_back({key.text, std::move(*own)});
  reader.study.observers.push_back(std::move(spec));
}

void describe_plugins(SchemaParts& parts) {
  const Schema text = {{"type", "string"}};
  parts.sections["backend"] = {{"anyOf", Schema::array({text, kBackend.schema()})}};
  parts.sections["problem"] = {
      {"description",
       "A plugin's item that fills inputs, knows right answers and judges, where the study says "
       "'problem'."},
      {"anyOf", Schema::array({text, kProblem.schema()})}};
  const Schema metric = Schema::array(
      {Schema::parse(R"({"$ref": "#/definitions/expression"})"),
       kObserver.schema(R"({"description": "A value that an observer of a plugin gives."})"),
       kCounter.schema(
           R"({"description": "A hardware counter of the device, read of finalists."})")});
  parts.sections["metrics"] = {{"type", "object"}, {"additionalProperties", {{"anyOf", metric}}}};
}

}  // namespace tuner
