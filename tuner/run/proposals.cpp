// Reads proposals out of JSON, and finds the place of each.

#include "tuner/run/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tuner/base/text.h"
#include "tuner/model/json_text.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFaults = 100;  // that are written down: one is shown, the rest counted

Position place_at(const std::string& name, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 where there is none before
  return {name, static_cast<int>(1 + std::ranges::count(before, '\n')),
          static_cast<int>(1 + before.size() - line_start)};
}

// Offsets of the items of a list that is valid JSON.
std::vector<std::size_t> item_offsets(std::string_view text) {
  std::vector<std::size_t> out;
  int depth = 0;
  bool in_text = false;
  bool awaits_item = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\') ++at;
      in_text = c != '"';
      continue;
    }
    if (awaits_item && !is_blank(c) && c != '\n' && c != ']') {
      out.push_back(at);
      awaits_item = false;
    }
    if (c == '"') in_text = true;
    if (c == '[' || c == '{') awaits_item = ++depth == 1;
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth == 1) awaits_item = true;
  }
  return out;
}

class ProposalReader {
 public:
  ProposalReader(const std::string& text, const std::string& name,
                 const std::vector<Parameter>& parameters)
      : text_(text), name_(name), parameters_(parameters) {}

  Proposals read() {
    const Json list = parsed();
    if (!out_.faults.empty()) return std::move(out_);
    if (!list.is_array()) {
      fault(0, fmt::format("this is {}, not a list of configurations", kind_of(list)));
      return std::move(out_);
    }
    const std::vector<std::size_t> offsets = item_offsets(text_);
    out_.proposed = list.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      at_ = i < offsets.size() ? offsets[i] : 0;
      read_item(list[i]);
    }
    return std::move(out_);
  }

 private:
  static const char* kind_of(const Json& json) {
    return json.is_null()      ? "null"
           : json.is_boolean() ? "true or false"
           : json.is_number()  ? "a number"
           : json.is_string()  ? "text"
           : json.is_array()   ? "a list"
                               : "a map";
  }

  Json parsed() {
    try {
      return parse_json(text_);
    } catch (const Json::parse_error& error) {
      const bool is_empty = trimmed(text_, " \t\r\n").empty();
      fault(error.byte > 0 ? error.byte - 1 : 0,
            is_empty ? "this is empty, not a JSON list" : "this is not valid JSON");
    } catch (const Json::exception&) {
      fault(0, "this is not valid JSON");
    }
    return {};
  }

  void fault(std::size_t offset, std::string message, std::string suggestion = {}) {
    Position where;  // only the first ones are looked up: each costs a walk through the text
    if (out_.faults.size() < kMostFaults) where = place_at(name_, text_, offset);
    out_.faults.push_back({std::move(where), std::move(message), std::move(suggestion)});
  }

  void read_item(const Json& item) {
    if (!item.is_object()) {
      return fault(at_, fmt::format("a configuration is a map, not {}", kind_of(item)));
    }
    if (item.empty()) return fault(at_, "this configuration names no parameter");
    WishedValues wishes(parameters_.size());
    std::string unknown;
    for (const auto& [key, value] : item.items()) {
      const auto own = std::ranges::find(parameters_, key, &Parameter::name);
      if (own == parameters_.end()) {
        if (unknown.empty()) unknown = key;
        continue;
      }
      wishes[static_cast<std::size_t>(own - parameters_.begin())] = wish_of(*own, value);
    }
    const auto said = [](const auto& wish) { return wish.has_value(); };
    const bool says_any = std::ranges::any_of(wishes, said);
    if (!unknown.empty()) {
      fault(at_,
            fmt::format("the study has no parameter '{}'{}", shortened(unknown, 40),
                        says_any ? "" : ", nor any other that this configuration names"),
            suggestion_for(unknown, parameter_names(parameters_)));
    }
    if (says_any) out_.wishes.push_back(std::move(wishes));
  }

  // Nothing, with a complaint, where it is no value of that kind.
  std::optional<Value> wish_of(const Parameter& parameter, const Json& json) {
    if (!json.is_primitive() || json.is_null()) {
      fault(at_, fmt::format("'{}' is {}", parameter.name, kind_of(json)), choice_of(parameter));
      return std::nullopt;
    }
    Value value = value_from_json(json);
    if (auto own = value_among(parameter, value)) return own;
    if (parameter.ordered() && json.is_number()) return value;
    fault(at_, fmt::format("'{}' has no value {}", parameter.name, shortened(to_text(value), 40)),
          choice_of(parameter));
    return std::nullopt;
  }

  const std::string& text_;
  const std::string& name_;
  const std::vector<Parameter>& parameters_;
  std::size_t at_ = 0;  // of the item
  Proposals out_;
};

}  // namespace

Proposals read_proposals(const std::string& text, const std::string& name,
                         const std::vector<Parameter>& parameters) {
  return ProposalReader(text, name, parameters).read();
}

std::string faults_text(const std::vector<Complaint>& faults) {
  if (faults.empty()) return {};
  std::string first = render(faults.front());
  if (faults.size() == 1) return first;
  return fmt::format("{}; and {} more", first, count_text(faults.size() - 1, "mistake"));
}

}  // namespace tuner
