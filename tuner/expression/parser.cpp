// Parses tokens into a syntax tree, with Python's precedences.

#include "tuner/expression/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "tuner/base/error.h"

namespace tuner::detail {
namespace {

struct Function {
  std::string_view name;
  Op op;
  std::size_t least;
  std::size_t most;
};
constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
constexpr std::array<Function, 16> kFunctions = {{{"min", Op::kMin, 1, kAny},
                                                  {"max", Op::kMax, 1, kAny},
                                                  {"abs", Op::kAbs, 1, 1},
                                                  {"ceil_div", Op::kCeilDiv, 2, 2},
                                                  {"ceil", Op::kCeil, 1, 1},
                                                  {"floor", Op::kFloor, 1, 1},
                                                  {"log2", Op::kLog2, 1, 1},
                                                  {"log", Op::kLog, 1, 2},
                                                  {"exp", Op::kExp, 1, 1},
                                                  {"sqrt", Op::kSqrt, 1, 1},
                                                  {"any", Op::kOr, 0, kAny},
                                                  {"all", Op::kAnd, 0, kAny},
                                                  {"int", Op::kInt, 1, 1},
                                                  {"float", Op::kFloat, 1, 1},
                                                  {"round", Op::kRound, 1, 1},
                                                  {"pow", Op::kPower, 2, 2}}};

struct Operator {
  std::string_view symbol;
  Op op;
  int level = 0;  // of an operator between two operands: those of a higher level bind tighter
};
constexpr int kLevels = 6;
constexpr std::array<Operator, 11> kInfix = {{{"|", Op::kBitOr, 0},
                                              {"^", Op::kBitXor, 1},
                                              {"&", Op::kBitAnd, 2},
                                              {"<<", Op::kShiftLeft, 3},
                                              {">>", Op::kShiftRight, 3},
                                              {"+", Op::kAdd, 4},
                                              {"-", Op::kSubtract, 4},
                                              {"*", Op::kMultiply, 5},
                                              {"/", Op::kDivide, 5},
                                              {"//", Op::kFloorDivide, 5},
                                              {"%", Op::kModulo, 5}}};
constexpr Operator kPower{"**", Op::kPower};
constexpr std::array<Operator, 3> kSigns = {
    {{"-", Op::kNegate}, {"+", Op::kPlus}, {"~", Op::kInvert}}};
constexpr std::array<std::pair<std::string_view, Comparison>, 6> kComparisons = {
    {{"==", Comparison::kEq},
     {"!=", Comparison::kNe},
     {"<=", Comparison::kLe},
     {"<", Comparison::kLt},
     {">=", Comparison::kGe},
     {">", Comparison::kGt}}};

// Recursive descent, one function for each level of precedence, loosest first. After an error every
// function returns null at once.
class Parser {
 public:
  Parser(std::vector<Token> tokens, int max_depth)
      : tokens_(std::move(tokens)), max_depth_(max_depth), build_(max_depth) {}

  Expected<ParsedExpression, SyntaxError> run() {
    Node root = ternary();
    if (!failed() && root->op == Op::kList) build_.misplaced(*root);
    if (!failed() && peek().kind != Token::Kind::kEnd) unexpected("an operator");
    if (failed()) return Unexpected{*build_.error()};
    out_.root = std::move(root);
    return std::move(out_);
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is(std::string_view symbol, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::kSymbol && peek(ahead).text == symbol;
  }
  bool take(std::string_view symbol) {
    if (failed() || !is(symbol)) return false;
    ++at_;
    return true;
  }

  Node fail(std::string message, std::size_t offset, std::string suggestion = {}) {
    return build_.fail(std::move(message), offset, std::move(suggestion));
  }
  bool failed() const { return build_.error().has_value(); }
  Node too_deep(std::size_t offset) { return build_.too_deep(offset); }
  template <typename... Children>
  Node make(Op op, std::size_t offset, Children... children) {
    return build_.make(op, offset, std::move(children)...);
  }
  Node make_of(Op op, std::size_t offset, std::vector<Node> children) {
    return build_.make_of(op, offset, std::move(children));
  }
  Node unexpected(const std::string& wanted) {
    const Token& token = peek();
    const bool end = token.kind == Token::Kind::kEnd;
    return fail(end ? fmt::format("expected {} at the end", wanted)
                    : fmt::format("expected {}, not '{}'", wanted, token.text),
                token.offset);
  }
  bool expect(std::string_view symbol) {
    if (take(symbol)) return true;
    unexpected(fmt::format("'{}'", symbol));
    return false;
  }

  Node ternary() {
    if (++level_ > max_depth_) return too_deep(peek().offset);
    Node value = any_of();
    const std::size_t offset = peek().offset;
    if (take("if")) {
      Node condition = any_of();
      if (failed() || !expect("else")) return nullptr;
      Node otherwise = ternary();
      value =
          make(Op::kIfElse, offset, std::move(condition), std::move(value), std::move(otherwise));
    }
    --level_;
    return failed() ? nullptr : std::move(value);
  }

  template <typename Next>
  Node chain(Op op, std::string_view word, Next next) {
    Node first = next();
    if (failed() || !is(word)) return first;
    const std::size_t offset = peek().offset;
    std::vector<Node> all;
    all.push_back(std::move(first));
    while (take(word)) all.push_back(next());
    return make_of(op, offset, std::move(all));
  }
  Node any_of() {
    return chain(Op::kOr, "or", [this] { return all_of(); });
  }
  Node all_of() {
    return chain(Op::kAnd, "and", [this] { return negation(); });
  }

  Node negation() {
    const std::size_t offset = peek().offset;
    if (!take("not")) return comparison();
    if (++level_ > max_depth_) return too_deep(offset);
    Node operand = negation();
    --level_;
    return make(Op::kNot, offset, std::move(operand));
  }

  std::optional<Comparison> take_comparison() {
    if (take("in")) return Comparison::kIn;
    if (!failed() && is("not") && is("in", 1)) {
      at_ += 2;
      return Comparison::kNotIn;
    }
    for (const auto& [symbol, how] : kComparisons) {
      if (take(symbol)) return how;
    }
    return std::nullopt;
  }

  Node comparison() {
    Node first = infix();
    const std::size_t offset = peek().offset;
    std::vector<Node> operands;
    std::vector<Comparison> how;
    while (const auto next = take_comparison()) {
      if (operands.empty()) operands.push_back(std::move(first));
      how.push_back(*next);
      const bool membership = *next == Comparison::kIn || *next == Comparison::kNotIn;
      operands.push_back(membership ? list() : infix());
      if (membership || failed()) break;
    }
    if (failed() || operands.empty()) return failed() ? nullptr : std::move(first);
    return build_.comparison(offset, std::move(operands), std::move(how));
  }

  // Operators of a level, from the left to the right.
  Node infix(int level = 0) {
    if (level == kLevels) return sign();
    Node left = infix(level + 1);
    while (!failed()) {
      const std::size_t offset = peek().offset;
      const auto* found = std::ranges::find_if(
          kInfix, [&](const Operator& one) { return one.level == level && take(one.symbol); });
      if (found == kInfix.end()) break;
      Node right = infix(level + 1);
      left = make(found->op, offset, std::move(left), std::move(right));
    }
    return failed() ? nullptr : std::move(left);
  }

  Node sign() {
    const std::size_t offset = peek().offset;
    const auto* found = std::ranges::find_if(
        kSigns, [this](const Operator& prefix) { return take(prefix.symbol); });
    if (found == kSigns.end()) return power();
    if (++level_ > max_depth_) return too_deep(offset);
    Node operand = sign();
    --level_;
    return make(found->op, offset, std::move(operand));
  }

  // Binds tighter than a sign on its left, looser than one on its right, as in Python.
  Node power() {
    Node base = atom();
    const std::size_t offset = peek().offset;
    if (!take(kPower.symbol)) return base;
    if (++level_ > max_depth_) return too_deep(offset);
    Node exponent = sign();
    --level_;
    return make(kPower.op, offset, std::move(base), std::move(exponent));
  }

  Node atom() {
    if (failed()) return nullptr;
    const Token token = peek();
    if (token.kind == Token::Kind::kLiteral) {
      ++at_;
      Node node = make(Op::kConstant, token.offset);
      if (node) node->value = token.value;
      return node;
    }
    if (token.kind == Token::Kind::kName) {
      ++at_;
      return is("(") ? call(token) : name(token);
    }
    if (take("(")) {
      Node inside = ternary();
      if (!failed() && is(",")) return tuple(token.offset, std::move(inside));
      if (failed() || !expect(")")) return nullptr;
      return inside;
    }
    if (is("[")) return list();
    return unexpected("a value");
  }

  Node name(const Token& token) {
    auto& names = out_.names;
    const auto found = std::find(names.begin(), names.end(), token.text);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      names.push_back(token.text);
      out_.name_offsets.push_back(token.offset);
    }
    Node node = make(Op::kName, token.offset);
    if (node) node->name = index;
    return node;
  }

  // Comma-separated values up to `close`; a trailing comma is allowed.
  std::vector<Node> items(std::string_view close) {
    std::vector<Node> all;
    while (!failed() && !is(close)) {
      all.push_back(ternary());
      if (!take(",")) break;
    }
    if (!failed()) expect(close);
    return all;
  }

  Node list() {
    const std::size_t offset = peek().offset;
    for (const auto& [open, close] : {std::pair("[", "]"), {"(", ")"}, {"{", "}"}}) {
      if (take(open)) return make_of(Op::kList, offset, items(close));
    }
    return unexpected("a list such as [1, 2]");
  }

  Node tuple(std::size_t offset, Node first) {
    std::vector<Node> all;
    all.push_back(std::move(first));
    take(",");
    for (Node& item : items(")")) all.push_back(std::move(item));
    return make_of(Op::kList, offset, std::move(all));
  }

  Node call(const Token& token) {
    const auto* function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                        [&](const Function& f) { return f.name == token.text; });
    if (function == kFunctions.end()) return unknown_function(token);
    take("(");
    std::vector<Node> arguments = items(")");
    const bool logic = function->op == Op::kOr || function->op == Op::kAnd;
    const bool list = !failed() && arguments.size() == 1 && arguments[0]->op == Op::kList;
    if (logic && !list && !failed()) {
      return fail(fmt::format("{0}() takes a list, as in {0}([A > 1, B > 1])", token.text),
                  token.offset);
    }
    // min([a, b]) means min(a, b).
    if (list && (logic || function->most == kAny)) {
      arguments = std::vector<Node>(std::move(arguments[0]->children));
    }
    if (failed()) return nullptr;
    if (arguments.size() < function->least || arguments.size() > function->most) {
      return fail(
          fmt::format("{}() takes {}{} value(s), not {}", token.text,
                      function->most == kAny ? "at least " : "", function->least, arguments.size()),
          token.offset);
    }
    if (logic) return build_.truth_of_all(function->op, token.offset, std::move(arguments));
    if (function->op == Op::kLog && arguments.size() == 2) {
      return make(Op::kDivide, token.offset, make(Op::kLog, token.offset, std::move(arguments[0])),
                  make(Op::kLog, token.offset, std::move(arguments[1])));
    }
    return make_of(function->op, token.offset, std::move(arguments));
  }

  Node unknown_function(const Token& token) {
    std::vector<std::string> known;
    std::string all;
    for (const Function& function : kFunctions) {
      known.emplace_back(function.name);
      all += (all.empty() ? "" : ", ") + known.back();
    }
    return fail(fmt::format("there is no function '{}', only {}", token.text, all), token.offset,
                did_you_mean(token.text, known));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int max_depth_;
  int level_ = 0;
  TreeBuilder build_;
  ParsedExpression out_;
};

}  // namespace

std::string_view symbol_of(Op op) {
  if (op == kPower.op) return kPower.symbol;
  const auto is_it = [op](const auto& one) { return one.op == op; };
  const auto* infix = std::ranges::find_if(kInfix, is_it);
  if (infix != kInfix.end()) return infix->symbol;
  const auto* sign = std::ranges::find_if(kSigns, is_it);
  if (sign != kSigns.end()) return sign->symbol;
  const auto* function = std::ranges::find_if(kFunctions, is_it);
  return function == kFunctions.end() ? "operator" : function->name;
}

Expected<ParsedExpression, SyntaxError> parse_expression(std::string_view text, int max_depth) {
  auto tokens = tokenize(text);
  if (tokens) tokens = without_python(std::move(*tokens));
  if (!tokens) return Unexpected{std::move(tokens.error())};
  return Parser(std::move(*tokens), max_depth).run();
}

}  // namespace tuner::detail
