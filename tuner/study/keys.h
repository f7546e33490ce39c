#pragma once
// Tables of keys: of each key of a section how it is read, what it allows and what it means. The
// reader, the keys that its complaints name and the JSON schema are made from them.

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/study/sections.h"

namespace tuner {

using Schema = nlohmann::ordered_json;

// A key that was found in a study, with its place and its map.
struct Given {
  Reader& reader;
  const YamlNode& node;
  std::string key;
  Position where;  // of the key

  std::string quoted() const { return "'" + key + "'"; }
};

// ---- what a key allows --------------------------------------------------------------------------
//
// A rule reads what is given, or complains; and it says as JSON schema what it allows, with the
// value that holds where a study says none.

// Numbers between two, either of which may be outside itself.
struct NumberRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool is_above = false;     // low itself is outside
  bool is_below = false;     // high itself is outside
  const char* zero = "";     // what 0 means beside them
  const char* example = "";  // a suggestion

  bool holds(double value) const;
  std::string text() const;
  Schema schema(bool is_whole, std::optional<double> usual) const;

  template <typename T>
  static T number_in(const std::optional<T>&);
  template <typename T>
  static T number_in(const T&);
  template <typename T>
  using Number = decltype(number_in(std::declval<T>()));

  template <typename T>
  void read(const Given& given, T& out) const {
    const auto value = [&] {
      if constexpr (std::is_integral_v<Number<T>>) {
        return read_integer(given.node, given.quoted());
      } else {
        return read_number(given.node, given.quoted());
      }
    }();
    if (value && holds(static_cast<double>(*value))) {
      out = static_cast<Number<T>>(*value);
    } else if (value) {
      given.node.error(given.quoted() + " must be " + text() + ", not " + given.node.text, example);
    }
  }
  template <typename T>
  Schema schema(const T& usual) const {
    return schema(std::is_integral_v<Number<T>>, std::optional<Number<T>>(usual));
  }
};
constexpr NumberRange any_number() { return {}; }
constexpr NumberRange at_least(double low) { return {.low = low}; }
constexpr NumberRange above(double low) { return {.low = low, .is_above = true}; }
constexpr NumberRange above_or_zero(double low, const char* zero) {
  return {.low = low, .is_above = true, .zero = zero};
}
constexpr NumberRange from_to(double low, double high) { return {.low = low, .high = high}; }
constexpr NumberRange between(double low, double high) {
  return {.low = low, .high = high, .is_above = true, .is_below = true};
}
constexpr NumberRange from_below(double low, double high, const char* example = "") {
  return {.low = low, .high = high, .is_below = true, .example = example};
}

// A few words, each the name of a value: name_of(value), or the value itself where that is a text.
template <typename T, std::size_t N>
struct OneOf {
  std::array<T, N> values;

  template <typename Value>
  static std::string word_of(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      return std::string(name_of(value));
    } else {
      return value;
    }
  }
  std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const T& value : values) all.push_back(word_of(value));
    return all;
  }
  template <typename Out>
  void read(const Given& given, Out& out) const {
    if (const auto which = read_word(given.node, given.key, words())) out = values.at(*which);
  }
  template <typename Out>
  Schema schema(const Out& usual) const {
    const std::vector<std::string> all = words();
    Schema own{{"enum", all}};
    if (std::ranges::find(all, word_of(usual)) != all.end()) own["default"] = word_of(usual);
    return own;
  }
};
template <typename T, typename... More>
constexpr OneOf<T, 1 + sizeof...(More)> one_of(T first, More... more) {
  return {{first, more...}};
}

// The only word that may stand there: true where it does.
struct OnlyWord {
  std::string_view word;
  void read(const Given& given, bool& out) const;
  Schema schema(bool /*usual*/) const { return {{"const", word}}; }
};
constexpr OnlyWord only(std::string_view word) { return {word}; }

// Any text; an empty one says nothing.
struct AnyText {
  void read(const Given& given, std::string& out) const;
  Schema schema(const std::string& usual) const;
};
constexpr AnyText any_text() { return {}; }

struct Flag {
  void read(const Given& given, bool& out) const { out = read_flag(given.node, given.quoted()); }
  Schema schema(bool usual) const { return {{"type", "boolean"}, {"default", usual}}; }
};
constexpr Flag true_or_false() { return {}; }

// Options of something that a plugin offers: `whose` are they in messages?
struct Options {
  const char* whose;
  void read(const Given& given, OptionList& out) const { out = read_options(given.node, whose); }
  Schema schema(const OptionList& /*usual*/) const { return {{"$ref", "#/definitions/options"}}; }
};
constexpr Options options_of(const char* whose) { return {whose}; }

// A map with a table of keys of its own.
template <typename Table>
struct Inner {
  const Table& table;
  template <typename Spec>
  void read(const Given& given, Spec& out) const {
    table.read(given.reader, table.fields(given.node, given.where), out);
  }
  template <typename Spec>
  Schema schema(const Spec& /*usual*/) const {
    return table.schema();
  }
};
template <typename Table>
constexpr Inner<Table> keys_of(const Table& table) {
  return {table};
}

// ---- tables -------------------------------------------------------------------------------------

// A key whose value becomes a member of the section's struct.
template <typename Spec, typename T, typename Rule>
struct Key {
  std::string_view name;
  T Spec::*member;
  Rule rule;
  std::string_view says;
  Position Spec::*place = nullptr;  // becomes that of the value
  bool is_needed = false;

  constexpr Key at(Position Spec::*where) const {
    return {name, member, rule, says, where, is_needed};
  }
  constexpr Key needed() const { return {name, member, rule, says, place, true}; }

  void read(Reader& reader, const Fields& fields, Spec& out) const {
    const YamlNode* node = is_needed ? fields.require(name) : fields.find(name);
    if (node == nullptr) return;
    if (place != nullptr) out.*place = node->where();
    rule.read(Given{reader, *node, std::string(name), fields.where(name)}, out.*member);
  }
  Schema schema() const { return rule.schema(Spec{}.*member); }
};
template <typename Spec, typename T, typename Rule>
constexpr Key<Spec, T, Rule> key(std::string_view name, T Spec::*member, Rule rule,
                                 std::string_view says) {
  return {name, member, rule, says};
}

// A key that a function of its own reads. What it allows is "text", the name of a definition, or
// JSON.
struct OtherKey {
  std::string_view name;
  std::string_view allows;
  std::string_view says;
  bool is_needed = false;

  constexpr OtherKey needed() const { return {name, allows, says, true}; }

  template <typename Spec>
  void read(Reader& /*reader*/, const Fields& /*fields*/, Spec& /*out*/) const {}
  Schema schema() const;
};
constexpr OtherKey key(std::string_view name, std::string_view allows, std::string_view says) {
  return {name, allows, says};
}

// The keys of a map, in the order in which messages name them.
template <typename... Keys>
struct KeyTable {
  const char* what;  // the map is in messages: "'measure'"
  std::tuple<Keys...> keys;

  std::vector<std::string> names() const {
    return std::apply([](const auto&... one) { return std::vector{std::string(one.name)...}; },
                      keys);
  }
  // The keys of a map that has no others; `name` is what it is in messages.
  Fields fields(const YamlNode& node, const Position& where, const std::string& name) const {
    return {node, where, name, names()};
  }
  Fields fields(const YamlNode& node, const Position& where) const {
    return fields(node, where, what);
  }
  template <typename Spec>
  void read(Reader& reader, const Fields& fields, Spec& out) const {
    std::apply([&](const auto&... one) { (one.read(reader, fields, out), ...); }, keys);
  }
  // {"type": "object", ...}, and `more` as JSON.
  Schema schema(std::string_view more = "{}") const {
    Schema properties = Schema::object();
    Schema needed = Schema::array();
    const auto add = [&](const auto& one) {
      Schema& own = properties[std::string(one.name)] = one.schema();
      if (!one.says.empty()) own["description"] = one.says;
      if (one.is_needed) needed.push_back(one.name);
    };
    std::apply([&](const auto&... one) { (add(one), ...); }, keys);
    Schema all{{"type", "object"}, {"additionalProperties", false}};
    if (!needed.empty()) all["required"] = std::move(needed);
    all.update(Schema::parse(more));
    all["properties"] = std::move(properties);
    return all;
  }
};
template <typename... Keys>
constexpr KeyTable<Keys...> key_table(const char* what, Keys... keys) {
  return {what, {keys...}};
}

// ---- the schema of a whole study ----------------------------------------------------------------

// Schemas of a study's sections, and of the forms that several of them share.
struct SchemaParts {
  Schema sections = Schema::object();
  Schema definitions = Schema::object();
};
// Each file that reads sections says what they are. The irregular ones are JSON beside their
// readers.
void describe_space(SchemaParts& parts);
void describe_configurations(SchemaParts& parts);
void describe_domain(SchemaParts& parts);
void describe_kernel(SchemaParts& parts);
void describe_command(SchemaParts& parts);
void describe_launch(SchemaParts& parts);
void describe_captured(SchemaParts& parts);
void describe_arguments(SchemaParts& parts);
void describe_types(SchemaParts& parts);
void describe_fill(SchemaParts& parts);
void describe_views(SchemaParts& parts);
void describe_plugins(SchemaParts& parts);
void describe_reference(SchemaParts& parts);
void describe_verify(SchemaParts& parts);
void describe_search(SchemaParts& parts);
void describe_advice(SchemaParts& parts);

// Adds the members of a JSON object.
void add_schema(Schema& to, std::string_view json);

}  // namespace tuner
