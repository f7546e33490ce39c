// Rewrites C expressions: casts go, "/" of integers becomes "//".

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/drafting/found_source.h"
#include "tuner/expression/expression.h"

namespace tuner {
namespace {

// div_up(a, b), DIVUP, cdiv, iDivUp, ceil_div, ...
bool rounds_up(std::string_view name) {
  const std::string word = lower(name);
  const bool divides = word.find("div") != std::string::npos;
  return divides && (word.find("up") != std::string::npos ||
                     word.find("ceil") != std::string::npos || word == "cdiv");
}

std::optional<std::string> function_named(std::string_view name) {
  if (rounds_up(name)) return "ceil_div";
  static const std::map<std::string, std::string, std::less<>> kAll{
      {"min", "min"},   {"max", "max"},  {"ceil", "ceil"},   {"ceilf", "ceil"},
      {"fmin", "min"},  {"fmax", "max"}, {"floor", "floor"}, {"abs", "abs"},
      {"log2", "log2"}, {"pow", "pow"},  {"round", "round"}};
  const auto found = kAll.find(name == "MIN" || name == "MAX" ? lower(name) : name);
  return found == kAll.end() ? std::nullopt : std::optional(found->second);
}

bool is_in_parentheses(const std::string& text) {
  if (text.size() < 3 || text.front() != '(') return false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

class Rewriter {
 public:
  Rewriter(Tokens tokens, const Meaning& meaning, bool real = false)
      : tokens_(tokens), meaning_(meaning) {
    real_ = real || has_real_numbers();
  }

  std::optional<std::string> all() {
    if (const std::size_t question = outermost("?", 0); question < tokens_.size()) {
      return choice(question);
    }
    while (at_ < tokens_.size()) {
      if (!step()) return std::nullopt;
    }
    if (out_.empty()) return std::nullopt;
    return out_;
  }

 private:
  // Whether it is no arithmetic of whole numbers: "sizeof(float)" is one.
  bool has_real_numbers() const {
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      const bool is_number = token.kind == Token::Kind::kNumber;
      if (is_one_of("float double ceil ceilf", token.text)) return true;
      if (is_number && token.text.find('.') != token.text.npos) return true;
      if (token.is("sizeof") && at + 1 < tokens_.size()) at = behind_closing(tokens_, at + 1) - 1;
    }
    return false;
  }

  bool step() {
    const Token& token = tokens_[at_];
    if (token.kind == Token::Kind::kNumber) return number(token);
    if (token.is_word()) return word(token);
    if (token.is("(") && is_cast(at_)) {
      at_ = behind_closing(tokens_, at_);
      return true;
    }
    if (token.is("(")) return group(false);
    if (compares()) return true;
    if ((token.is("<") || token.is(">")) && at_ + 1 < tokens_.size() &&
        tokens_[at_ + 1].is(token.text)) {
      at_ += 2;
      put(token.is("<") ? "<<" : ">>");
      return true;
    }
    if (token.is("!")) {
      put("not");
      ++at_;
      return true;
    }
    if (token.is("&")) return masks();
    static constexpr std::string_view kSigns = "+-*%,";
    if (token.text.size() != 1) return false;
    if (token.is("/")) {
      put(real_ ? "/" : "//");
    } else if (kSigns.find(token.text) != kSigns.npos) {
      put(std::string(token.text));
    } else {
      return false;
    }
    ++at_;
    return true;
  }

  // "n & 511" is n % 512, and "(n + 511) & ~511" is (n + 511) // 512 * 512.
  bool masks() {
    const bool inverts = at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("~");
    const std::size_t last = at_ + (inverts ? 2 : 1);
    const auto mask = last + 1 == tokens_.size() ? whole_number(tokens_[last].text) : std::nullopt;
    const bool is_low = mask && *mask > 0 && (*mask & (*mask + 1)) == 0;
    if (!is_low || out_.empty() || outermost(",", 0) < tokens_.size()) return false;
    const std::string unit = std::to_string(*mask + 1);
    if (!is_in_parentheses(out_)) out_ = "(" + out_ + ")";
    out_ += (inverts ? " // " + unit + " * " : " % ") + unit;
    at_ = tokens_.size();
    return true;
  }

  // Index of a sign that stands in no parentheses; the end where there is none.
  std::size_t outermost(std::string_view sign, std::size_t from) const {
    while (from < tokens_.size() && !tokens_[from].is(sign)) {
      from = tokens_[from].is("(") ? behind_closing(tokens_, from) : from + 1;
    }
    return std::min(from, tokens_.size());
  }

  // "a ? b : c" is "b if a else c".
  std::optional<std::string> choice(std::size_t question) const {
    const std::size_t colon = outermost(":", question);
    if (colon >= tokens_.size() || outermost(",", 0) < tokens_.size()) return std::nullopt;
    const auto part = [&](std::size_t from, std::size_t to) {
      return Rewriter(tokens_.subspan(from, to - from), meaning_, real_).all();
    };
    const auto condition = part(0, question);
    const auto chosen = part(question + 1, colon), other = part(colon + 1, tokens_.size());
    if (!condition || !chosen || !other) return std::nullopt;
    return *chosen + " if " + *condition + " else " + *other;
  }

  bool group(bool is_call) {
    const std::size_t behind = behind_closing(tokens_, at_);
    const auto inner = Rewriter(inside(tokens_, at_), meaning_, real_).all();
    if (!inner) return false;
    const bool is_alone = std::ranges::all_of(*inner, is_word_part);
    put(is_alone && !is_call ? *inner : "(" + *inner + ")");
    at_ = behind;
    return true;
  }

  // Signs of comparisons, which the tokens have one by one.
  bool compares() {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSigns{
        {{"==", "=="},
         {"!=", "!="},
         {"<=", "<="},
         {">=", ">="},
         {"&&", "and"},
         {"||", "or"},
         {"<", "<"},
         {">", ">"}}};
    for (const auto& [c, ours] : kSigns) {
      const bool is_next = at_ + c.size() <= tokens_.size() && tokens_[at_].is(c.substr(0, 1)) &&
                           (c.size() == 1 || tokens_[at_ + 1].is(c.substr(1)));
      if (!is_next) continue;
      const bool shifts = c.size() == 1 && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is(c);
      if (shifts) return false;
      put(std::string(ours));
      at_ += c.size();
      return true;
    }
    return false;
  }

  bool number(const Token& token) {
    std::string text(token.text);
    if (const auto whole = whole_number(text)) text = std::to_string(*whole);
    if (text.back() == 'f' || text.back() == 'F') text.pop_back();
    if (text.back() == '.') text += '0';
    put(text);
    ++at_;
    return true;
  }

  bool word(const Token& token) {
    if (token.is("sizeof")) return size_of();
    if (token.is("static_cast") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("<")) {
      while (at_ < tokens_.size() && !tokens_[at_].is(">")) ++at_;
      ++at_;
      return at_ < tokens_.size();
    }
    if (token.is("std") && at_ + 2 < tokens_.size() && tokens_[at_ + 1].is("::")) {
      at_ += 2;
      return true;
    }
    if (at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("(")) {
      if (element_type(std::string(token.text))) {  // int(x)
        ++at_;
        return true;
      }
      const auto function = function_named(token.text);
      if (!function) return false;
      put(*function);
      ++at_;
      return group(true);
    }
    const bool is_truth = token.is("true") || token.is("false");
    const auto known = is_truth ? std::optional<std::string>(token.is("true") ? "1" : "0")
                                : meaning_(std::string(token.text));
    if (!known) return false;
    const bool is_whole = tokens_.size() == 1 || std::ranges::all_of(*known, [](unsigned char c) {
                            return std::isalnum(c) != 0 || c == '_' || c == '.';
                          });
    put(is_whole ? *known : "(" + *known + ")");
    ++at_;
    return true;
  }

  bool size_of() {
    if (at_ + 3 > tokens_.size() || !tokens_[at_ + 1].is("(")) return false;
    const std::size_t behind = behind_closing(tokens_, at_ + 1);
    const std::string name = joined(inside(tokens_, at_ + 1));
    if (name.ends_with("*")) {
      put("8");
      at_ = behind;
      return true;
    }
    const auto type = element_type(name);
    const auto alias = type ? std::nullopt : meaning_("sizeof " + name);
    if (!type && !alias) return false;
    put(type ? std::to_string(bytes_of(*type)) : *alias);
    at_ = behind;
    return true;
  }

  static int bytes_of(const ElementType& type) {
    int bits = 0;
    for (const char c : type.name) {
      if (std::isdigit(static_cast<unsigned char>(c)) != 0) bits = bits * 10 + (c - '0');
    }
    return bits / 8 * type.lanes;
  }

  bool is_cast(std::size_t open) const {
    const std::size_t behind = behind_closing(tokens_, open);
    if (behind >= tokens_.size()) return false;
    const Token& next = tokens_[behind];
    if (!next.is_word() && next.kind != Token::Kind::kNumber && !next.is("(")) return false;
    return element_type(joined(inside(tokens_, open))).has_value();
  }

  void put(const std::string& text) {
    const bool tight =
        out_.empty() || out_.back() == '(' || text == ")" || text == "," ||
        (text.front() == '(' && std::isalnum(static_cast<unsigned char>(out_.back())) != 0 &&
         !is_one_of("and or not", out_.substr(out_.rfind(' ') + 1)));
    out_ += (tight ? "" : " ") + text;
  }

  Tokens tokens_;
  const Meaning& meaning_;
  std::size_t at_ = 0;
  bool real_ = false;
  std::string out_;
};

}  // namespace

std::string rounded_up(const std::string& text) {
  static const std::string kValue = R"(([\w.]+(?: \* [\w.]+)*))";
  static const std::string kDivisor = R"(([\w.]+|\([^()]+\)))";
  static const std::array<std::regex, 4> kPatterns{
      std::regex(R"(^\()" + kValue + R"( \+ )" + kDivisor + R"( - 1\) // \2$)"),
      std::regex(R"(^\()" + kValue + R"( \+ \()" + kDivisor + R"( - 1\)\) // \2$)"),
      std::regex(R"(^\()" + kValue + R"( - 1\) // )" + kDivisor + R"( \+ 1$)"),
      std::regex("^" + kValue + " // " + kDivisor +
                 R"( \+ \(1 if \1 % \2(?: != 0| > 0)? else 0\)$)")};
  std::smatch parts;
  for (const std::regex& pattern : kPatterns) {
    if (!std::regex_match(text, parts, pattern)) continue;
    std::string divisor = parts[2].str();
    if (is_in_parentheses(divisor)) divisor = divisor.substr(1, divisor.size() - 2);
    return "ceil_div(" + parts[1].str() + ", " + divisor + ")";
  }
  return text;
}

bool has_study_function(std::string_view name) { return function_named(name).has_value(); }

std::optional<std::string> study_expression(Tokens expression, const Meaning& meaning) {
  while (expression.size() > 2 && expression[0].is("(") &&
         behind_closing(expression, 0) == expression.size()) {
    expression = expression.subspan(1, expression.size() - 2);
  }
  auto text = Rewriter(expression, meaning).all();
  if (!text) return text;
  while (is_in_parentheses(*text)) text = text->substr(1, text->size() - 2);
  *text = rounded_up(*text);
  auto parsed = Expression::parse(*text, Position{});
  if (!parsed) return std::nullopt;
  return text;
}

std::optional<std::int64_t> constant_value(const std::string& expression) {
  const auto parsed = Expression::parse(expression, Position{});
  if (!parsed || !parsed->names().empty()) return std::nullopt;
  const auto value = parsed->evaluate({});
  if (!value) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(&*value)) return *whole;
  if (const auto* flag = std::get_if<bool>(&*value)) return *flag ? 1 : 0;
  return std::nullopt;
}

}  // namespace tuner
