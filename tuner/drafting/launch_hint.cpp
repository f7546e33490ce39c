// Finds launches and what their variables are.

#include "tuner/drafting/launch_hint.h"

#include <algorithm>

namespace tuner {
namespace {

// Index behind "<...>" at `open`, which is a list of template arguments; 0 where it is none.
std::size_t behind_angles(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size() && at < open + 200; ++at) {
    if (tokens[at].is("(")) at = behind_closing(tokens, at) - 1;
    if (tokens[at].is("<")) ++depth;
    if (tokens[at].is(">") && --depth == 0) return at + 1;
    if (tokens[at].is(";") || tokens[at].is("{")) return 0;
  }
  return 0;
}

std::size_t find(Tokens tokens, std::size_t from, std::string_view sign) {
  while (from < tokens.size() && !tokens[from].is(sign)) ++from;
  return from;
}

// "dim3(a, b)", "{a, b}" and "(a, b)" as its pieces; other expressions are one piece.
std::vector<Tokens> axes_of(Tokens expression, Tokens function, int depth = 0) {
  if (expression.empty()) return {};
  std::size_t open = expression[0].is("dim3") ? 1 : 0;
  if (open < expression.size() && (expression[open].is("(") || expression[open].is("{")) &&
      behind_closing(expression, open) == expression.size()) {
    auto pieces = pieces_between_commas(expression.subspan(open + 1, expression.size() - open - 2));
    if (open == 1 || pieces.size() > 1) return pieces;
  }
  if (expression.size() == 1 && expression[0].is_word() && depth < 4) {
    // A variable: of type dim3 it has several axes.
    const std::string name(expression[0].text);
    for (std::size_t i = 0; i + 2 < function.size(); ++i) {
      if (!function[i].is("dim3")) continue;
      for (std::size_t at = i + 1; at + 1 < function.size() && !function[at].is(";"); ++at) {
        if (!function[at].is(name)) continue;
        const Tokens rest = function.subspan(at + 1);
        if (rest[0].is("(") || rest[0].is("{")) {
          return pieces_between_commas(rest.subspan(1, behind_closing(rest, 0) - 2));
        }
        if (rest[0].is("=")) {
          return axes_of(rest.subspan(1, find(rest, 1, ";") - 1), function, depth + 1);
        }
      }
    }
  }
  return {expression};
}

std::optional<LaunchHint> launch_at(const FoundSource& source, Tokens body, std::size_t at) {
  LaunchHint hint;
  hint.line = source.line_of(body[at]);
  hint.function = body;
  std::size_t next = at + 1;
  if (next < body.size() && body[next].is("<")) {
    const std::size_t behind = behind_angles(body, next);
    if (behind == 0) return std::nullopt;
    hint.template_arguments = pieces_between_commas(body.subspan(next + 1, behind - next - 2));
    next = behind;
  }
  if (next >= body.size() || !body[next].is("<<<")) return std::nullopt;
  const std::size_t end = find(body, next, ">>>");
  if (end + 1 >= body.size()) return std::nullopt;
  const auto pieces = pieces_between_commas(body.subspan(next + 1, end - next - 1));
  if (pieces.size() < 2) return std::nullopt;
  hint.grid = axes_of(pieces[0], body);
  hint.block = axes_of(pieces[1], body);
  if (pieces.size() > 2) hint.shared = pieces[2];
  const Tokens rest = body.subspan(end + 1);
  if (rest[0].is("(")) {
    hint.arguments = pieces_between_commas(rest.subspan(1, behind_closing(rest, 0) - 2));
  }
  return hint;
}

// "void* args[] = {&a, (void*)&b};" as the names behind the signs.
std::vector<Tokens> pointed_at(Tokens function, std::string_view array) {
  for (std::size_t at = 0; at + 4 < function.size(); ++at) {
    const bool begins = function[at].is(array) && function[at + 1].is("[");
    const std::size_t open = begins ? find(function, at, "{") : function.size();
    if (open >= function.size() || open > at + 5) continue;
    std::vector<Tokens> out;
    const std::size_t behind = behind_closing(function, open);
    for (const Tokens one : pieces_between_commas(function.subspan(open + 1, behind - open - 2))) {
      const std::size_t sign = find(one, 0, "&");
      out.push_back(sign < one.size() ? one.subspan(sign + 1) : one);
    }
    return out;
  }
  return {};
}

// cudaLaunchKernel((void*)k, grid, block, args, bytes, stream)
std::optional<LaunchHint> runtime_launch_at(const FoundSource& source, const std::string& kernel,
                                            Tokens body, std::size_t at) {
  const bool launches =
      body[at].is("cudaLaunchKernel") || body[at].is("cudaLaunchCooperativeKernel");
  if (!launches || at + 1 >= body.size() || !body[at + 1].is("(")) return std::nullopt;
  const std::size_t behind = behind_closing(body, at + 1);
  const auto pieces = pieces_between_commas(body.subspan(at + 2, behind - at - 3));
  if (pieces.size() < 4 || !mentions(pieces[0], kernel)) return std::nullopt;
  LaunchHint hint;
  hint.line = source.line_of(body[at]);
  hint.function = body;
  hint.grid = axes_of(pieces[1], body);
  hint.block = axes_of(pieces[2], body);
  hint.arguments = pointed_at(body, pieces[3].back().text);
  if (pieces.size() > 4) hint.shared = pieces[4];
  for (std::size_t i = 0; i + 1 < pieces[0].size(); ++i) {
    if (!pieces[0][i].is(kernel) || !pieces[0][i + 1].is("<")) continue;
    const std::size_t end = behind_angles(pieces[0], i + 1);
    if (end > 0)
      hint.template_arguments = pieces_between_commas(pieces[0].subspan(i + 2, end - i - 3));
  }
  return hint;
}

}  // namespace

std::optional<LaunchHint> launch_of(const FoundSource& source, const FoundKernel& kernel) {
  const std::string name = kernel.name.substr(kernel.name.rfind(':') + 1);
  for (const Declaration& one : source.declarations) {
    for (std::size_t at = 0; at < one.body.size(); ++at) {
      if (auto hint = runtime_launch_at(source, name, one.body, at)) return hint;
      if (!one.body[at].is(name)) continue;
      if (auto hint = launch_at(source, one.body, at)) return hint;
    }
  }
  return std::nullopt;
}

Tokens initialiser_of(Tokens function, const std::string& variable) {
  for (std::size_t at = 0; at + 2 < function.size(); ++at) {
    if (!function[at].is(variable)) continue;
    // "int a = 1, b = 2;" ends at the comma.
    if (function[at + 1].is("=") && !function[at + 2].is("=")) {
      const Tokens rest = function.subspan(at + 2, find(function, at + 2, ";") - at - 2);
      const auto pieces = pieces_between_commas(rest);
      return pieces.empty() ? Tokens() : pieces.front();
    }
  }
  return {};
}

}  // namespace tuner
