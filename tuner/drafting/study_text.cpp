// Rewrites C expressions: casts go, "/" of integers becomes "//".

#include "tuner/drafting/study_text.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "tuner/drafting/found_source.h"
#include "tuner/expression/expression.h"

namespace tuner {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

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
  const auto found = kAll.find(name);
  return found == kAll.end() ? std::nullopt : std::optional(found->second);
}

class Rewriter {
 public:
  Rewriter(Tokens tokens, const Meaning& meaning) : tokens_(tokens), meaning_(meaning) {
    real_ = std::ranges::any_of(tokens, [](const Token& token) {
      return token.is("float") || token.is("double") || token.is("ceil") || token.is("ceilf") ||
             (token.kind == Token::Kind::kNumber && token.text.find('.') != token.text.npos);
    });
  }

  std::optional<std::string> all() {
    while (at_ < tokens_.size()) {
      if (!step()) return std::nullopt;
    }
    if (out_.empty()) return std::nullopt;
    return out_;
  }

 private:
  bool step() {
    const Token& token = tokens_[at_];
    if (token.kind == Token::Kind::kNumber) return number(token);
    if (token.is_word()) return word(token);
    if (token.is("(") && is_cast(at_)) {
      at_ = behind_closing(tokens_, at_);
      return true;
    }
    if (token.is("<") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("<")) {
      at_ += 2;
      put("* 2 **");
      return true;
    }
    static constexpr std::string_view kSigns = "+-*%(),";
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
      return true;
    }
    const auto known = meaning_(std::string(token.text));
    if (!known) return false;
    const bool is_whole = tokens_.size() == 1 || std::ranges::all_of(*known, [](unsigned char c) {
                            return std::isalnum(c) != 0 || c == '_' || c == '.';
                          });
    put(is_whole ? *known : "(" + *known + ")");
    ++at_;
    return true;
  }

  bool size_of() {
    const std::size_t behind = behind_closing(tokens_, at_ + 1);
    if (at_ + 3 > tokens_.size() || !tokens_[at_ + 1].is("(")) return false;
    const std::string name = joined(tokens_.subspan(at_ + 2, behind - at_ - 3));
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
    return element_type(joined(tokens_.subspan(open + 1, behind - open - 2))).has_value();
  }

  void put(const std::string& text) {
    const bool tight =
        out_.empty() || out_.back() == '(' || text == ")" || text == "," ||
        (text == "(" && (std::isalnum(static_cast<unsigned char>(out_.back())) != 0));
    out_ += (tight ? "" : " ") + text;
  }

  Tokens tokens_;
  const Meaning& meaning_;
  std::size_t at_ = 0;
  bool real_ = false;
  std::string out_;
};

bool is_in_parentheses(const std::string& text) {
  if (text.size() < 3 || text.front() != '(') return false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

}  // namespace

std::optional<std::string> study_expression(Tokens expression, const Meaning& meaning) {
  while (expression.size() > 2 && expression[0].is("(") &&
         behind_closing(expression, 0) == expression.size()) {
    expression = expression.subspan(1, expression.size() - 2);
  }
  auto text = Rewriter(expression, meaning).all();
  if (!text) return text;
  while (is_in_parentheses(*text)) text = text->substr(1, text->size() - 2);
  static const std::regex kRoundedUp(
      R"(^\(([\w.]+) \+ ([\w.]+|\([^()]+\)) - 1\) // ([\w.]+|\([^()]+\))$)");
  std::smatch parts;
  if (std::regex_match(*text, parts, kRoundedUp) && parts[2] == parts[3]) {
    std::string divisor = parts[2].str();
    if (is_in_parentheses(divisor)) divisor = divisor.substr(1, divisor.size() - 2);
    text = "ceil_div(" + parts[1].str() + ", " + divisor + ")";
  }
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
  return std::nullopt;
}

}  // namespace tuner
