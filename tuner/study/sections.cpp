// Decides what the names of a study's expressions mean, and where each may be used.

#include "tuner/study/sections.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/model/device_facts.h"
#include "tuner/resolve/objective.h"
#include "tuner/study/yaml_values.h"

namespace tuner {
namespace {

struct KindText {
  NameKind kind;
  const char* one;
  const char* many;
};
constexpr std::array<KindText, 8> kKinds{
    {{kSizeName, "a problem size", "problem sizes"},
     {kDeviceFact, "a device fact", "device facts"},
     {kParameterName, "a parameter", "parameters"},
     {kDerivedName, "a derived name", "derived names"},
     {kTimeName, "a measured quantity", "time, power, energy"},
     {kMetricName, "a metric", "metrics"},
     {kCompiledName, "what compilers say", "registers and the like"},
     {kHeldName, "held", "what 'per' names"}}};

std::string text_of(NameKind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(),
                      [kind](const KindText& k) { return k.kind == kind; })
      ->one;
}

std::string text_of_all(unsigned kinds) {
  std::vector<std::string> names;
  for (const KindText& k : kKinds) {
    if ((kinds & k.kind) != 0) names.emplace_back(k.many);
  }
  return listed(names, "and");
}

bool is_identifier(const std::string& name) {
  static const NameForm kIdentifier("[A-Za-z_][A-Za-z0-9_]{0,99}");
  return kIdentifier.fits(name);
}

bool is_word_of_the_language(const std::string& name) {
  static const std::vector<std::string> kWords{
      "and",   "or",  "not", "in",  "if",       "else", "True",  "False", "true",
      "false", "min", "max", "abs", "ceil_div", "ceil", "floor", "log2",  "device"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

// The text of "lambda p: p['X'] > 1", of which YAML has made a map.
std::optional<YamlNode> pasted_lambda(const YamlNode& node) {
  if (!node.is_map() || node.entries.size() != 1) return std::nullopt;
  const auto& [key, value] = node.entries.front();
  if (!key->plain || !key->text.starts_with("lambda ") || !value->is_scalar() || !value->plain) {
    return std::nullopt;
  }
  YamlNode whole = *value;
  whole.text = key->text + ": " + value->text;
  whole.line = key->line;
  whole.column = key->column;
  return whole;
}

}  // namespace

Names::Names(Diagnostics& diagnostics) : diagnostics_(diagnostics) {
  for (const auto& [name, value] : DeviceFacts{}.bindings()) {
    meanings_.emplace(name, Meaning{kDeviceFact, 0, {}});
  }
  for (const char* name : {"time", "power", "energy"}) {
    meanings_.emplace(name, Meaning{kTimeName, 0, {name}});
  }
  for (const std::string_view name : kCompiledNames) {
    meanings_.emplace(name, Meaning{kCompiledName, 0, {std::string(name)}});
  }
}

void Names::declare(const YamlNode& key, NameKind kind, std::set<std::string> parameters) {
  const std::string& name = key.text;
  const Position where = key.where();
  if (!is_identifier(name)) {
    diagnostics_.error(where, "'" + name + "' cannot be a name",
                       "a letter or _, then letters, digits and _");
    return;
  }
  if (is_word_of_the_language(name)) {
    diagnostics_.error(where, "'" + name + "' is a word of the expression language and cannot be " +
                                  text_of(kind));
    return;
  }
  if (kind == kParameterName) parameters = {name};
  const Meaning meaning{kind, key.line, std::move(parameters)};
  // All but `time` were free names before they were known here: who declares them keeps them.
  if (const auto old = meanings_.find(name);
      old != meanings_.end() && (old->second.kind & (kTimeName | kCompiledName)) != 0 &&
      name != "time") {
    meanings_.erase(old);
  }
  const auto [found, is_new] = meanings_.emplace(name, meaning);
  if (is_new) return;
  const Meaning& first = found->second;
  if (first.kind == kind && first.line == key.line) return;  // an alias of the same key
  diagnostics_.error(
      where, "'" + name + "' is already " + text_of(first.kind) +
                 (first.line > 0 ? " (line " + std::to_string(first.line) + ")" : std::string()));
}

std::vector<std::string> Names::of_kinds(unsigned kinds) const {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : meanings_) {
    if ((meaning.kind & kinds) != 0) names.push_back(name);
  }
  return names;
}

bool Names::is_held(const Meaning& meaning) const {
  const bool is_of_space = meaning.kind == kParameterName || meaning.kind == kDerivedName;
  return is_of_space && !held_.empty() && std::ranges::includes(held_, meaning.parameters);
}

bool Names::knows(const std::string& name, unsigned kinds) const {
  const auto found = meanings_.find(name);
  if (found == meanings_.end()) return false;
  return (found->second.kind & kinds) != 0 || ((kinds & kHeldName) != 0 && is_held(found->second));
}

std::set<std::string> Names::parameters_of(const Expression& expression) const {
  std::set<std::string> all;
  for (const std::string& name : expression.names()) {
    const auto found = meanings_.find(name);
    if (found == meanings_.end()) {
      all.insert(name);
    } else {
      all.insert(found->second.parameters.begin(), found->second.parameters.end());
    }
  }
  return all;
}

Names Names::holding(const std::vector<std::string>& parameters) const {
  Names other = *this;
  other.held_ = {parameters.begin(), parameters.end()};
  return other;
}

void Names::hold(const std::vector<std::string>& parameters) {
  held_.insert(parameters.begin(), parameters.end());
}

bool Names::varies_while_held(const Expression& expression) const {
  return !std::ranges::includes(held_, parameters_of(expression));
}

void Names::complain(Position where, const std::string& name, unsigned kinds,
                     const std::string& who) const {
  const auto found = meanings_.find(name);
  if (found != meanings_.end()) {
    diagnostics_.error(
        std::move(where),
        "'" + name + "' is " + text_of(found->second.kind) + "; " + who + " may use only " +
            text_of_all(kinds),
        found->second.kind == kCompiledName ? "conditions on it go to 'compiled'" : "");
  } else if (later_.contains(name)) {
    diagnostics_.error(std::move(where), "'" + name + "' is defined further down; " + who +
                                             " sees only what is above it");
  } else if (complete_) {
    diagnostics_.error(std::move(where), "unknown name '" + name + "'",
                       did_you_mean(name, of_kinds(kinds)));
  }
}

Expression Names::read(const YamlNode& node, const std::string& what, unsigned kinds,
                       const std::string& who) const {
  if (const auto whole = pasted_lambda(node)) return read(*whole, what, kinds, who);
  if (!node.is_scalar()) {
    node.error(what + " must be an expression, not " + kind_of(node),
               node.is_sequence() || node.is_map() ? "quote text that begins with [ or {" : "");
    return {};
  }
  std::string text = node.text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const Position origin = node.where(0);
  auto parsed = Expression::parse(text, origin);
  if (!parsed) {
    Complaint complaint = parsed.error();
    const int offset = std::max(0, complaint.where.column - origin.column);
    diagnostics_.error(node.where(static_cast<std::size_t>(offset)), complaint.message,
                       complaint.suggestion);
    return {};
  }
  bool good = true;
  for (std::size_t i = 0; i < parsed->names().size(); ++i) {
    const std::string& name = parsed->names()[i];
    if (knows(name, kinds)) continue;
    complain(node.where(parsed->name_offsets()[i]), name, kinds, who);
    good = false;
  }
  return good ? *parsed : Expression();
}

}  // namespace tuner
