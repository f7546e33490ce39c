// Reads what fills an input; it may be what fills another one.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

namespace {

using Kind = FillSpec::Kind;

struct FillForm {
  const char* key;
  Kind kind;
  std::size_t numbers;
  const char* meaning;
};
constexpr FillForm kForms[] = {{"constant", Kind::kConstant, 1, "one number"},
                               {"uniform", Kind::kUniform, 2, "[lowest, highest]"},
                               {"normal", Kind::kNormal, 2, "[mean, standard deviation]"},
                               {"sequence", Kind::kSequence, 2, "[first, step]"}};

std::optional<std::vector<double>> read_numbers(const YamlNode& node, const std::string& what) {
  std::vector<double> numbers;
  if (node.is_scalar()) {
    const auto number = read_number(node, what);
    if (!number) return std::nullopt;
    return std::vector<double>{*number};
  }
  if (!expect_list(node, what)) return std::nullopt;
  for (const YamlRef& item : node.items) {
    const auto number = read_number(*item, what);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Describes what is wrong with the numbers of a fill; empty when nothing is.
std::string contradiction(const FillSpec& fill) {
  if (fill.kind == Kind::kUniform && fill.a > fill.b) {
    return "the lowest value is above the highest";
  }
  if (fill.kind == Kind::kNormal && fill.b < 0) return "a standard deviation cannot be negative";
  if (fill.kind == Kind::kIntegers &&
      (fill.a != std::floor(fill.a) || fill.b != std::floor(fill.b)))
    return "both ends must be whole numbers";
  return {};
}

void read_form(const YamlNode& node, const FillForm& form, FillSpec& fill) {
  const std::string what = "fill '" + std::string(form.key) + "'";
  const auto numbers = read_numbers(node, what);
  if (!numbers) return;
  if (numbers->size() != form.numbers) {
    node.error(what + " takes " + form.meaning);
    return;
  }
  fill.kind = form.kind;
  fill.a = numbers->front();
  fill.b = form.numbers == 2 ? numbers->back() : 0;
  const std::string reason = contradiction(fill);
  if (!reason.empty()) node.error(what + ": " + reason);
}

// The highest number may follow the problem size: indices of a buffer end where it does.
void read_integers(Reader& reader, const YamlNode& node, FillSpec& fill) {
  const std::string what = "fill 'integers'";
  if (!expect_list(node, what)) return;
  if (node.items.size() != 2) return node.error(what + " takes [lowest, highest]");
  const auto lowest = read_number(*node.items[0], what);
  Expression highest = reader.names.read(*node.items[1], what, kSizeName, what);
  if (!lowest || highest.empty()) return;
  fill.a = *lowest;
  fill.b = fill.a;
  if (!highest.names().empty()) return void(fill.rule = std::move(highest));
  const auto number = highest.evaluate({});
  if (!number || std::holds_alternative<std::string>(*number)) {
    return node.items[1]->error(what + " takes numbers");
  }
  fill.b = to_number(*number);
  const std::string reason = contradiction(fill);
  if (!reason.empty()) node.error(what + ": " + reason);
}

void read_permutation(Reader&, const YamlNode& node, FillSpec&) {
  if (node.is_scalar() && node.plain && (node.text == "true" || node.text == "True")) return;
  node.error("fill 'permutation' takes true: the numbers from 0 in any order");
}

void read_choices(Reader&, const YamlNode& node, FillSpec& fill) {
  const auto numbers = read_numbers(node, "fill 'choice'");
  if (numbers) fill.values = *numbers;
  if (numbers && numbers->empty()) {
    node.error("fill 'choice' takes the values to choose from, as in [0, 1]");
  }
}

constexpr auto kRagged = key_table(
    "fill 'ragged'",
    key("mean", R"({"type": "number", "exclusiveMinimum": 0})", "Elements of a row; 1 if absent."),
    key("of", "expression", "Elements of all rows.").needed());

void read_ragged(Reader& reader, const YamlNode& node, FillSpec& fill) {
  const Fields fields = kRagged.fields(node, node.where());
  if (!fields.is_map()) return;
  if (const YamlNode* of = fields.require("of")) {
    fill.rule = reader.names.read(*of, "'of'", kSizeName, "'of'");
  }
  const YamlNode* mean = fields.find("mean");
  if (mean == nullptr) return;
  fill.a = read_number(*mean, "'mean'").value_or(1);
  if (!(fill.a > 0 && fill.a <= 1e9)) {
    mean->error("'mean' must be above 0 and at most 1e9");
  }
}

constexpr auto kZipf =
    key_table("fill 'zipf'",
              key("alpha", R"({"type": "number", "exclusiveMinimum": 0})",
                  "Number k is drawn with a probability in proportion to 1 / (k + 1)^alpha.")
                  .needed(),
              key("of", "expression", "How many numbers there are, from 0 on.").needed());

void read_zipf(Reader& reader, const YamlNode& node, FillSpec& fill) {
  fill.b = 1;  // until 'of' is known
  const Fields fields = kZipf.fields(node, node.where());
  if (!fields.is_map()) return;
  if (const YamlNode* of = fields.require("of")) {
    fill.rule = reader.names.read(*of, "'of'", kSizeName, "'of'");
  }
  const YamlNode* alpha = fields.require("alpha");
  if (alpha == nullptr) return;
  fill.a = read_number(*alpha, "'alpha'").value_or(1);
  if (!(fill.a > 0 && fill.a <= 1000)) alpha->error("'alpha' must be above 0 and at most 1000");
}

struct RuleForm {
  const char* key;
  Kind kind;
  void (*read)(Reader&, const YamlNode&, FillSpec&);
  const char* allows;  // as in a table of keys
};
constexpr RuleForm kRules[] = {
    {"integers", Kind::kIntegers, read_integers, "range"},
    {"permutation", Kind::kPermutation, read_permutation, R"({"const": true})"},
    {"choice", Kind::kChoice, read_choices, "numbers"},
    {"formula", Kind::kFormula, read_formula, "expression"},
    {"ragged", Kind::kRagged, read_ragged, "ragged"},
    {"zipf", Kind::kZipf, read_zipf, "zipf"}};

void read_sorted(Reader& reader, const YamlNode& node, FillSpec& fill) {
  if (!node.is_map()) {
    node.error("fill 'sorted' takes another fill, as in {uniform: [0, 1]}");
    return;
  }
  const std::size_t before = reader.diagnostics.errors().size();
  read_fill(reader, node, fill);
  const bool sortable = fill.kind == Kind::kUniform || fill.kind == Kind::kNormal ||
                        fill.kind == Kind::kIntegers || fill.kind == Kind::kChoice;
  if ((!sortable || fill.sorted) && reader.diagnostics.errors().size() == before) {
    node.error("only uniform, normal, integers and choice can be sorted");
  }
  fill.sorted = true;
}

}  // namespace

std::optional<std::filesystem::path> read_data_file(Reader& reader, const YamlNode& node,
                                                    unsigned kinds, const std::string& what) {
  const auto text = read_text(node, what);
  if (!text) return std::nullopt;
  if (text->find_first_of("{}") == std::string::npos && reader.data == DataFiles::kNeeded) {
    return read_file_name(node, what);
  }
  check_placeholders(reader, node, kinds, what);
  return (node.folder() / *text).lexically_normal();
}

void read_formula(Reader& reader, const YamlNode& node, FillSpec& fill) {
  Names names = reader.names;
  YamlNode index = node;
  index.text = "i";
  names.declare(index, kSizeName);
  fill.rule = names.read(node, "fill 'formula'", kSizeName, "a formula");
}

void read_fill(Reader& reader, const YamlNode& node, FillSpec& fill) {
  if (is_left_to_problem(reader, node, "'fill'")) {
    fill.kind = Kind::kProblem;
    return;
  }
  if (node.is_scalar()) {
    if (node.text == "zeros") return;
    node.error("unknown fill '" + node.text + "'",
               "zeros, problem, or a map such as {uniform: [-1, 1]}");
    return;
  }
  std::vector<std::string> keys{"file", "captured", "same_as", "sorted"};
  for (const FillForm& form : kForms) keys.emplace_back(form.key);
  for (const RuleForm& form : kRules) keys.emplace_back(form.key);
  const Fields fields(node, "'fill'", keys);
  if (!fields.is_map()) return;
  if (node.entries.size() != 1) {
    node.error("'fill' must have exactly one of " + listed(keys, "or"));
    return;
  }
  for (const FillForm& form : kForms) {
    if (!fields.mentions(form.key)) continue;
    if (const YamlNode* value = fields.require(form.key)) read_form(*value, form, fill);
  }
  for (const RuleForm& form : kRules) {
    if (!fields.mentions(form.key)) continue;
    fill.kind = form.kind;
    if (const YamlNode* value = fields.require(form.key)) form.read(reader, *value, fill);
  }
  if (fields.mentions("sorted")) {
    if (const YamlNode* value = fields.require("sorted")) read_sorted(reader, *value, fill);
  }
  if (const YamlNode* name = fields.mentions("captured") ? fields.require("captured") : nullptr) {
    fill.kind = Kind::kCaptured;
    fill.captured = read_text(*name, "fill 'captured'").value_or("");
    if (reader.study.captured.empty()) {
      name->error("the study names no captured launches",
                  "captured: [FOLDER, ...], one for each problem size");
    }
  }
  if (const YamlNode* name = fields.find("same_as"))
    fill.same_as = read_text(*name, "fill 'same_as'").value_or("");
  if (const YamlNode* name = fields.mentions("file") ? fields.require("file") : nullptr) {
    fill.kind = Kind::kFile;
    const auto path = read_data_file(reader, *name, kSizeName, "fill 'file'");
    if (path) fill.file = *path;
  }
}

namespace {

// A map with exactly one of these keys.
Schema one_of_the_keys(Schema keys) {
  return {{"type", "object"},
          {"minProperties", 1},
          {"maxProperties", 1},
          {"additionalProperties", false},
          {"properties", std::move(keys)}};
}

}  // namespace

void describe_fill(SchemaParts& parts) {
  Schema keys = Schema::object();
  for (const FillForm& form : kForms) {
    keys[form.key] = form.numbers == 1 ? Schema{{"type", "number"}} : key("", "two", "").schema();
    keys[form.key]["description"] = form.meaning;
  }
  for (const RuleForm& form : kRules) keys[form.key] = key("", form.allows, "").schema();
  Schema sortable = Schema::object();
  for (const char* name : {"uniform", "normal", "integers", "choice"}) sortable[name] = keys[name];
  keys["sorted"] = one_of_the_keys(std::move(sortable));
  for (const char* name : {"file", "captured", "same_as"}) keys[name] = {{"type", "string"}};
  Schema of_members = Schema::parse(R"({
    "type": "object", "minProperties": 1, "description": "Of a buffer of structs: for each member its own.",
    "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "object"}]}})");
  Schema& names = of_members["propertyNames"]["not"]["enum"] = Schema::array();
  for (const auto& [name, allowed] : keys.items()) names.push_back(name);
  const Schema words = {{"enum", {"zeros", "problem"}}};
  parts.definitions["ragged"] = kRagged.schema();
  parts.definitions["zipf"] = kZipf.schema();
  parts.definitions["fill"] = {
      {"anyOf", Schema::array({words, one_of_the_keys(std::move(keys)), std::move(of_members)})}};
}

// ---- same_as ------------------------------------------------------------------------------------

namespace {

class SameFills {
 public:
  explicit SameFills(Reader& reader) : reader_(reader) {
    for (auto* list : {&reader.study.arguments, &reader.study.constants}) {
      for (ArgumentSpec& one : *list) all_.push_back(&one);
    }
  }

  void resolve() {
    warn_of_twins();
    for (ArgumentSpec* one : all_) {
      if (!one->fill.same_as.empty()) follow(*one);
    }
  }

 private:
  static bool are_alike(const ArgumentSpec& a, const ArgumentSpec& b) {
    const bool is_random = a.fill.kind == FillSpec::Kind::kUniform ||
                           a.fill.kind == FillSpec::Kind::kNormal ||
                           a.fill.kind == FillSpec::Kind::kIntegers;
    const auto text = [](const Expression& e) { return e.text(); };
    return is_random && a.name != b.name && a.type == b.type && a.fill.kind == b.fill.kind &&
           a.fill.a == b.fill.a && a.fill.b == b.fill.b && text(a.fill.rule) == text(b.fill.rule) &&
           std::ranges::equal(a.shape, b.shape, {}, text, text);
  }

  // One array may be meant, of which a kernel that uses the constant gets another than the
  // reference.
  void warn_of_twins() {
    for (const ArgumentSpec& constant : reader_.study.constants) {
      for (const ArgumentSpec& argument : reader_.study.arguments) {
        if (constant.is_scalar || argument.is_scalar || !are_alike(constant, argument)) continue;
        reader_.warning(constant.where,
                        "'" + constant.name + "' has the fill of the argument '" + argument.name +
                            "', and holds other numbers",
                        "fill: {same_as: " + argument.name + "}, where they are one array");
      }
    }
  }

  // The other one of this name: a constant may be called like an argument.
  const ArgumentSpec* other(const std::string& name, const ArgumentSpec& self) const {
    const auto found = std::ranges::find_if(
        all_, [&](const ArgumentSpec* one) { return one != &self && one->name == name; });
    return found == all_.end() ? nullptr : *found;
  }

  void complain(const ArgumentSpec& one, const std::string& message, std::string suggestion = {}) {
    reader_.error(one.where, "'" + one.name + "' " + message, std::move(suggestion));
  }

  void follow(ArgumentSpec& one) {
    const ArgumentSpec* source = &one;
    for (std::size_t steps = 0; !source->fill.same_as.empty(); ++steps) {
      const std::string name = source->fill.same_as;
      source = other(name, *source);
      if (source == nullptr) {
        std::vector<std::string> names;
        for (const ArgumentSpec* each : all_) {
          if (each != &one && !each->is_scalar) names.push_back(each->name);
        }
        return complain(one, "is filled as '" + name + "', which is no argument or constant",
                        suggestion_for(name, names));
      }
      if (source == &one || steps > all_.size()) {
        return complain(one, "is filled as itself in the end");
      }
      if (source->is_scalar) {
        return complain(one, "is filled as '" + name + "', which is no buffer");
      }
      if (!is_read(source->role)) {
        return complain(one, "is filled as '" + name + "', which nothing fills");
      }
    }
    const auto type = [](const ArgumentSpec& argument) {
      return argument.choice ? argument.type_name : std::string(name_of(argument.type));
    };
    if (type(*source) != type(one)) {
      return complain(one, "is " + type(one) + " and filled as '" + source->name + "', which is " +
                               type(*source));
    }
    if (source->fill.kind == FillSpec::Kind::kProblem) {
      return complain(one, "is filled as '" + source->name + "', which the problem fills");
    }
    resolved(one, *source);
  }

  // Gives an argument the fill of `source`, and keeps its name: others that are filled like this
  // argument are still followed through it.
  void resolved(ArgumentSpec& one, const ArgumentSpec& source) {
    FillSpec fill = source.fill;
    fill.same_as = source.name;
    one.fill = std::move(fill);
  }

  Reader& reader_;
  std::vector<ArgumentSpec*> all_;
};

}  // namespace

void resolve_same_fills(Reader& reader) { SameFills(reader).resolve(); }

}  // namespace tuner
