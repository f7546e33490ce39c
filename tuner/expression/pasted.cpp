// Takes what a restriction that was written in Python has and a study has not.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/expression/parser.h"

namespace tuner::detail {
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
      if (is_symbol(":")) return fail("':' means nothing here", token.offset);
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
      return fail(fmt::format("'{}[' looks into something that is not known here", token.text),
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
      return fail("math.pow gives a float of whole numbers, too", token.offset,
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
      return fail(fmt::format("'{} None' asks for what no parameter is", word), offset);
    }
    const bool sign = is_symbol("-", ahead) && is_literal(ahead + 1);
    if (!sign && !is_literal(ahead) && out_.back().kind != Token::Kind::kLiteral) {
      return fail(fmt::format("'{}' asks for the same object, not for the same value", word),
                  offset, fmt::format("write '{}'", operation));
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
