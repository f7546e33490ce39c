// Reads how an input is filled.

#include <cmath>

#include "tuner/study/sections.h"

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

std::optional<std::vector<double>> read_numbers(Diagnostics& diagnostics, const YamlNode& node,
                                                const std::string& what) {
  std::vector<double> numbers;
  if (node.is_scalar()) {
    const auto number = read_number(diagnostics, node, what);
    if (!number) return std::nullopt;
    return std::vector<double>{*number};
  }
  if (!expect_list(diagnostics, node, what)) return std::nullopt;
  for (const YamlRef& item : node.items) {
    const auto number = read_number(diagnostics, *item, what);
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

void read_form(Reader& reader, const YamlNode& node, const FillForm& form, FillSpec& fill) {
  const std::string what = "fill '" + std::string(form.key) + "'";
  const auto numbers = read_numbers(reader.diagnostics, node, what);
  if (!numbers) return;
  const Position where = position_of(reader.diagnostics, node);
  if (numbers->size() != form.numbers) {
    reader.diagnostics.error(where, what + " takes " + form.meaning);
    return;
  }
  fill.kind = form.kind;
  fill.a = numbers->front();
  fill.b = form.numbers == 2 ? numbers->back() : 0;
  const std::string reason = contradiction(fill);
  if (!reason.empty()) reader.diagnostics.error(where, what + ": " + reason);
}

}  // namespace

void read_fill(Reader& reader, const YamlNode& node, FillSpec& fill) {
  const Position where = position_of(reader.diagnostics, node);
  if (node.is_scalar()) {
    if (node.text == "zeros") return;
    reader.diagnostics.error(where, "unknown fill '" + node.text + "'",
                             "zeros, or a map such as {uniform: [-1, 1]}");
    return;
  }
  std::vector<std::string> keys{"file"};
  for (const FillForm& form : kForms) keys.emplace_back(form.key);
  const Fields fields(reader.diagnostics, node, where, "'fill'", keys);
  if (!fields.is_map()) return;
  if (node.entries.size() != 1) {
    reader.diagnostics.error(where, "'fill' must have exactly one of " + listed(keys, "or"));
    return;
  }
  for (const FillForm& form : kForms) {
    if (!fields.mentions(form.key)) continue;
    if (const YamlNode* value = fields.require(form.key)) read_form(reader, *value, form, fill);
  }
  if (!fields.mentions("file")) return;
  if (const YamlNode* name = fields.require("file")) {
    fill.kind = Kind::kFile;
    const auto path = read_file_name(reader.diagnostics, *name, reader.directory, "fill 'file'");
    if (path) fill.file = *path;
  }
}

}  // namespace tuner
