// reference: where right answers come from.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/resolve/argument_plans.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

constexpr int kMostSeeds = 100;  // each costs a launch of the reference

constexpr auto kReference = key_table(
    "'reference'", key("entry", "text", "A kernel that computes the right answer."),
    key("source", "text", "Where it is; the kernel's source if absent."),
    key("configuration",
        R"({"anyOf": [{"const": "baseline"}, {"$ref": "#/definitions/configuration"}]})",
        "Values of parameters with which it runs."),
    key("block", "axes", "Threads of a block."), key("grid", "axes", "Blocks."),
    key("dynamic_shared_bytes", "expression", "Of each block; 0 if absent."),
    key("cooperative", "expression", "true: all blocks run at once, for grid.sync()."),
    key("arguments", "names", "What it takes; all if absent."),
    key("seeds", &ReferenceSpec::seeds, from_to(1, kMostSeeds),
        "Sets of inputs that answers are compared on."),
    key("fills", R"({"type": "array", "uniqueItems": true,
                     "items": {"enum": ["large", "tiny", "equal", "special"]}})",
        "Further inputs that answers are compared on."),
    key("per", "names",
        "Parameters that the right answer depends on: one answer for each of their values."),
    key("file",
        R"({"anyOf": [{"type": "string"},
                      {"type": "object", "additionalProperties": {"type": "string"}}]})",
        "Instead of a kernel: .npy files with the right answers. {N} in a name is an extent of "
        "the size."),
    key("by", R"({"const": "problem"})",
        "Instead of a kernel: the study's problem knows the right answers."),
    key("python", "text",
        "Instead of a kernel: FILE.py:FUNCTION, a function of Python that returns the outputs."),
    key("arrays", R"({"enum": ["numpy", "torch"]})", "What that function is given."),
    key("then", "then", "Launches that follow."),
    key("repeat", "expression", "How often all launches are made."),
    key("swap", "swap", "Buffers that change places after each round."));

// The reference runs once for all configurations that share an answer, so nothing that it gets may
// vary with them.
void check_constant(Reader& reader, const ArgumentSpec& argument, const Position& where) {
  const std::vector<MemberSpec> no_members;
  std::vector<Expression> all = argument.shape;
  all.push_back(argument.value);
  for (const MemberSpec& member : argument.record ? argument.record->members : no_members) {
    all.push_back(member.value);
  }
  if (argument.map) {
    all.insert(all.end(), argument.map->box.begin(), argument.map->box.end());
    all.push_back(argument.map->swizzle);
  }
  const bool varies = std::any_of(all.begin(), all.end(), [&](const Expression& e) {
    return !e.empty() && reader.names.varies_while_held(e);
  });
  if (!varies) return;
  reader.error(
      where,
      "the reference cannot take '" + argument.name + "', which differs between configurations",
      "list the others in 'arguments' of the reference, or in 'per' the parameters that the right "
      "answer depends on, or say in 'configuration' with which values it runs");
}

bool is_type(const Study& study, const std::string& parameter) {
  return std::ranges::any_of(study.arguments, [&](const ArgumentSpec& argument) {
    return argument.choice && argument.choice->parameter == parameter;
  });
}

// Values of 'per' together: false, with a complaint, where they are too many.
bool answers_fit(Reader& reader, const Position& where) {
  std::uint64_t answers = 1;
  for (const std::string& name : reader.study.reference->per) {
    const auto& all = reader.study.parameters;
    answers *=
        std::max<std::size_t>(1, std::ranges::find(all, name, &Parameter::name)->values.size());
    if (answers <= kMostAnswers) continue;
    reader.error(
        where,
        fmt::format("'per' asks for {} right answers, one for each combination of values; at most "
                    "{} are computed",
                    answers, kMostAnswers),
        "fewer values of these parameters");
    return false;
  }
  return true;
}

// A parameter that is a type: the right answer has it, too.
void add_types(Reader& reader) {
  std::vector<std::string>& per = reader.study.reference->per;
  for (const ArgumentSpec& argument : reader.study.arguments) {
    if (!argument.choice) continue;
    const std::string& name = argument.choice->parameter;
    if (std::ranges::find(per, name) != per.end()) continue;
    per.push_back(name);
    if (!answers_fit(reader, argument.where)) return;
  }
  reader.names.hold(per);
}

// Parameters that the right answer depends on.
void read_per(Reader& reader, const YamlNode& node) {
  std::vector<std::string>& per = reader.study.reference->per;
  for (const YamlRef& item : items_of(node, "'per'")) {
    const auto name = read_text(*item, "a parameter of 'per'");
    if (!name) continue;
    const Position where = item->where();
    const auto& all = reader.study.parameters;
    const auto parameter = std::ranges::find(all, *name, &Parameter::name);
    if (is_type(reader.study, *name)) continue;  // it is in 'per' as it is
    if (parameter == all.end()) {
      reader.names.complain(where, *name, kParameterName, "'per'");
    } else if (std::ranges::find(per, *name) != per.end()) {
      item->error("'" + *name + "' is in 'per' already");
    } else {
      per.push_back(*name);
      if (!answers_fit(reader, where)) break;
    }
  }
  reader.names.hold(per);
}

// The baseline's values, but for parameters that the answer depends on.
void take_baseline(Reader& reader, const YamlNode& node) {
  const Study& study = reader.study;
  if (!study.baseline) {
    node.error("the study names no 'baseline'", "baseline: {NAME: VALUE, ...}");
    return;
  }
  ReferenceSpec& reference = *reader.study.reference;
  std::vector<std::string> held = reference.per;
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    const std::string& name = study.parameters[p].name;
    if (std::ranges::find(reference.per, name) != reference.per.end()) continue;
    reference.configuration.emplace_back(name, study.baseline->configuration[p]);
    held.push_back(name);
  }
  reader.names.hold(held);
}

// Values of parameters with which the reference is compiled.
void read_configuration(Reader& reader, const YamlNode& node) {
  if (node.is_scalar() && node.text == "baseline") return take_baseline(reader, node);
  std::map<std::string_view, const Parameter*> parameters;
  for (const Parameter& one : reader.study.parameters) parameters.emplace(one.name, &one);
  for (const auto& [key, value] : entries_of(node, "'configuration' of the reference")) {
    const std::string& name = key->text;
    const auto parameter = parameters.find(name);
    const auto chosen = read_value(*value, "'" + key->text + "'");
    if (parameter == parameters.end()) {
      reader.names.complain(key->where(), key->text, kParameterName, "'configuration'");
    } else if (chosen && std::ranges::none_of(parameter->second->values, [&](const Value& v) {
                 return same_value(v, *chosen);
               })) {
      value->error("'" + key->text + "' cannot be " + value->text, choice_of(*parameter->second));
      reader.names.hold({key->text});  // no more is said of what follows from it
    } else if (std::ranges::find(reader.study.reference->per, name) !=
               reader.study.reference->per.end()) {
      key->error("'" + name + "' " + (is_type(reader.study, name) ? "is a type" : "is in 'per'") +
                     ", so the reference gets each of its values",
                 "leave it out of 'configuration'");
    } else if (chosen) {
      reader.study.reference->configuration.emplace_back(key->text, *chosen);
      reader.names.hold({key->text});
    }
  }
}

const std::vector<std::string> kFills(kExtremeInputs.begin(), kExtremeInputs.end());

void read_fills(Reader& reader, const YamlNode& node) {
  std::vector<ExtremeInputs>& fills = reader.study.reference->fills;
  for (const YamlRef& item : items_of(node, "'fills'")) {
    const auto name = read_text(*item, "a fill of 'fills'");
    if (!name) continue;
    const auto found = std::ranges::find(kFills, *name);
    const auto fill = static_cast<ExtremeInputs>(found - kFills.begin());
    if (found == kFills.end()) {
      item->error("'fills' cannot have '" + *name + "'", suggestion_for(*name, kFills));
    } else if (std::ranges::find(fills, fill) != fills.end()) {
      item->error("'" + *name + "' is in 'fills' already");
    } else {
      fills.push_back(fill);
    }
  }
}

// Reads on which inputs answers are compared.
void read_sets(Reader& reader, const Fields& fields) {
  kReference.read(reader, fields, *reader.study.reference);
  if (const YamlNode* fills = fields.find("fills")) read_fills(reader, *fills);
}

// ---- answers in files ---------------------------------------------------------------------------

void add_file(Reader& reader, const std::string& output, const YamlNode& name) {
  const auto path = read_data_file(reader, name, kSizeName | kHeldName, "'file' of the reference");
  if (!path) return;
  reader.study.reference->files.emplace_back(output, FillSpec::of_file(*path));
  reader.study.reference->arguments.push_back(output);
}

// One name, where there is one output; or a map from outputs to names.
void read_files(Reader& reader, const YamlNode& node) {
  const std::vector<std::string> outputs = outputs_of(reader.study);
  if (node.is_map()) {
    for (const auto& [key, value] : node.entries) {
      if (std::ranges::find(outputs, key->text) != outputs.end()) {
        add_file(reader, key->text, *value);
        continue;
      }
      key->error("the kernel has no output '" + key->text + "'",
                 suggestion_for(key->text, outputs));
    }
    return;
  }
  if (outputs.size() == 1) return add_file(reader, outputs.front(), node);
  node.error(fmt::format("the kernel has {} outputs, so 'file' must say which one it is of",
                         outputs.size()),
             outputs.empty() ? "" : "file: {" + outputs.front() + ": NAME.npy}");
}

// Refuses the keys that launches of a kernel need, and `more`.
void refuse_beside(const Fields& fields, const std::string& why, std::vector<std::string> more) {
  more.insert(more.end(), {"entry", "source", "configuration", "block", "grid",
                           "dynamic_shared_bytes", "arguments", "then", "repeat", "swap"});
  fields.refuse(more, "a reference " + why);
}

// ---- answers of the problem ---------------------------------------------------------------------

// {by: problem, seeds: 4}: sets of inputs, and nothing of what a kernel needs.
void read_by(Reader& reader, const Fields& fields) {
  refuse_beside(fields, "by the problem is no kernel", {"per", "file"});
  const YamlNode* by = fields.require("by");
  if (by == nullptr) return;
  if (is_left_to_problem(reader, *by, "'reference'")) {
    reader.study.reference->from = AnswerSource::kProblem;
    reader.study.reference->arguments = outputs_of(reader.study);
    return;
  }
  by->error("'by' must be problem, not '" + by->text + "'");
}

// ---- answers of a function of Python ------------------------------------------------------------

// {python: FILE.py:FUNCTION, arrays: torch, seeds: 4}: the problem `python`, which a plugin has.
void read_python(Reader& reader, const Fields& fields) {
  refuse_beside(fields, "in Python is no kernel", {"per", "file", "by"});
  const YamlNode* named = fields.require("python");
  if (named == nullptr) return;
  const auto text = read_text(*named, "'python' of the reference");
  if (!text) return;
  const std::size_t colon = text->rfind(':');
  if (colon == text->npos || colon == 0 || colon + 1 == text->size()) {
    return named->error("'python' must be FILE.py:FUNCTION, not '" + *text + "'");
  }
  if (reader.study.problem) {
    return named->error("the study has a problem already, and there is room for one",
                        "'by: problem' leaves the answers to that one");
  }
  YamlNode name = *named;
  name.text = text->substr(0, colon);
  const auto file = read_file_name(name, "'python' of the reference");
  std::size_t arrays = 0;
  if (const YamlNode* given = fields.find("arrays")) {
    arrays = read_word(*given, "arrays", {"numpy", "torch"}).value_or(0);
  }
  if (!file) return;
  reader.study.reference->from = AnswerSource::kProblem;
  reader.study.reference->arguments = outputs_of(reader.study);
  reader.study.problem =
      ProblemSpec{"python",
                  {{"file", file->string()},
                   {"function", text->substr(colon + 1)},
                   {"outputs", fmt::format("{}", fmt::join(outputs_of(reader.study), ","))},
                   {"arrays", arrays == 0 ? "numpy" : "torch"},
                   {"contents", FileDigests().text_of(*file)}},
                  named->where()};
}

// ---- answers of a kernel ------------------------------------------------------------------------

// Checks the arguments that a launch takes, and those that it reaches through them; `taken` empty:
// all of the kernel's.
void check_taken(Reader& reader, const std::vector<std::string>& taken, const Position& where) {
  const std::vector<ArgumentSpec>& all = reader.study.arguments;
  const auto places = positions_of(all, taken, "the reference", {});
  if (!places) return;  // that was complained of
  for (const std::uint32_t one : with_reached(all, *places)) {
    check_constant(reader, all[one], where);
  }
}

void read_reference_arguments(Reader& reader, const Fields& fields, const Position& where) {
  const YamlNode* arguments = fields.find("arguments");
  if (arguments == nullptr) return check_taken(reader, {}, where);
  for (const auto& [name, place] : read_argument_names(reader, *arguments, "the reference")) {
    check_taken(reader, {name}, place);
    reader.study.reference->arguments.push_back(name);
  }
}

void read_reference_launch(Reader& reader, const Fields& fields, unsigned kinds) {
  ReferenceSpec& reference = *reader.study.reference;
  // A launcher's reference is a launcher, too, unless it has a block or a grid.
  if (reader.study.kernel.runs_on_host() && !fields.mentions("block") && !fields.mentions("grid")) {
    reference.from = AnswerSource::kLauncher;
    for (const char* key : {"dynamic_shared_bytes", "cooperative", "then", "repeat", "swap"}) {
      if (const YamlNode* node = fields.find(key)) {
        node->error(fmt::format("'{}' is of kernels, and this is a launcher", key),
                    "'block' and 'grid' make it a kernel");
      }
    }
  } else {
    reference.launch = read_geometry(reader, fields, kinds, "'reference'");
    reference.launch.attributes.cooperative =
        reader.expression(fields, "cooperative", kinds, "'reference'");
  }
}

void read_reference_kernel(Reader& reader, const Fields& fields, const Position& where) {
  ReferenceSpec& reference = *reader.study.reference;
  if (const YamlNode* configuration = fields.find("configuration")) {
    read_configuration(reader, *configuration);
  }
  const bool holds = !reference.per.empty() || !reference.configuration.empty();
  const unsigned kinds = kFixedNames | (holds ? kHeldName : 0U);
  if (const YamlNode* entry = fields.require("entry")) {
    reference.entry = read_text(*entry, "'entry'").value_or("");
    check_placeholders(reader, *entry, kinds, "the reference's 'entry'");
  }
  if (const YamlNode* source = fields.find("source")) {
    reference.source = read_file_name(*source, "'source'");
  }
  read_sets(reader, fields);
  read_reference_launch(reader, fields, kinds);
  read_reference_arguments(reader, fields, where);
  read_sequence(reader, fields, kinds, "'reference'", reference.then, reference.rounds);
  for (const NextLaunchSpec& next : reference.then) {
    check_taken(reader, next.arguments, where);
  }
}

// The command itself, with other values.
void read_reference_command(Reader& reader, const Fields& fields, const Position& where) {
  ReferenceSpec& reference = *reader.study.reference;
  reference.entry = reader.study.kernel.entry;
  reference.from = AnswerSource::kLauncher;
  for (const char* key : {"entry", "source", "block", "grid", "dynamic_shared_bytes", "cooperative",
                          "arguments", "then", "repeat", "swap"}) {
    if (!fields.mentions(key)) continue;
    fields.error(
        key, fmt::format("'{}' is of kernels, and the reference of a command is the command", key),
        "'configuration', 'file', 'python' or 'by: problem'");
  }
  if (const YamlNode* configuration = fields.require("configuration")) {
    read_configuration(reader, *configuration);
  }
  read_sets(reader, fields);
  check_taken(reader, {}, where);
}

}  // namespace

std::vector<std::string> outputs_of(const Study& study) {
  std::vector<std::string> names;
  for (const ArgumentSpec& argument : study.arguments) {
    if (is_output(argument.role)) names.push_back(argument.name);
  }
  return names;
}

const ArgumentSpec* find_argument(const Study& study, const std::string& name) {
  const auto found = std::ranges::find(study.arguments, name, &ArgumentSpec::name);
  return found == study.arguments.end() ? nullptr : &*found;
}

bool reference_takes(const Study& study, const std::string& argument) {
  if (!study.reference) return false;
  const std::vector<std::string>& taken = study.reference->arguments;
  return taken.empty() || std::find(taken.begin(), taken.end(), argument) != taken.end();
}

namespace {

// Takes as answers what the captured launches wrote.
void read_captured_answers(Reader& reader, const Position& where) {
  ReferenceSpec& reference = reader.study.reference.emplace();
  reference.where = where;
  reference.from = AnswerSource::kCaptured;
  for (const std::string& output : outputs_of(reader.study)) {
    FillSpec& fill = reference.files.emplace_back(output, FillSpec{}).second;
    fill.kind = FillSpec::Kind::kCaptured;
    fill.captured = output;
    reference.arguments.push_back(output);
  }
}

}  // namespace

void read_reference(Reader& reader, const YamlNode& node, const Position& where) {
  if (is_captured(reader, node, "'reference'")) return read_captured_answers(reader, where);
  const Fields fields = kReference.fields(node, where);
  ReferenceSpec& reference = reader.study.reference.emplace();
  reference.where = where;
  if (!fields.is_map()) return;
  add_types(reader);
  if (fields.mentions("by") || fields.mentions("python")) {
    read_sets(reader, fields);
    return fields.mentions("python") ? read_python(reader, fields) : read_by(reader, fields);
  }
  if (const YamlNode* arrays = fields.find("arrays")) {
    arrays->error("'arrays' is of a reference in Python", "python: FILE.py:FUNCTION");
  }
  if (const YamlNode* per = fields.find("per")) read_per(reader, *per);
  if (!fields.mentions("file")) {
    return reader.study.kernel.subject == Subject::kCommand
               ? read_reference_command(reader, fields, where)
               : read_reference_kernel(reader, fields, where);
  }
  // A file has answers for one set of inputs.
  refuse_beside(fields, "with 'file' computes nothing", {"seeds", "fills"});
  reference.from = AnswerSource::kFiles;
  if (const YamlNode* file = fields.require("file")) read_files(reader, *file);
}

void describe_reference(SchemaParts& parts) {
  parts.definitions["reference"] = kReference.schema();
  parts.sections["reference"] = {
      {"anyOf", Schema::array({{{"const", "captured"}}, {{"$ref", "#/definitions/reference"}}})}};
}

}  // namespace tuner
