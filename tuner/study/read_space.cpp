// Reads what makes the search space: the sections problem_sizes, parameters, derived and
// constraints.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "tuner/study/extents.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {

// ---- problem_sizes ------------------------------------------------------------------------------

namespace {

// Every extent of the map, 1 standing in for one that is wrong.
ProblemSize read_extents(const YamlNode& node) {
  ProblemSize size;
  for (const auto& [key, value] : node.entries) {
    const std::string what = "problem size '" + key->text + "'";
    const auto extent = read_extent(*value, what);
    if (extent && *extent <= 0) {
      value->error(what + " must be at least 1, not " + std::to_string(*extent));
    }
    size.dims.emplace_back(key->text, extent && *extent > 0 ? *extent : 1);
  }
  return size;
}

// Brings the dimensions into the order of the first size; false when they are not the same ones.
bool align(const YamlNode& node, const std::vector<std::string>& wanted, ProblemSize& size) {
  const std::vector<std::string> names = dimension_names(size);
  bool same = true;
  for (const auto& [key, value] : node.entries) {
    if (std::find(wanted.begin(), wanted.end(), key->text) != wanted.end()) continue;
    key->error("the first problem size has no '" + key->text + "'",
               suggestion_for(key->text, wanted));
    same = false;
  }
  ProblemSize aligned;
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) {
      aligned.dims.push_back(size.dims[static_cast<std::size_t>(found - names.begin())]);
    } else {
      node.error("this problem size has no '" + name + "'");
      same = false;
    }
  }
  size = std::move(aligned);
  return same;
}

}  // namespace

void read_sizes(Reader& reader, const YamlNode& node) {
  const auto is_of_domain = [](const auto& entry) {
    return entry.first->text == "domain" || entry.first->text == "kinds";
  };
  if (node.is_map() && std::ranges::any_of(node.entries, is_of_domain)) {
    read_domain(reader, node);
    return;
  }
  if (!expect_list(node, "'problem_sizes'")) {
    reader.names.set_incomplete();
    return;
  }
  if (node.items.empty()) {
    node.error("'problem_sizes' is empty");
  }
  std::vector<ProblemSize>& sizes = reader.study.sizes;
  for (const YamlRef& item : node.items) {
    if (!expect_map(*item, "a problem size")) continue;
    const bool is_first = sizes.empty();
    ProblemSize size = read_extents(*item);
    if (is_first) {
      for (const auto& [key, value] : item->entries) reader.names.declare(*key, kSizeName);
    } else if (!align(*item, dimension_names(sizes.front()), size)) {
      continue;
    }
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) {
      item->error("problem size " + size.label() + " is in the list twice");
    } else {
      sizes.push_back(std::move(size));
    }
  }
}

// ---- parameters, derived, constraints -----------------------------------------------------------

namespace {

constexpr std::string_view kWholes = R"({"type": "array", "minItems": 2, "maxItems": 3,
  "items": {"$ref": "#/definitions/whole"}})";
constexpr auto kValues = key_table(
    "a parameter", key("values", R"({"type": "array", "minItems": 1})", "A list."),
    key("range", kWholes, "[first, last, step], both ends included."),
    key("pow2", R"({"type": "array", "minItems": 2, "maxItems": 2,
                    "items": {"$ref": "#/definitions/whole"}})",
        "[first, last], both included."),
    key("when", "expression", "Where this is false, the parameter is what 'otherwise' says."),
    key("otherwise", "value", "One of the values."));

constexpr std::int64_t kMaxValues = 1 << 21;  // of one parameter

std::optional<std::vector<std::int64_t>> read_integers(const YamlNode& node,
                                                       const std::string& what, std::size_t least,
                                                       std::size_t most) {
  if (!expect_list(node, what)) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const YamlRef& item : node.items) {
    const auto number = read_integer(*item, what);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() >= least && numbers.size() <= most) return numbers;
  node.error(what + " takes " + std::to_string(least) +
             (most > least ? " or " + std::to_string(most) : "") + " integers, not " +
             std::to_string(numbers.size()));
  return std::nullopt;
}

// {range: [lowest, highest, step]}, highest included.
std::vector<Value> read_range(const YamlNode& node) {
  const auto numbers = read_integers(node, "'range'", 2, 3);
  if (!numbers) return {};
  const std::int64_t low = (*numbers)[0];
  const std::int64_t high = (*numbers)[1];
  const std::int64_t step = numbers->size() == 3 ? (*numbers)[2] : 1;
  if (step <= 0) {
    node.error("the step of a range must be at least 1, not " + std::to_string(step));
    return {};
  }
  if (low > high) {
    node.error("the range begins at " + std::to_string(low) + ", above its end " +
               std::to_string(high));
    return {};
  }
  const auto steps = (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)) /
                     static_cast<std::uint64_t>(step);
  if (steps >= static_cast<std::uint64_t>(kMaxValues)) {
    node.error("a parameter may have at most " + std::to_string(kMaxValues) + " values");
    return {};
  }
  std::vector<Value> values;
  for (std::uint64_t i = 0; i <= steps; ++i) {
    values.emplace_back(low + static_cast<std::int64_t>(i) * step);
  }
  return values;
}

// {pow2: [lowest, highest]}, both included.
std::vector<Value> read_pow2(const YamlNode& node) {
  const auto ends = read_integers(node, "'pow2'", 2, 2);
  if (!ends) return {};
  for (const std::int64_t end : *ends) {
    if (end > 0 && std::has_single_bit(static_cast<std::uint64_t>(end))) continue;
    node.error("both ends of 'pow2' must be powers of two; " + std::to_string(end) + " is not");
    return {};
  }
  if (ends->front() > ends->back()) {
    node.error("'pow2' begins at " + std::to_string(ends->front()) + ", above its end " +
               std::to_string(ends->back()));
    return {};
  }
  std::vector<Value> values;
  for (auto bit = static_cast<std::uint64_t>(ends->front());
       bit <= static_cast<std::uint64_t>(ends->back()); bit *= 2) {
    values.emplace_back(static_cast<std::int64_t>(bit));
  }
  return values;
}

// Python's "[1, 2] + list(range(4, 33, 4))", and what else T1 files have for a list.
bool is_python_list(const YamlNode& node) {
  constexpr std::string_view kBegin[] = {"[", "(", "range(", "list(", "tuple(", "sorted("};
  return node.is_scalar() && std::ranges::any_of(kBegin, [&](std::string_view begin) {
           return node.text.starts_with(begin);
         });
}

std::vector<Value> read_python_values(const YamlNode& node, const std::string& text,
                                      const Position& where, const std::string& what) {
  Diagnostics& diagnostics = *node.diagnostics;
  std::vector<Value> values =
      read_python_list(node.is_sequence() ? *node.items.front() : node, text);
  if (values.empty() && diagnostics.ok()) diagnostics.error(where, what + " has no values");
  if (const auto twice = repeated_value(values)) {
    diagnostics.error(where, fmt::format("{} has the value {} twice", what, to_text(*twice)));
  }
  return values;
}

// The text of [2**i for i in range(1, 6)], of which YAML has made a list of one text. Quoted, it
// may be meant as a text unless it has values.
std::optional<std::string> comprehension_in(const YamlNode& list) {
  if (list.items.size() != 1 || !list.items.front()->is_scalar()) return std::nullopt;
  YamlNode item = *list.items.front();
  if (!is_comprehension(item.text)) return std::nullopt;
  std::string text = "[" + item.text + "]";
  Diagnostics trial("", text);
  item.diagnostics = &trial;
  if (!item.plain && read_python_list(item, text).empty()) return std::nullopt;
  return text;
}

// Reads a list of values; 1, 1.0 and true are one value, as in the search space.
std::vector<Value> read_list(const YamlNode& node, const std::string& what) {
  std::vector<Value> values;
  if (node.items.size() > static_cast<std::size_t>(kMaxValues)) return values;
  if (node.items.empty()) {
    node.error(what + " has no values");
  }
  constexpr std::size_t kCompareAll = 2000;  // longer lists are not typed by hand
  std::vector<const YamlNode*> nodes;        // of the values
  const YamlNode* text = nullptr;            // the first that has no quotes
  const YamlNode* other = nullptr;
  for (const YamlRef& item : node.items) {
    if (item->plain && is_comprehension(item->text)) {
      item->error("a value of " + what + " is a list comprehension",
                  "write it alone, as the whole list");
      continue;
    }
    const auto value = read_value(*item, "a value of " + what);
    if (!value) continue;
    const YamlNode*& first_of_kind = std::holds_alternative<std::string>(*value) ? text : other;
    if (item->plain && first_of_kind == nullptr) first_of_kind = item.get();
    const auto end = values.size() > kCompareAll ? values.begin() + kCompareAll : values.end();
    const auto twin =
        std::find_if(values.begin(), end, [&](const Value& v) { return same_value(v, *value); });
    if (twin != end) {
      const std::string first = to_text(*twin);
      item->error(fmt::format("{} has the value {} twice", what, first),
                  first == item->text ? "" : item->text + " equals it");
    } else {
      values.push_back(*value);
      nodes.push_back(item.get());
    }
  }
  if (text != nullptr && !meant_by(text->text).empty()) {
    text->warning(fmt::format("'{}' is text, no number", text->text), meant_by(text->text));
  } else if (text != nullptr && other != nullptr) {  // a number, with a slip of the pen?
    text->warning(fmt::format("'{}' is text, other values of {} are not", text->text, what),
                  "in quotes, where that is meant");
  }
  return whole_values(values, nodes);
}

std::vector<Value> read_values(const YamlNode& key, const YamlNode& node) {
  const std::string what = "parameter '" + key.text + "'";
  if (is_python_list(node)) {
    return read_python_values(node, node.text, node.where(0), what);
  }
  if (node.is_sequence()) {
    const auto text = comprehension_in(node);
    if (!text) return read_list(node, what);
    return read_python_values(node, *text, node.where(), what);
  }
  if (node.is_map()) {
    const Fields fields = kValues.fields(node, key.where(), what);
    const auto is_mentioned = [&](const std::string& name) { return fields.mentions(name); };
    const YamlNode* values = fields.find("values");
    const YamlNode* range = fields.find("range");
    const YamlNode* pow2 = fields.find("pow2");
    const int given = (values != nullptr) + (range != nullptr) + (pow2 != nullptr);
    if (given == 1 && range != nullptr) return read_range(*range);
    if (given == 1 && pow2 != nullptr) return read_pow2(*pow2);
    if (given == 1 && !values->is_map()) return read_values(key, *values);
    if (node.entries.empty() || std::ranges::any_of(kValues.names(), is_mentioned)) {
      key.error(what + " must have one of 'values', 'range' and 'pow2'");
    }
    return {};
  }
  (node.is_null() ? key : node)
      .error(
          what + " must be a list of values, {range: [..]} or {pow2: [..]}, not " + kind_of(node),
          node.is_scalar() ? "a fixed value is [" + node.text + "]" : "");
  return {};
}

}  // namespace

bool values_fit(const std::vector<Parameter>& parameters, Diagnostics& diagnostics, Names& names) {
  constexpr std::size_t kMost = 5000000;  // some hundred megabytes
  std::size_t count = 0;
  for (const Parameter& parameter : parameters) count += parameter.values.size();
  if (count <= kMost) return true;
  const Parameter& last = parameters.back();
  diagnostics.error(last.where,
                    fmt::format("with '{}' the parameters have {} values; together they may have "
                                "at most {}",
                                last.name, count, kMost));
  names.set_incomplete();
  return false;
}

void read_parameters(Reader& reader, const YamlNode& node) {
  if (!expect_map(node, "'parameters'")) {
    reader.names.set_incomplete();
    return;
  }
  if (node.entries.empty()) {
    node.error("'parameters' is empty: there is nothing to tune");
  }
  for (const auto& [key, value] : node.entries) {
    reader.names.declare(*key, kParameterName);
    reader.study.parameters.push_back({key->text, read_values(*key, *value), key->where()});
    if (!values_fit(reader.study.parameters, reader.diagnostics, reader.names)) return;
  }
  read_conditions(reader, node);
}

void read_derived(Reader& reader, const YamlNode& node) {
  if (!expect_map(node, "'derived'")) {
    reader.names.set_incomplete();
    return;
  }
  for (const auto& [key, value] : node.entries) reader.names.announce(key->text);
  for (const auto& [key, value] : node.entries) {
    Expression expression = reader.names.read(*value, "derived name '" + key->text + "'",
                                              kSpaceNames, "a derived name");
    // One that could not be read depends on nothing that anybody knows.
    reader.names.declare(*key, kDerivedName,
                         expression.empty() ? std::set<std::string>{key->text}
                                            : reader.names.parameters_of(expression));
    if (!expression.empty()) reader.study.derived.push_back({key->text, std::move(expression)});
  }
}

void read_constraints(Reader& reader, const YamlNode& node) {
  for (const YamlRef& item : items_of(node, "'constraints'")) {
    Expression constraint = reader.names.read(*item, "a constraint", kSpaceNames, "a constraint");
    if (constraint.empty()) continue;
    if (!reader.names.varies(constraint)) {
      reader.warning(constraint.origin(),
                     "this constraint uses no parameter: it keeps every configuration "
                     "or none");
    }
    reader.study.constraints.push_back(std::move(constraint));
  }
}

void describe_space(SchemaParts& parts) {
  parts.definitions["values"] = {
      {"description",
       "A list, {range: [first, last, step]} or {pow2: [first, last]}, both ends included, or a "
       "list as text in Python; in a map, as values, range or pow2, with when and otherwise."},
      {"anyOf",
       Schema::array({Schema::parse(R"({"type": "array", "minItems": 1})"), kValues.schema(R"({
          "oneOf": [{"required": ["values"]}, {"required": ["range"]}, {"required": ["pow2"]}],
          "dependencies": {"when": ["otherwise"], "otherwise": ["when"]}})")})}};
  add_schema(parts.definitions, R"({"whole": {
    "description": "An integer, also as 1_000 or 2**10.",
    "anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[-+0-9]"}]}})");
  add_schema(parts.sections, R"({
    "parameters": {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/definitions/values"}},
    "derived": {"type": "object", "additionalProperties": {"$ref": "#/definitions/expression"}},
    "constraints": {"type": "array", "items": {"$ref": "#/definitions/expression"}}})");
}

}  // namespace tuner
