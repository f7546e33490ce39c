// verify: how near to the right answers outputs have to be.

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

// A zero is off by as much as the right number is.
void warn_where_zeros_pass(const YamlNode& node, const Expression& rtol) {
  if (rtol.empty() || !rtol.names().empty()) return;
  const auto value = rtol.evaluate({});
  if (!value || to_number(*value) < 1) return;
  node.warning("with 'rtol' " + to_text(*value) + " zeros pass for right answers", "rtol: 1e-5");
}

// Comparison of one output, as its tolerance is read.
struct Judgement : CompareRule {
  bool is_usual = false;
};

constexpr auto kTolerance = key_table(
    "a tolerance",
    key("tolerance", &Judgement::is_usual, only("usual"), "In place of rtol and atol."),
    key("rtol", "expression", "An error may be this share of the right value."),
    key("atol", "expression", "An error may be so much."),
    key("norm", &Judgement::norm,
        one_of(CompareRule::Norm::kL1, CompareRule::Norm::kL2, CompareRule::Norm::kMax),
        "The output is compared as a whole."),
    key("order", &Judgement::any_order, only("any"), "The same values, wherever they stand."),
    key("relative_to", &Judgement::to_largest, only("largest"), "rtol is of the largest value."),
    key("equal_nan", &Judgement::equal_nan, true_or_false(), "NaN passes where NaN is right."));

void read_rule(Reader& reader, const Fields& fields, const std::string& output,
               Tolerance& tolerance) {
  Judgement how;
  kTolerance.read(reader, fields, how);
  tolerance.is_usual = how.is_usual;
  tolerance.how = how;
  for (const char* key : {"rtol", "atol"}) {
    if (!tolerance.is_usual || !fields.mentions(key)) continue;
    fields.error(key, fmt::format("'tolerance: usual' stands in place of '{}'", key));
  }
  if (how.norm != CompareRule::Norm::kNone && how.to_largest) {
    fields.error("relative_to", "'norm' compares the output as a whole, 'relative_to' its elements",
                 "norm: max, or no norm");
  }
  const ArgumentSpec* argument = find_argument(reader.study, output);
  if (how.equal_nan && argument != nullptr && !argument->record && !is_floating(argument->type)) {
    fields.find("equal_nan")
        ->error(fmt::format("'{}' is {}, which has no NaN", output, name_of(argument->type)));
  }
  for (const char* key : {"norm", "order", "relative_to", "equal_nan"}) {
    if (argument == nullptr || !argument->record || !fields.mentions(key)) continue;
    fields.error(key, "'" + output + "' holds structs, whose members are compared one by one",
                 "rtol and atol only");
  }
  const bool exact = tolerance.rtol.empty() && tolerance.atol.empty();
  for (const char* key : {"norm", "relative_to"}) {
    if (!exact || !fields.mentions(key)) continue;
    fields.error(key, fmt::format("'{}' has no effect without 'rtol' or 'atol'", key),
                 "rtol: 1e-5");
  }
  if (how.to_largest && tolerance.rtol.empty() && !exact) {
    fields.error("relative_to", "'relative_to' has no effect without 'rtol'");
  }
}

void read_tolerance(Reader& reader, const YamlNode& key, const YamlNode& value) {
  Tolerance tolerance;
  tolerance.by_problem = is_left_to_problem(reader, value, "the judgement of '" + key.text + "'");
  if (!value.is_null() && !tolerance.by_problem) {
    const Fields fields =
        kTolerance.fields(value, key.where(), "the tolerance of '" + key.text + "'");
    // A tolerance may depend on the parameter that is the output's type.
    const ArgumentSpec* output = find_argument(reader.study, key.text);
    std::vector<std::string> types;
    if (output != nullptr && output->choice) types.push_back(output->choice->parameter);
    const Names names = reader.names.holding(types);
    const unsigned kinds = kFixedNames | (types.empty() ? 0U : kHeldName);
    if (const YamlNode* rtol = fields.find("rtol")) {
      tolerance.rtol = names.read(*rtol, "'rtol'", kinds, "a tolerance");
      warn_where_zeros_pass(*rtol, tolerance.rtol);
    }
    if (const YamlNode* atol = fields.find("atol")) {
      tolerance.atol = names.read(*atol, "'atol'", kinds, "a tolerance");
    }
    if (fields.is_map()) read_rule(reader, fields, key.text, tolerance);
  }
  reader.study.verify.emplace_back(key.text, std::move(tolerance));
}

void check_verified(Reader& reader, const YamlNode& key) {
  const Position where = key.where();
  const ArgumentSpec* argument = find_argument(reader.study, key.text);
  if (argument == nullptr) {
    reader.error(where, "the kernel has no argument '" + key.text + "'",
                 suggestion_for(key.text, outputs_of(reader.study)));
  } else if (!is_output(argument->role)) {
    reader.error(where,
                 "'" + key.text +
                     "' is not an output, so there is nothing to "
                     "verify",
                 "role: out or inout");
  } else if (reader.study.reference && !reference_takes(reader.study, key.text)) {
    reader.error(
        where, "the reference does not take '" + key.text + "', so nothing says what it should be");
  }
}

}  // namespace

void verify_nothing(Study& study) {
  study.verify_nothing = true;
  study.reference.reset();
  study.verify.clear();
}

void read_verify(Reader& reader, const YamlNode& node, const Position& where) {
  if (node.is_scalar() && node.text == "none") return verify_nothing(reader.study);
  if (!expect_map(node, "'verify'")) return;
  const auto is_of_output = [](const auto& entry) { return entry.first->text != "deterministic"; };
  if (!reader.study.reference &&
      (node.entries.empty() || std::ranges::any_of(node.entries, is_of_output))) {
    reader.error(where, "'verify' needs a 'reference' that computes the right answer");
  }
  for (const auto& [key, value] : node.entries) {
    // A flag, not an output of that name, whose tolerances would be a map.
    if (key->text == "deterministic" && value->is_scalar()) {
      reader.study.deterministic = read_flag(*value, "'deterministic'");
      continue;
    }
    check_verified(reader, *key);
    read_tolerance(reader, *key, *value);
  }
}

void describe_verify(SchemaParts& parts) {
  Schema outputs = Schema::parse(R"({"type": "object", "properties": {"deterministic": {
    "type": "boolean", "description": "true: each launch must leave the same bits."}}})");
  const Schema words = Schema::parse(R"({"enum": [null, "problem"]})");
  outputs["additionalProperties"] = {{"anyOf", Schema::array({words, kTolerance.schema()})}};
  const Schema nothing = {{"const", "none"}};
  parts.sections["verify"] = {{"anyOf", Schema::array({nothing, std::move(outputs)})}};
}

}  // namespace tuner
