// Reads what a study leaves to plugins: backend, problem, and metrics that observers give.

#include <algorithm>

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

// A name, or a name with options.
struct NamedOptions {
  std::string name;
  OptionList options;
  Position where;
};

NamedOptions named_options(const Fields& fields, const Position& where, const char* key,
                           const std::string& whose) {
  NamedOptions out{{}, {}, where};
  if (const YamlNode* name = fields.require(key)) {
    out.name = read_text(*name, "'" + std::string(key) + "'").value_or("");
    out.where = name->where();
  }
  if (const YamlNode* options = fields.find("options")) {
    out.options = read_options(*options, whose);
  }
  return out;
}

}  // namespace

void read_backend(Reader& reader, const YamlNode& node, const Position& where) {
  BackendSpec& backend = reader.study.backend;
  backend.where = where;
  if (!node.is_map()) {
    backend.name = read_text(node, "'backend'").value_or("");
  } else {
    const Fields fields(node, where, "'backend'", {"name", "options"});
    NamedOptions given = named_options(fields, where, "name", "backend");
    backend = {given.name, std::move(given.options), given.where};
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
  const Fields fields(node, where, "'problem'", {"name", "options"});
  NamedOptions given = named_options(fields, where, "name", "problem");
  problem = {given.name, std::move(given.options), given.where};
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
  const bool answers = study.reference && study.reference->by_problem;
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
  const Fields fields(node, key.where(), "a metric that is a counter", {"counter"});
  reader.names.declare(key, kMetricName, {key.text});
  const auto counter = read_text(*fields.find("counter"), "'counter'");
  auto own = Expression::parse(key.text, {});
  if (!own || !counter || counter->empty()) return;
  reader.study.metrics.push_back({key.text, std::move(*own)});
  reader.study.counters.push_back({key.text, *counter});
}

// The metric's expression is its own name, whose value the observer gives.
void read_observed(Reader& reader, const YamlNode& key, const YamlNode& node) {
  const Position where = key.where();
  const Fields fields(node, where, "a metric of an observer", {"observer", "value", "options"});
  reader.names.declare(key, kMetricName, {key.text});
  NamedOptions given = named_options(fields, where, "observer", "observer");
  ObserverSpec spec{key.text, given.name, {}, std::move(given.options), given.where, where};
  if (const YamlNode* value = fields.find("value")) {
    spec.value = read_text(*value, "'value'").value_or("");
    spec.value_where = value->where();
  }
  auto own = Expression::parse(key.text, {});
  if (!own || spec.name.empty()) return;  // that was complained of
  reader.study.metrics.push_back({key.text, std::move(*own)});
  reader.study.observers.push_back(std::move(spec));
}

}  // namespace tuner
