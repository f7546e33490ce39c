// Reads what fills an input.

#include <algorithm>
#include <cmath>

#include "tuner/base/text.h"
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
                               {"integers", Kind::kIntegers, 2, "[lowest, highest]"},
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

// What is wrong with the numbers of a fill, or nothing.
std::string contradiction(const FillSpec& fill) {
  const bool is_interval = fill.kind == Kind::kUniform || fill.kind == Kind::kIntegers;
  if (is_interval && fill.a > fill.b) return "the lowest value is above the highest";
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

void read_permutation(Reader&, const YamlNode& node, FillSpec&) {
  if (node.is_scalar() && node.plain && (node.text == "true" || node.text == "True")) return;
  node.error("fill 'permutation' takes true: the numbers from 0 in any order");
}

void read_choice(Reader&, const YamlNode& node, FillSpec& fill) {
  const auto numbers = read_numbers(node, "fill 'choice'");
  if (numbers) fill.values = *numbers;
  if (numbers && numbers->empty()) {
    node.error("fill 'choice' takes the values to choose from, as in [0, 1]");
  }
}

void read_ragged(Reader& reader, const YamlNode& node, FillSpec& fill) {
  const Fields fields(node, "fill 'ragged'", {"mean", "of"});
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

struct RuleForm {
  const char* key;
  Kind kind;
  void (*read)(Reader&, const YamlNode&, FillSpec&);
};
constexpr RuleForm kRules[] = {{"permutation", Kind::kPermutation, read_permutation},
                               {"choice", Kind::kChoice, read_choice},
                               {"formula", Kind::kFormula, read_formula},
                               {"ragged", Kind::kRagged, read_ragged}};

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
  std::vector<std::string> keys{"file", "same_as", "sorted"};
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
  if (const YamlNode* name = fields.find("same_as"))
    fill.same_as = read_text(*name, "fill 'same_as'").value_or("");
  if (const YamlNode* name = fields.mentions("file") ? fields.require("file") : nullptr) {
    fill.kind = Kind::kFile;
    const auto path = read_data_file(reader, *name, kSizeName, "fill 'file'");
    if (path) fill.file = *path;
  }
}

}  // namespace tuner
