// Splits the text of an expression into tokens, and takes what only Python has out of them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "tuner/expression/parser.h"

namespace tuner::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes of non-ASCII letters are letters.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::string_view, 6> kKeywords = {"and", "or", "not", "if", "else", "in"};
constexpr std::array<std::string_view, 27> kSymbols = {
    "**", "//", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/",
    "%",  "&",  "|",  "^",  "~",  "(",  ")",  "[",  "]", ",", "{", "}", ":"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Expected<std::vector<Token>, SyntaxError> run() {
    while (!error_) {
      while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != kNone) ++at_;
      if (at_ == text_.size()) break;
      next();
    }
    if (error_) return Unexpected{*std::move(error_)};
    tokens_.push_back({Token::Kind::kEnd, "", {}, text_.size()});
    return std::move(tokens_);
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void fail(std::string message, std::size_t offset, std::string suggestion = {}) {
    error_ = SyntaxError{std::move(message), offset, std::move(suggestion)};
  }

  void next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_letter(c)) return name();
    if (c == '\'' || c == '"') return string(c);
    if (c == '&' && peek(1) == '&') return fail("'&&' is not an operator here", at_, "write 'and'");
    if (c == '|' && peek(1) == '|') return fail("'||' is not an operator here", at_, "write 'or'");
    for (std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) == symbol) {
        tokens_.push_back({Token::Kind::kSymbol, std::string(symbol), {}, at_});
        at_ += symbol.size();
        return;
      }
    }
    unknown(c);
  }

  void unknown(char c) {
    if (c == '!') return fail("'!' is not an operator here", at_, "write 'not'");
    if (c == '=') {
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      return fail("'=' does not compare", at_,
                  next == '<'   ? "write '<='"
                  : next == '>' ? "write '>='"
                                : "write '=='");
    }
    if (c == '?') return fail("'?' is not an operator here", at_, "write 'x if condition else y'");
    if (c == '\0') return fail("a NUL character is not allowed here", at_);
    fail(fmt::format("unexpected character '{}'", c), at_);
  }

  void number() {
    const std::size_t start = at_;
    int base = 10;
    constexpr std::string_view kMarks = "xXbBoO";
    if (const auto mark = peek() == '0' ? kMarks.find(peek(1)) : kNone; mark != kNone) {
      base = mark < 2 ? 16 : mark < 4 ? 2 : 8;
      at_ += 2;
    }
    std::string digits;
    bool is_float = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = peek();
      const bool exponent = base == 10 && (c == 'e' || c == 'E');
      const bool sign = (c == '+' || c == '-') && is_float && !digits.empty() &&
                        (digits.back() == 'e' || digits.back() == 'E');
      if (c == '_' && is_digit(peek(1))) continue;
      if (!(is_digit(c) || is_letter(c) || c == '.' || sign) || (base != 10 && c == '.')) break;
      is_float = is_float || c == '.' || exponent;
      digits += c;
    }
    const std::string_view shown = text_.substr(start, at_ - start);
    Value value;
    std::from_chars_result result{};
    const char* end = digits.data() + digits.size();
    if (is_float) {
      double parsed = 0;
      result = std::from_chars(digits.data(), end, parsed);
      value = parsed;
    } else {
      std::int64_t parsed = 0;
      result = std::from_chars(digits.data(), end, parsed, base);
      value = parsed;
    }
    if (result.ec == std::errc::result_out_of_range) {
      return fail(fmt::format("the number {} does not fit in 64 bits", shown), start);
    }
    if (result.ec != std::errc() || result.ptr != end) {
      return fail(fmt::format("'{}' is not a number", shown), start);
    }
    // A leading zero means octal in other languages. Python refuses it, so that nobody is misled.
    if (!is_float && base == 10 && digits.front() == '0' && value != Value(std::int64_t{0})) {
      return fail(fmt::format("the number {} begins with a zero", shown), start,
                  "write " + to_text(value));
    }
    tokens_.push_back({Token::Kind::kLiteral, std::string(shown), value, start});
  }

  void name() {
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek()) || (peek() == '.' && is_letter(peek(1)))) ++at_;
    std::string word(text_.substr(start, at_ - start));
    if (word == "True" || word == "true" || word == "False" || word == "false") {
      const bool value = word[0] == 'T' || word[0] == 't';
      tokens_.push_back({Token::Kind::kLiteral, std::move(word), value, start});
      return;
    }
    const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
    tokens_.push_back(
        {keyword ? Token::Kind::kSymbol : Token::Kind::kName, std::move(word), {}, start});
  }

  void string(char quote) {
    const std::size_t start = at_++;
    std::string content;
    while (at_ < text_.size() && peek() != quote) {
      if (peek() == '\0') return fail("a NUL character cannot be part of a text", at_);
      if (peek() == '\\' && (peek(1) == quote || peek(1) == '\\')) ++at_;
      content += text_[at_++];
    }
    if (at_ == text_.size()) return fail("the text has no closing quote", start);
    ++at_;
    tokens_.push_back({Token::Kind::kLiteral, content, Value(content), start});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
  std::optional<SyntaxError> error_;
};

}  // namespace

Expected<std::vector<Token>, SyntaxError> tokenize(std::string_view text) {
  return Lexer(text).run();
}

// ---- what was pasted from Python ----------------------------------------------------------------

namespace {

class PastedTokens {
 public:
  explicit PastedTokens(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Expected<std::vector<Token>, SyntaxError> run() {
    if (is_name("lambda") && (kind(1) == Token::Kind::kName || is_symbol(":", 1))) head();
    while (at_ < tokens_.size() && !error_) next();
    if (error_) return Unexpected{*std::move(error_)};
    return std::move(out_);
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token::Kind kind(std::size_t ahead = 0) const { return peek(ahead).kind; }
  bool is_name(std::string_view text, std::size_t ahead = 0) const {
    return kind(ahead) == Token::Kind::kName && peek(ahead).text == text;
  }
  bool is_symbol(std::string_view text, std::size_t ahead = 0) const {
    return kind(ahead) == Token::Kind::kSymbol && peek(ahead).text == text;
  }
  bool is_literal(std::size_t ahead = 0) const { return kind(ahead) == Token::Kind::kLiteral; }
  void fail(std::string message, std::size_t offset, std::string suggestion = {}) {
    if (!error_) error_ = SyntaxError{std::move(message), offset, std::move(suggestion)};
  }
  void put(Token::Kind kind, std::string text, std::size_t offset) {
    out_.push_back({kind, std::move(text), {}, offset});
  }

  // lambda p, q:
  void head() {
    const std::size_t begin = peek().offset;
    for (++at_; kind() == Token::Kind::kName; ++at_) {
      owners_.push_back(peek().text);
      if (!is_symbol(",", 1)) continue;
      ++at_;
    }
    if (!is_symbol(":")) {
      return fail("after 'lambda' come names and ':'", peek().offset,
                  "the expression alone does, as in X * Y <= 1024");
    }
    if (owners_.empty()) {
      return fail("this lambda takes no configuration", begin, "the expression alone does");
    }
    ++at_;
  }

  // The parameter of the lambda that `name` is, or whose attribute it is; else empty.
  std::string owner_of(const std::string& name) const {
    const std::string first = name.substr(0, name.find('.'));
    return std::ranges::find(owners_, first) == owners_.end() ? std::string() : first;
  }

  void next() {
    const Token& token = peek();
    if (token.kind != Token::Kind::kName) {
      if (is_symbol(":")) return fail("':' is not expected here", token.offset);
      out_.push_back(token);
      ++at_;
      return;
    }
    if (token.text == "lambda" && kind(1) == Token::Kind::kName) {
      return fail("'lambda' may only begin an expression", token.offset);
    }
    if (token.text == "is" && after_operand()) return identity();
    if (token.text.starts_with("math.") && is_symbol("(", 1)) return mathematics();
    if (const std::string owner = owner_of(token.text); !owner.empty()) return member(owner);
    if (is_symbol("[", 1)) {
      return fail(fmt::format("'{}[' is not known here, and has no elements", token.text),
                  token.offset, "a parameter's name alone is its value");
    }
    out_.push_back(token);
    ++at_;
  }

  // p["X"], p['X'], p.X and p.get("X") are X. Alone, p is a name like any other.
  void member(const std::string& owner) {
    const Token token = peek();
    const bool get = token.text == owner + ".get" && is_symbol("(", 1);
    if (get || (token.text == owner && is_symbol("[", 1))) {
      const Token& key = peek(2);
      const bool text = is_literal(2) && std::holds_alternative<std::string>(key.value);
      if (!text || !is_symbol(get ? ")" : "]", 3)) {
        return fail(fmt::format("'{}' takes the name of a parameter in quotes", owner), key.offset,
                    fmt::format("{}[\"X\"]", owner));
      }
      put(Token::Kind::kName, std::get<std::string>(key.value), key.offset + 1);
      at_ += 4;
      return;
    }
    const std::size_t dot = token.text == owner ? 0 : owner.size() + 1;
    put(Token::Kind::kName, token.text.substr(dot), token.offset + dot);
    ++at_;
  }

  // math.pow is always a float, ** of whole numbers is not.
  void mathematics() {
    const Token token = peek();
    const std::string name = token.text.substr(token.text.find('.') + 1);
    if (name == "pow") {
      return fail("math.pow returns a float even for whole numbers", token.offset,
                  "write a ** b, or float(a) ** b");
    }
    constexpr std::string_view kSame[] = {"sqrt", "exp", "log", "log2", "ceil", "floor"};
    if (std::ranges::find(kSame, name) == std::end(kSame)) {
      return fail(fmt::format("there is no 'math.{}' here", name), token.offset,
                  "only math.sqrt, exp, log, log2, ceil and floor");
    }
    put(Token::Kind::kName, name, token.offset);
    ++at_;
  }

  bool after_operand() const {
    if (out_.empty()) return false;
    const Token& last = out_.back();
    if (last.kind != Token::Kind::kSymbol) return true;
    return last.text == ")" || last.text == "]";
  }

  // With a number, a text or a boolean it is ==. Whether two names are one object nobody can tell.
  void identity() {
    const std::size_t offset = peek().offset;
    const bool negated = is_symbol("not", 1);
    const std::string operation = negated ? "!=" : "==";
    const std::string word = negated ? "is not" : "is";
    const std::size_t ahead = negated ? 2 : 1;
    if (is_name("None", ahead)) {
      return fail(fmt::format("'{} None': no parameter is None", word), offset);
    }
    const bool sign = is_symbol("-", ahead) && is_literal(ahead + 1);
    if (!sign && !is_literal(ahead) && out_.back().kind != Token::Kind::kLiteral) {
      return fail(fmt::format("'{}' compares objects, not values", word), offset,
                  fmt::format("write '{}'", operation));
    }
    put(Token::Kind::kSymbol, operation, offset);
    at_ += ahead;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<std::string> owners_;
  std::vector<Token> out_;
  std::optional<SyntaxError> error_;
};

}  // namespace

Expected<std::vector<Token>, SyntaxError> without_python(std::vector<Token> tokens) {
  return PastedTokens(std::move(tokens)).run();
}

}  // namespace tuner::detail
