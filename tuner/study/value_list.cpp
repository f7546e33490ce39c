// Reads lists of values that are written as in Python.

#include "tuner/study/value_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "tuner/base/text.h"
#include "tuner/expression/expression.h"

namespace tuner {
namespace {

constexpr std::size_t kMostValues = 1 << 21;
constexpr int kDeepest = 16;  // lists in lists
// A long formula for each of many values, or many lists of which nothing is kept.
constexpr std::size_t kMostWork = 30'000'000;

std::string_view stripped(std::string_view text) { return trimmed(text, " \t\r\n"); }

class ListParser {
 public:
  ListParser(const std::string& text, const Position& where) : whole_(text), where_(where) {}

  std::vector<Value> run() { return list(whole_, kDeepest); }

 private:
  [[noreturn]] void fail(std::string_view part, const std::string& message) const {
    Position at = where_;
    if (at.line == 0) {
      throw InputError(Complaint{at, fmt::format("{} in '{}'", message, whole_), ""});
    }
    at.column = std::max(1, at.column) + static_cast<int>(part.data() - whole_.data());
    throw InputError(Complaint{at, message, ""});
  }

  Expression parse(std::string_view part) const {
    auto parsed = Expression::parse(stripped(part));
    if (!parsed) fail(part, parsed.error().message);
    return std::move(*parsed);
  }

  Value evaluate(std::string_view part, const Expression& expression, const Bindings& names) const {
    work_ += part.size() + 16;
    if (work_ > kMostWork) fail(part, "it takes too long to write these values down");
    auto value = expression.evaluate(names);
    if (!value) fail(part, value.error().message);
    return std::move(*value);
  }

  // Cuts `text` at each `mark` (a comma or a whole word) outside brackets and quotes.
  static std::vector<std::string_view> cut(std::string_view text, std::string_view mark) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth;
      } else if (c == ')' || c == ']' || c == '}') {
        --depth;
      } else if (depth == 0 && text.substr(i, mark.size()) == mark && is_word(text, i, mark)) {
        parts.push_back(text.substr(begin, i - begin));
        begin = i + mark.size();
        i = begin - 1;
      }
    }
    parts.push_back(text.substr(begin));
    return parts;
  }
  static bool is_word(std::string_view text, std::size_t at, std::string_view mark) {
    if (mark == "," || mark == "+") return true;
    const std::size_t end = at + mark.size();
    return (at == 0 || !is_word_part(text[at - 1])) &&
           (end == text.size() || !is_word_part(text[end]));
  }

  // The inside of "NAME( ... )" when `text` is that as a whole.
  static std::optional<std::string_view> call(std::string_view text, std::string_view name) {
    if (text.substr(0, name.size()) != name) return std::nullopt;
    const std::string_view rest = stripped(text.substr(name.size()));
    if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') return std::nullopt;
    return rest.substr(1, rest.size() - 2);
  }

  std::vector<Value> list(std::string_view text, int levels) const {
    if (levels == 0) fail(text, "lists are nested too deeply");
    const auto summands = cut(text, "+");
    if (summands.size() == 1) return single_list(text, levels);
    std::vector<Value> values;
    for (std::string_view part : summands) {
      for (Value& value : single_list(part, levels)) values.push_back(std::move(value));
      if (values.size() > kMostValues) fail(text, "the list has too many values");
    }
    return values;
  }

  std::vector<Value> single_list(std::string_view text, int levels) const {
    text = stripped(text);
    if (const auto inside = call(text, "range")) return range(*inside);
    for (std::string_view name : {"list", "tuple", "sorted"}) {
      if (const auto inside = call(text, name)) return list(*inside, levels - 1);
    }
    const bool bracketed = text.size() >= 2 && ((text.front() == '[' && text.back() == ']') ||
                                                (text.front() == '(' && text.back() == ')'));
    if (!bracketed) fail(text, "expected a list such as [1, 2], range(8) or [2**i for i in ...]");
    const std::string_view inside = text.substr(1, text.size() - 2);
    const auto parts = cut(inside, "for");
    if (parts.size() > 2) fail(text, "only one 'for' is understood");
    if (parts.size() == 2) return comprehension(parts[0], parts[1], levels - 1);
    std::vector<Value> values;
    for (std::string_view item : cut(inside, ",")) {
      if (stripped(item).empty() && item.data() + item.size() == inside.data() + inside.size()) {
        break;  // a trailing comma, or nothing at all
      }
      values.push_back(evaluate(item, parse(item), {}));
    }
    return values;
  }

  std::vector<Value> range(std::string_view inside) const {
    std::vector<std::int64_t> bounds;
    for (std::string_view part : cut(inside, ",")) {
      const Value value = evaluate(part, parse(part), {});
      const auto* number = std::get_if<std::int64_t>(&value);
      if (number == nullptr) fail(part, "range() takes whole numbers");
      bounds.push_back(*number);
    }
    if (bounds.size() > 3) fail(inside, "range() takes one to three numbers");
    if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
    if (bounds.size() == 2) bounds.push_back(1);
    if (bounds[2] == 0) fail(inside, "range() with step 0 never ends");
    std::vector<Value> values;
    for (std::int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
      if (values.size() == kMostValues) fail(inside, "range() has too many values");
      values.emplace_back(i);
      if (__builtin_add_overflow(i, bounds[2], &i)) break;
    }
    return values;
  }

  std::vector<Value> comprehension(std::string_view item, std::string_view rest, int levels) const {
    const auto in = cut(rest, "in");
    if (in.size() < 2) fail(rest, "expected 'in' after 'for'");
    const std::string name(stripped(in[0]));
    // The condition may itself contain "in".
    const auto source_begin = static_cast<std::size_t>(in[1].data() - rest.data());
    const auto conditions = cut(rest.substr(source_begin), "if");
    const std::vector<Value> source = list(conditions[0], levels);
    std::vector<Expression> tests;
    for (std::size_t i = 1; i < conditions.size(); ++i) tests.push_back(parse(conditions[i]));
    const Expression made = parse(item);
    std::vector<Value> values;
    for (const Value& value : source) {
      const Bindings names{{name, value}};
      bool keep = true;
      for (std::size_t i = 0; keep && i < tests.size(); ++i) {
        keep = truth(evaluate(conditions[i + 1], tests[i], names));
      }
      if (keep) values.push_back(evaluate(item, made, names));
    }
    return values;
  }

  const std::string& whole_;
  const Position& where_;
  mutable std::size_t work_ = 0;  // characters of expressions that were evaluated, about
};

}  // namespace

std::vector<Value> parse_value_list(const std::string& text, const Position& where) {
  return ListParser(text, where).run();
}

}  // namespace tuner
