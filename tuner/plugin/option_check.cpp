// Checks options by what plugins say of them, before a plugin sees any.

#include "tuner/plugin/option_check.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <vector>

#include "tuner/base/text.h"

namespace tuner {
namespace {

// The words after `head`, when the text begins with it.
std::optional<std::string_view> after(std::string_view text, std::string_view head) {
  if (text.substr(0, head.size()) != head) return std::nullopt;
  return text.substr(head.size());
}

std::vector<std::string> choices_of(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(", "), list.size());
    out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return out;
}

template <typename T>
std::optional<T> parsed(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || stop != end) return std::nullopt;
  return number;
}

struct Range {
  std::string_view low, high;
};

std::optional<Range> range_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  return Range{text.substr(0, dots), text.substr(dots + 2)};
}

template <typename T>
std::optional<std::string> number_misfit(std::string_view range, const std::string& value,
                                         const char* what) {
  const Range ends = *range_of(range);
  const auto number = parsed<T>(value);
  if (number && *number >= *parsed<T>(ends.low) && *number <= *parsed<T>(ends.high)) return {};
  return std::string(what) + " from " + std::string(ends.low) + " to " + std::string(ends.high);
}

template <typename T>
bool is_range(std::string_view text) {
  const auto ends = range_of(text);
  return ends && parsed<T>(ends->low) && parsed<T>(ends->high);
}

bool is_understood(const std::string& allowed) {
  if (allowed.empty() || allowed == "flag") return true;
  if (const auto list = after(allowed, "one of ")) return !choices_of(*list).empty();
  if (const auto range = after(allowed, "integer ")) return is_range<std::int64_t>(*range);
  if (const auto range = after(allowed, "number ")) return is_range<double>(*range);
  return false;
}

}  // namespace

std::optional<std::string> value_misfit(const std::string& allowed, const std::string& value) {
  if (const auto range = after(allowed, "integer ")) {
    return number_misfit<std::int64_t>(*range, value, "a whole number");
  }
  if (const auto range = after(allowed, "number ")) {
    return number_misfit<double>(*range, value, "a number");
  }
  if (const auto list = after(allowed, "one of ")) {
    const auto all = choices_of(*list);
    if (std::find(all.begin(), all.end(), value) != all.end()) return std::nullopt;
    return "one of: " + std::string(*list);
  }
  static const std::set<std::string> flags{"true", "on", "yes", "1", "false", "off", "no", "0"};
  if (allowed == "flag" && flags.count(value) == 0) return "true or false";
  return std::nullopt;
}

std::string description_fault(const std::vector<PluginOption>& options) {
  std::set<std::string> seen;
  for (const PluginOption& one : options) {
    if (one.name.empty()) return "one of its options has no name";
    if (!seen.insert(one.name).second) return "it has option '" + one.name + "' twice";
    if (!is_understood(one.allowed)) {
      return "what its option '" + one.name + "' allows is not understood: '" + one.allowed + "'";
    }
    if (const auto misfit = value_misfit(one.allowed, one.default_value)) {
      return "the default of its option '" + one.name + "' is '" + one.default_value +
             "': it must be " + *misfit;
    }
  }
  return "";
}

std::vector<Complaint> option_complaints(const std::vector<const PluginItem*>& items,
                                         const std::string& owner, const OptionList& options,
                                         const Position& where) {
  std::vector<PluginOption> known;
  std::vector<std::string> names;
  std::vector<std::string> shown;
  for (const PluginItem* item : items) {
    for (const PluginOption& option : item->options) {
      known.push_back(option);
      names.push_back(option.name);
      shown.push_back(option.name + "=" + option.default_value);
    }
  }
  std::vector<Complaint> out;
  for (const OptionValue& given : options) {
    const Position& at = given.where.line > 0 ? given.where : where;
    if (std::find(names.begin(), names.end(), given.name) == names.end()) {
      out.push_back({at,
                     "unknown option '" + given.name + "'; " + owner +
                         (known.empty() ? " has no options" : " has: " + listed(shown)),
                     did_you_mean(given.name, names)});
    }
    for (const PluginOption& option : known) {
      if (option.name != given.name) continue;
      if (const auto misfit = value_misfit(option.allowed, given.value)) {
        out.push_back({at,
                       owner + ": option '" + given.name + "' is '" + given.value +
                           "': it must be " + *misfit,
                       ""});
      }
    }
  }
  return out;
}

OptionList options_for(const PluginItem& item, const OptionList& options) {
  OptionList out;
  for (const OptionValue& one : options) {
    const bool declared = std::any_of(item.options.begin(), item.options.end(),
                                      [&](const auto& option) { return option.name == one.name; });
    if (declared) out.push_back(one);
  }
  return out;
}

}  // namespace tuner
