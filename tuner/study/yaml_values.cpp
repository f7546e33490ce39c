// Reads typed values out of YAML nodes.

#include "tuner/study/yaml_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <system_error>

#include "tuner/base/text.h"
#include "tuner/expression/expression.h"
#include "tuner/space/name_table.h"
#include "tuner/study/extents.h"
#include "tuner/study/value_list.h"

namespace tuner {

// ---- names of a form ----------------------------------------------------------------------------

struct NameForm::Compiled {
  std::regex regex;
};

NameForm::NameForm(const char* expression)
    : compiled_(std::make_unique<Compiled>(Compiled{std::regex(expression)})) {}

NameForm::~NameForm() = default;

bool NameForm::fits(const std::string& name) const {
  constexpr std::size_t kLongest = 500;
  return name.size() <= kLongest && std::regex_match(name, compiled_->regex);
}

// ---- scalars and lists --------------------------------------------------------------------------

namespace {

// YAML 1.2's core forms, as far as a parameter can have them.
enum class Form { kText, kBool, kInteger, kFloat, kNotFinite };

Form form_of(const YamlNode& node) {
  static const NameForm kBooleans("true|True|TRUE|false|False|FALSE");
  static const NameForm kIntegers("[-+]?([0-9]+|0x[0-9a-fA-F]+|0o[0-7]+)");
  static const NameForm kFloats("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
  // 2**20, 1_000_000, 0b11, 64 * 1024.
  static const NameForm kArithmetic(
      "[-+]?(0[xX][0-9a-fA-F_]+|0[bB][01_]+|[0-9][0-9_]*)"
      "( *(\\*\\*|\\*|<<) *(0[xX][0-9a-fA-F_]+|0[bB][01_]+|[0-9][0-9_]*))*");
  static const NameForm kOthers("[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
  constexpr std::size_t kLongestNumber = 64;
  const std::string& text = node.text;
  if (!node.plain || text.size() > kLongestNumber) return Form::kText;
  if (kBooleans.fits(text)) return Form::kBool;
  if (kIntegers.fits(text)) return Form::kInteger;
  if (kFloats.fits(text)) return Form::kFloat;
  if (kArithmetic.fits(text) && Expression::parse(text)) return Form::kInteger;
  return kOthers.fits(text) ? Form::kNotFinite : Form::kText;
}

std::optional<std::int64_t> integer_of(const std::string& text) {
  std::string digits = text;
  const bool negative = digits.front() == '-';
  if (negative || digits.front() == '+') digits.erase(0, 1);
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o')) {
    base = digits[1] == 'x' ? 16 : 8;
    digits.erase(0, 2);
  }
  if (negative) digits.insert(0, "-");
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (end != digits.data() + digits.size()) return extent_from(text);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<double> float_of(const std::string& text) {
  const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

void wrong_type(const YamlNode& node, const std::string& what, const std::string& wanted,
                const std::string& suggestion = {}) {
  node.error(what + " must be " + wanted + ", not " + kind_of(node), suggestion);
}

// 1e6, which is whole.
bool is_whole_power(const YamlNode& node) {
  return node.is_scalar() && node.text.find_first_of("eE") != std::string::npos &&
         node.text.find('.') == std::string::npos && form_of(node) == Form::kFloat &&
         extent_from(node.text);
}

}  // namespace

std::string kind_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  switch (form_of(node)) {
    case Form::kBool:
      return "a boolean";
    case Form::kInteger:
      return "an integer";
    case Form::kFloat:
      return "a number";
    case Form::kNotFinite:
      return "one that is not finite";
    case Form::kText:
      break;
  }
  return "text";
}

std::optional<Value> read_value(const YamlNode& node, const std::string& what) {
  if (!node.is_scalar()) {
    wrong_type(node, what, "a number, a boolean or text");
    return std::nullopt;
  }
  std::optional<Value> value;
  switch (form_of(node)) {
    case Form::kText:
      return node.text;
    case Form::kBool:
      return node.text[0] == 't' || node.text[0] == 'T';
    case Form::kInteger:
      if (const auto integer = integer_of(node.text)) value = *integer;
      break;
    case Form::kFloat:
      if (const auto number = float_of(node.text)) value = *number;
      break;
    case Form::kNotFinite:
      break;
  }
  if (!value) {
    node.error(what + ": " + node.text +
               (form_of(node) == Form::kNotFinite ? " is not a finite number"
                                                  : " does not fit in 64 bits"));
  }
  return value;
}

std::optional<std::int64_t> read_integer(const YamlNode& node, const std::string& what) {
  if (is_whole_power(node)) return extent_from(node.text);
  if (!node.is_scalar() || form_of(node) != Form::kInteger) {
    wrong_type(node, what, "an integer", node.is_scalar() ? meant_by(node.text) : "");
    return std::nullopt;
  }
  const auto value = read_value(node, what);
  return value ? std::optional(std::get<std::int64_t>(*value)) : std::nullopt;
}

std::optional<std::int64_t> read_extent(const YamlNode& node, const std::string& what) {
  const Form form = node.is_scalar() ? form_of(node) : Form::kNotFinite;
  const bool may_be_one = form == Form::kText || form == Form::kFloat;
  if (const auto extent = may_be_one ? extent_from(node.text) : std::nullopt) return extent;
  return read_integer(node, what);
}

std::vector<Value> whole_values(const std::vector<Value>& values,
                                const std::vector<const YamlNode*>& nodes) {
  std::vector<Value> whole = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::holds_alternative<double>(values[i])) continue;
    if (!is_whole_power(*nodes[i])) return values;
    whole[i] = *extent_from(nodes[i]->text);
  }
  return whole;
}

std::optional<double> read_number(const YamlNode& node, const std::string& what) {
  const Form form = node.is_scalar() ? form_of(node) : Form::kText;
  if (form != Form::kInteger && form != Form::kFloat) {
    wrong_type(node, what, "a number");
    return std::nullopt;
  }
  const auto value = read_value(node, what);
  return value ? std::optional(to_number(*value)) : std::nullopt;
}

std::vector<Value> read_python_list(const YamlNode& node, const std::string& text) {
  const std::size_t bracket = text.size() > node.text.size() ? 1 : 0;
  try {
    return parse_value_list(text, {"", 1, 1});
  } catch (const InputError& error) {
    for (const Complaint& c : error.complaints()) {
      const auto at = static_cast<std::size_t>(c.where.column - 1);
      node.diagnostics->error(node.where(std::max(at, bracket) - bracket), c.message, c.suggestion);
    }
  }
  return {};
}

std::optional<Value> repeated_value(const std::vector<Value>& values) {
  if (detail::are_ascending_integers(values)) return std::nullopt;
  std::set<std::string> seen;
  for (const Value& value : values) {
    const bool is_text = std::holds_alternative<std::string>(value);
    const std::string key =
        is_text ? "'" + to_text(value) : fmt::format("{:.17g}", to_number(value));
    if (!seen.insert(key).second) return value;
  }
  return std::nullopt;
}

std::optional<std::string> read_text(const YamlNode& node, const std::string& what) {
  if (node.is_scalar()) return node.text;
  wrong_type(node, what, "text");
  return std::nullopt;
}

bool expect_list(const YamlNode& node, const std::string& what) {
  if (!node.is_sequence()) wrong_type(node, what, "a list");
  return node.is_sequence();
}

bool expect_map(const YamlNode& node, const std::string& what) {
  if (!node.is_map()) wrong_type(node, what, "a map (key: value)");
  return node.is_map();
}

const std::vector<YamlRef>& items_of(const YamlNode& node, const std::string& what) {
  expect_list(node, what);
  return node.items;
}

const std::vector<std::pair<YamlRef, YamlRef>>& entries_of(const YamlNode& node,
                                                           const std::string& what) {
  expect_map(node, what);
  return node.entries;
}

bool read_flag(const YamlNode& node, const std::string& what) {
  const auto value = read_value(node, what);
  if (value && std::holds_alternative<bool>(*value)) return std::get<bool>(*value);
  if (value) node.error(what + " must be true or false, not " + node.text);
  return false;
}

std::optional<std::size_t> read_word(const YamlNode& node, const std::string& key,
                                     const std::vector<std::string>& words) {
  const auto word = read_text(node, "'" + key + "'");
  if (!word) return std::nullopt;
  const auto found = std::ranges::find(words, *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  node.error("'" + key + "' must be " + listed(words, "or") + ", not '" + *word + "'",
             did_you_mean(*word, words));
  return std::nullopt;
}

std::optional<std::filesystem::path> read_file_name(const YamlNode& node, const std::string& what) {
  const auto text = read_text(node, what);
  if (!text) return std::nullopt;
  const std::filesystem::path path = (node.folder() / *text).lexically_normal();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  std::string reason;
  if (!std::filesystem::exists(status)) {
    reason = "there is no file " + path.string();
  } else if (!std::filesystem::is_regular_file(status)) {
    reason = path.string() + " is not a regular file";
  } else if (!std::ifstream(path)) {
    reason = path.string() + " cannot be read";
  }
  if (reason.empty()) return path;
  node.error(what + ": " + reason, "names are relative to the study file");
  return std::nullopt;
}

// ---- maps with known keys -----------------------------------------------------------------------

Fields::Fields(const YamlNode& node, Position where, std::string what,
               const std::vector<std::string>& known)
    : node_(node), where_(std::move(where)), what_(std::move(what)) {
  is_map_ = expect_map(node, what_);
  if (!is_map_) return;
  for (const auto& [key, value] : node.entries) {
    if (std::find(known.begin(), known.end(), key->text) != known.end()) continue;
    key->error("unknown key '" + key->text + "' in " + what_, suggestion_for(key->text, known));
  }
}

const std::pair<YamlRef, YamlRef>* Fields::entry(std::string_view key) const {
  if (!is_map_) return nullptr;
  const auto found = std::find_if(node_.entries.begin(), node_.entries.end(),
                                  [key](const auto& e) { return e.first->text == key; });
  return found == node_.entries.end() ? nullptr : &*found;
}

bool Fields::mentions(std::string_view key) const { return entry(key) != nullptr; }

const YamlNode* Fields::find(std::string_view key) const {
  const auto* found = entry(key);
  return found == nullptr || found->second->is_null() ? nullptr : found->second.get();
}

const YamlNode* Fields::require(std::string_view key) const {
  const YamlNode* value = find(key);
  if (value == nullptr && is_map_) {
    const std::string name = "'" + std::string(key) + "'";
    error(key, mentions(key) ? name + " is empty" : "missing key " + name + " in " + what_);
  }
  return value;
}

Position Fields::where(std::string_view key) const {
  const auto* found = entry(key);
  return found == nullptr ? where_ : found->first->where();
}

void Fields::error(std::string_view key, std::string message, std::string suggestion) const {
  node_.diagnostics->error(where(key), std::move(message), std::move(suggestion));
}

void Fields::refuse(const std::vector<std::string>& keys, const std::string& who) const {
  for (const std::string& key : keys) {
    if (mentions(key)) error(key, who + ", so it cannot have '" + key + "'");
  }
}

}  // namespace tuner
