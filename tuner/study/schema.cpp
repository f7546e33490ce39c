// The JSON schema of a study, out of what each section says of itself.

#include "tuner/study/schema.h"

#include <string>
#include <string_view>

#include "tuner/study/keys.h"

namespace tuner {
namespace {

// Head of the schema. Sections need each other, unless the study extends another, which has the
// rest.
constexpr std::string_view kHead = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://www.schemastore.org/tuner-study.json",
  "title": "A study of tuner",
  "description": "For editors; docs/study-file.md says more. In VS Code: # yaml-language-server: $schema=PATH",
  "type": "object",
  "required": ["schema"],
  "patternProperties": {"^x-": {"description": "Of no meaning to tuner: a place for anchors"}},
  "additionalProperties": false,
  "anyOf": [
    {"required": ["parameters"], "not": {"required": ["extends"]},
     "properties": {
       "kernel": {"required": ["name", "entry"],
                  "oneOf": [{"required": ["source"]}, {"required": ["sources"]}]},
       "launcher": {"required": ["source", "entry"]},
       "launch": {"required": ["block", "grid"]},
       "arguments": {"items": {"$ref": "#/definitions/whole_argument"}},
       "buffers": {"items": {"$ref": "#/definitions/whole_argument"}},
       "constants": {"items": {"$ref": "#/definitions/whole_constant"}},
       "reference": {"oneOf": [{"required": ["entry"], "type": "object"}, {"required": ["file"]},
                               {"required": ["by"]}, {"const": "captured"},
                               {"required": ["configuration"], "not": {"required": ["entry"]}}]},
       "work": {"anyOf": [{"required": ["bytes"]}, {"required": ["flops"]}]}
     },
     "dependencies": {
       "kernel": {"required": ["launch"],
                  "properties": {"reference": {"anyOf": [{"not": {"required": ["entry"]}},
                                                         {"required": ["block", "grid"]}]}}},
       "launch": ["kernel"],
       "arguments": {"$ref": "#/definitions/beside_what_is_tuned"},
       "constants": ["kernel"],
       "reference": {"$ref": "#/definitions/beside_what_is_tuned"},
       "verify": {"$ref": "#/definitions/beside_what_is_tuned"}
     }},
    {"description": "Another study, with what is said here instead.", "required": ["extends"]}
  ]})json";

constexpr std::string_view kSharedForms = R"json({
  "beside_what_is_tuned": {"anyOf": [{"required": ["kernel"]}, {"required": ["launcher"]}, {"required": ["command"]}]},
  "expression": {"type": ["string", "number", "boolean"]},
  "value": {"type": ["string", "number", "boolean"]},
  "names": {"type": "array", "items": {"type": "string"}},
  "numbers": {"type": "array", "minItems": 1, "items": {"type": "number"}},
  "two": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}},
  "range": {"type": "array", "minItems": 2, "maxItems": 2,
            "items": [{"type": "number"}, {"$ref": "#/definitions/expression"}]},
  "options": {"type": "object", "additionalProperties": {"$ref": "#/definitions/value"}}})json";

// Prints JSON on one line where there is room for it, as a person would write it.
std::string laid_out(const Schema& json, std::size_t indent) {
  constexpr std::size_t kWidth = 120;
  if (!json.is_structured() || json.empty()) return json.dump();
  const bool is_map = json.is_object();
  const auto joined = [&](const std::string& before, const std::string& between, std::size_t deep) {
    std::string text(1, is_map ? '{' : '[');
    for (auto one = json.begin(); one != json.end(); ++one) {
      text += one == json.begin() ? before : between;
      if (is_map) text += Schema(one.key()).dump() + ": ";
      text += laid_out(*one, deep);
    }
    return text;
  };
  const std::string end(1, is_map ? '}' : ']');
  std::string line = joined("", ", ", 0) + end;
  if (indent + line.size() <= kWidth && line.find('\n') == std::string::npos) return line;
  const std::string inner = "\n" + std::string(indent + 2, ' ');
  return joined(inner, "," + inner, indent + 2) + "\n" + std::string(indent, ' ') + end;
}

}  // namespace

std::string study_schema() {
  SchemaParts parts;
  add_schema(parts.definitions, kSharedForms);
  add_schema(parts.sections, R"({"schema": {"const": 1}, "extends": {
    "type": "string", "description": "Another study, relative to this file."}})");
  for (const auto describe :
       {describe_kernel, describe_command, describe_domain, describe_space, describe_configurations,
        describe_launch, describe_captured, describe_arguments, describe_types, describe_fill,
        describe_views, describe_plugins, describe_reference, describe_verify, describe_search,
        describe_advice}) {
    describe(parts);
  }
  Schema schema = Schema::parse(kHead);
  for (const std::string& key : study_sections())
    schema["properties"][key] = parts.sections.at(key);
  schema["definitions"] = std::move(parts.definitions);
  return laid_out(schema, 0) + "\n";
}

}  // namespace tuner
