// Writes names, literals and expressions of a study as C++.

#include "tuner/deploy/cpp_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "tuner/expression/expression_tree.h"

namespace tuner {
namespace {

using detail::Comparison;
using detail::ExpressionNode;
using detail::Op;

// With names of the preprocessor's that cannot be undefined.
constexpr std::string_view kKeywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t"
    " char32_t char8_t class co_await co_return co_yield compl concept const const_cast"
    " consteval constexpr constinit continue decltype default delete do double dynamic_cast"
    " else enum explicit export extern false float for friend goto if inline int long"
    " mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected"
    " public register reinterpret_cast requires return short signed sizeof static"
    " static_assert static_cast struct switch template this thread_local throw true try"
    " typedef typeid typename union unsigned using virtual void volatile wchar_t while xor"
    " xor_eq linux unix NULL EOF assert defined __FILE__ __LINE__ __DATE__ __TIME__"
    " __TIMESTAMP__ __COUNTER__ __INCLUDE_LEVEL__ __BASE_FILE__ __cplusplus __has_include ";

struct Spelling {
  Op op;
  const char* text;
};
constexpr std::array<Spelling, 4> kPrefixes{
    {{Op::kNegate, "-"}, {Op::kPlus, "+"}, {Op::kNot, "!"}, {Op::kInvert, "~"}}};
constexpr std::array<Spelling, 10> kInfixes{{{Op::kAdd, " + "},
                                             {Op::kSubtract, " - "},
                                             {Op::kMultiply, " * "},
                                             {Op::kDivide, " / "},
                                             {Op::kModulo, " % "},
                                             {Op::kAnd, " && "},
                                             {Op::kOr, " || "},
                                             {Op::kBitAnd, " & "},
                                             {Op::kBitOr, " | "},
                                             {Op::kBitXor, " ^ "}}};
constexpr std::array<Spelling, 16> kFunctions{{{Op::kFloorDivide, "floor_div"},
                                               {Op::kPower, "power"},
                                               {Op::kCeilDiv, "ceil_div"},
                                               {Op::kShiftLeft, "shift_left"},
                                               {Op::kShiftRight, "shift_right"},
                                               {Op::kAbs, "absolute"},
                                               {Op::kCeil, "ceiling"},
                                               {Op::kFloor, "floored"},
                                               {Op::kLog2, "log_2"},
                                               {Op::kLog, "natural_log"},
                                               {Op::kExp, "exponential"},
                                               {Op::kSqrt, "square_root"},
                                               {Op::kInt, "truncated"},
                                               {Op::kFloat, "as_real"},
                                               {Op::kRound, "rounded"},
                                               {Op::kIfElse, "pick"}}};

template <std::size_t N>
const char* spelling(const std::array<Spelling, N>& all, Op op) {
  const auto found = std::ranges::find(all, op, &Spelling::op);
  return found == all.end() ? nullptr : found->text;
}

class Printer {
 public:
  Printer(const Expression& expression, const CppNames& names)
      : expression_(expression), names_(names) {}

  std::string print(const ExpressionNode& node) const {
    switch (node.op) {
      case Op::kConstant:
        return "num(" + cpp_literal(node.value) + ")";
      case Op::kName:
        return names_.number(expression_.names()[node.name]);
      case Op::kMin:
        return nested("least", node);
      case Op::kMax:
        return nested("greatest", node);
      case Op::kCompare:
        return comparison(node);
      default:
        break;
    }
    if (const char* sign = spelling(kPrefixes, node.op)) {
      return "(" + std::string(sign) + print(*node.children[0]) + ")";
    }
    if (const char* sign = spelling(kInfixes, node.op)) return infix(node, sign);
    if (const char* function = spelling(kFunctions, node.op)) return call(function, node);
    return "num()";  // a list is only an operand of a comparison
  }

 private:
  std::string infix(const ExpressionNode& node, const char* symbol) const {
    std::string text = "(";
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      // Groups from the left: (a op b) op c.
      if (i > 1) text = "(" + text + ")";
      text += (i > 0 ? symbol : "") + print(*node.children[i]);
    }
    return text + ")";
  }

  std::string call(const char* function, const ExpressionNode& node) const {
    std::string text = std::string(function) + "(";
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      text += (i > 0 ? ", " : "") + print(*node.children[i]);
    }
    return text + ")";
  }

  std::string nested(const char* function, const ExpressionNode& node) const {
    std::string text = print(*node.children[0]);
    if (node.children.size() == 1) return text;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      text = std::string(function) + "(" + text + ", " + print(*node.children[i]) + ")";
    }
    return text;
  }

  // Prints the comparison of a parameter's value with a text; empty where it is none.
  std::string choice(const ExpressionNode& node) const {
    const bool equal = node.comparisons[0] == Comparison::kEq;
    if (node.comparisons.size() != 1 || (!equal && node.comparisons[0] != Comparison::kNe))
      return {};
    const ExpressionNode& name = *node.children[0];
    const ExpressionNode& value = *node.children[1];
    const auto* text = std::get_if<std::string>(&value.value);
    if (name.op != Op::kName || value.op != Op::kConstant || text == nullptr) return {};
    const std::string is = names_.is_text(expression_.names()[name.name], *text);
    return is.empty() ? is : (equal ? "num(" : "num(!") + is + ")";
  }

  std::string comparison(const ExpressionNode& node) const {
    static constexpr std::array<const char*, 8> kNames{"eq", "ne", "lt", "le",
                                                       "gt", "ge", "in", "not_in"};
    const auto list = [&](std::size_t i) {
      return node.comparisons[i] == Comparison::kIn || node.comparisons[i] == Comparison::kNotIn;
    };
    if (std::string known = choice(node); !known.empty()) return known;
    const std::string first = print(*node.children[0]);
    if (node.comparisons.size() == 1 && list(0)) return membership(first, node);
    if (node.comparisons.size() == 1 && !list(0)) {
      return std::string(kNames.at(static_cast<std::size_t>(node.comparisons[0]))) + "(" + first +
             ", " + print(*node.children[1]) + ")";
    }
    // A chain's inner operands appear once only, so that deep chains do not grow exponentially.
    std::string text = "chain(" + first + ")";
    for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
      const ExpressionNode& operand = *node.children[i + 1];
      text += std::string(".") + kNames.at(static_cast<std::size_t>(node.comparisons[i]));
      text += list(i) ? call("", operand) : "(" + print(operand) + ")";
    }
    return text + ".value()";
  }

  // Compilers take some hundred arguments of a fold; a longer list is several.
  std::string membership(const std::string& first, const ExpressionNode& node) const {
    constexpr std::size_t kMost = 100;
    const bool inside = node.comparisons[0] == Comparison::kIn;
    const auto& items = node.children[1]->children;
    std::string all;
    for (std::size_t i = 0; i == 0 || i < items.size(); i += kMost) {
      std::string part = "chain(" + first + (inside ? ").in(" : ").not_in(");
      for (std::size_t k = i; k < std::min(i + kMost, items.size()); ++k) {
        part += (k > i ? ", " : "") + print(*items[k]);
      }
      part += ").value()";
      all = i == 0 ? part : "(" + all + (inside ? " || " : " && ") + part + ")";
    }
    return all;
  }

  const Expression& expression_;
  const CppNames& names_;
};

}  // namespace

namespace {

// Whether a name is the compilers' own, as "__int128" and "_Complex" are: each has others.
bool is_the_compilers(std::string_view name) {
  return name.starts_with("__") || (name.size() > 1 && name[0] == '_' &&
                                    std::isupper(static_cast<unsigned char>(name[1])) != 0);
}

}  // namespace

std::string cpp_identifier(std::string_view text) {
  std::string out;
  for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (is_the_compilers(out)) out.erase(0, std::min(out.find_first_not_of('_'), out.size() - 1));
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "_" + out;
  if (kKeywords.find(" " + out + " ") != std::string_view::npos) out += '_';
  return out;
}

std::string cpp_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      out += '\\';
      out += c;
    } else if (byte >= 32 && byte < 127) {
      out += c;
    } else {
      // Three octal digits: unlike hexadecimal ones they end by themselves.
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
    }
  }
  return out + "\"";
}

std::string cpp_literal(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return cpp_string(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (*whole == INT64_MIN) return "(-9223372036854775807ll - 1)";
    const bool small = *whole >= -2147483647 && *whole <= 2147483647;
    return std::to_string(*whole) + (small ? "" : "ll");
  }
  if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real)) {
    return std::isnan(*real) ? "__builtin_nan(\"\")"
           : *real < 0       ? "-__builtin_huge_val()"
                             : "__builtin_huge_val()";
  }
  return to_text(value);
}

std::string cpp_expression(const Expression& expression, const CppNames& names) {
  if (expression.empty()) return "num(1)";
  return Printer(expression, names).print(*expression.root());
}

}  // namespace tuner
