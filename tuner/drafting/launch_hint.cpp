// Finds launches and what their variables are.

#include "tuner/drafting/launch_hint.h"

#include <algorithm>
#include <initializer_list>

#include "tuner/base/text.h"

namespace tuner {
namespace {

// The axes of a launch's grid or block: "blocks = dim3(n / 32);" above it says more than what the
// variable was at first.
std::vector<Tokens> axes_at(Tokens expression, Tokens body, std::size_t launch) {
  Tokens last = expression;
  for (std::size_t at = 0; expression.size() == 1 && at + 3 < launch; ++at) {
    const bool is_set =
        body[at].is(expression[0].text) && body[at + 1].is("=") && body[at + 2].is("dim3");
    if (is_set) last = body.subspan(at + 2, behind_closing(body, at + 3) - at - 2);
  }
  return axes_of(last, body);
}

// Returns the place behind "<<<" or ">>>", which some formatters write "<< <"; 0: it is none.
std::size_t behind_sign(Tokens body, std::size_t at, std::string_view sign) {
  if (at < body.size() && body[at].is(sign)) return at + 1;
  const auto is_part = [&](const Token& token) { return token.is(sign.substr(0, 1)); };
  if (at + 3 > body.size() || !std::ranges::all_of(body.subspan(at, 3), is_part)) return 0;
  return at + 3;
}

std::optional<LaunchHint> launch_at(const FoundSource& source, Tokens body, std::size_t at) {
  LaunchHint hint;
  hint.place = source.place_of(body[at]);
  std::size_t next = at + 1;
  if (next < body.size() && body[next].is("<") && behind_sign(body, next, "<<<") == 0) {
    const std::size_t behind = behind_angles(body, next);
    if (behind == 0) return std::nullopt;
    hint.template_arguments = pieces_between_commas(body.subspan(next + 1, behind - next - 2));
    next = behind;
  }
  const std::size_t first = behind_sign(body, next, "<<<");
  if (first == 0) return std::nullopt;
  std::size_t end = first;
  while (end < body.size() && behind_sign(body, end, ">>>") == 0) ++end;
  const std::size_t behind = behind_sign(body, end, ">>>");
  if (behind == 0 || behind >= body.size()) return std::nullopt;
  const auto pieces = pieces_between_commas(body.subspan(first, end - first));
  if (pieces.size() < 2) return std::nullopt;
  hint.grid = axes_at(pieces[0], body, at);
  hint.grid_variable = joined(pieces[0]);
  hint.block = axes_at(pieces[1], body, at);
  if (pieces.size() > 2) hint.shared = pieces[2];
  if (body[behind].is("(")) hint.arguments = items(body, behind);
  return hint;
}

// "void* args[] = {&a, (void*)&b};" as the names behind the signs.
std::vector<Tokens> pointed_at(Tokens function, std::string_view array) {
  for (std::size_t at = 0; at + 4 < function.size(); ++at) {
    const bool begins = function[at].is(array) && function[at + 1].is("[");
    const std::size_t open = begins ? index_of(function, "{", at) : function.size();
    if (open >= function.size() || open > at + 5) continue;
    std::vector<Tokens> out;
    for (const Tokens one : items(function, open)) {
      out.push_back(mentions(one, "&") ? part_behind(one, "&") : one);
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
  const auto pieces = items(body, at + 1);
  if (pieces.size() < 4 || !mentions(pieces[0], kernel)) return std::nullopt;
  LaunchHint hint;
  hint.place = source.place_of(body[at]);
  hint.grid = axes_at(pieces[1], body, at);
  hint.grid_variable = joined(pieces[1]);
  hint.block = axes_at(pieces[2], body, at);
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

// Completes a call's arguments with the default values of the parameters behind them.
std::vector<Tokens> with_defaults(std::vector<Tokens> arguments, Tokens parameters) {
  const std::vector<Tokens> all = pieces_between_commas(parameters);
  for (std::size_t i = arguments.size(); i < all.size(); ++i) {
    const Tokens value = part_behind(all[i], "=");
    if (value.empty()) break;
    arguments.push_back(value);
  }
  return arguments;
}

// The template arguments of a call, "<" at `open`, with the defaults of the parameters behind them.
std::vector<Tokens> template_arguments_of(Tokens body, std::size_t open,
                                          const Declaration& function) {
  std::vector<Tokens> out;
  const std::size_t behind = body[open].is("<") ? behind_angles(body, open) : 0;
  if (behind > 0) out = pieces_between_commas(body.subspan(open + 1, behind - open - 2));
  const std::vector<TemplateParameter> all = template_parameters(function.head);
  for (std::size_t i = out.size(); i < all.size() && !all[i].default_value.empty(); ++i) {
    out.push_back(all[i].default_value);
  }
  return out;
}

// Takes the arguments of the first call of `function` in `body`; false: there is none.
bool take_call(Tokens body, const Declaration& function, Tokens& before, HostFrame& frame) {
  const std::string name(last_name(function.name));
  for (std::size_t at = 0; at + 1 < body.size(); ++at) {
    if (!body[at].is(name)) continue;
    std::size_t open = at + 1;
    if (body[open].is("<")) open = behind_angles(body, open);
    if (open == 0 || open >= body.size() || !body[open].is("(")) continue;
    std::vector<Tokens> arguments = items(body, open);
    if (arguments.size() > pieces_between_commas(function.parameters).size()) continue;
    before = body.first(at);
    frame.arguments = with_defaults(std::move(arguments), function.parameters);
    frame.template_arguments = template_arguments_of(body, at + 1, function);
    return true;
  }
  return false;
}

// `function`, who calls it, who calls that, as far as it is to be found.
std::vector<HostFrame> frames_of(const FoundSource& source, const Declaration& function,
                                 std::size_t launch) {
  constexpr std::size_t kMostFrames = 6;
  std::vector<HostFrame> out;
  Tokens before = function.body.first(launch);
  for (const Declaration* now = &function; now != nullptr && out.size() < kMostFrames;) {
    HostFrame& frame = out.emplace_back(HostFrame{now->body, before, {}, {}});
    for (const Tokens one : pieces_between_commas(now->parameters)) {
      frame.parameters.push_back(parameter_of(one).name);
      frame.declared.push_back(one);
    }
    for (const TemplateParameter& one : template_parameters(now->head)) {
      frame.templates.push_back(one.name);
    }
    const Declaration* caller = nullptr;
    for (const Declaration& one : source.declarations) {
      if (one.body.empty() || one.body.data() == now->body.data()) continue;
      if (!take_call(one.body, *now, before, frame)) continue;
      caller = &one;
      break;
    }
    now = caller;
  }
  return out;
}

// "sizes[i]" of "int sizes[] = {1, 2, 3};": 2.
Tokens element_of_array(Tokens function, const Token& array) {
  for (std::size_t at = 0; at + 3 < function.size(); ++at) {
    if (!function[at].is(array.text) || !function[at + 1].is("[")) continue;
    const std::size_t behind = behind_closing(function, at + 1);
    if (behind + 1 >= function.size() || !function[behind].is("=")) continue;
    if (!function[behind + 1].is("{")) continue;
    const auto all = items(function, behind + 1);
    return all.empty() ? Tokens() : all[all.size() / 2];
  }
  return {};
}

// Takes the value that holds without arguments: "argc > 1 ? atoi(argv[1]) : 1024".
Tokens without_command_line(Tokens set) {
  const Tokens answers = part_behind(set, "?"), first = part_before(answers, ":");
  const Tokens second = part_behind(answers, ":");
  if (second.empty()) return set;
  return mentions(first, "argv") ? second : mentions(second, "argv") ? first : set;
}

// Whether a variable at `at` is given its first value in braces, "unsigned a{1}, b{2};", or in
// parentheses.
bool is_set_in_braces(Tokens function, std::size_t at) {
  if (at == 0) return false;
  const Token& before = function[at - 1];
  if (function[at + 1].is("(")) return element_type(std::string(before.text)).has_value();
  if (!function[at + 1].is("{")) return false;
  const bool is_behind_type = before.is_word() && !is_one_of("struct class enum", before.text);
  return is_behind_type || before.is(",");
}

// "a.b->n": a, b, n.
std::vector<std::string> words_of_path(const std::string& variable) {
  std::vector<std::string> out(1);
  for (const char c : variable) {
    if (is_word_part(c)) out.back() += c;
    if (!is_word_part(c) && !out.back().empty()) out.emplace_back();
  }
  return out;
}

// Whether the last word of a path stands at `at`, behind all others.
bool ends_path(Tokens function, std::size_t at, const std::vector<std::string>& words) {
  const auto is_member = [&](std::size_t i) {
    return i > 1 && (function[i - 1].is(".") || function[i - 1].is("->"));
  };
  for (std::size_t i = words.size(); i-- > 0; at -= 2) {
    if (!function[at].is(words[i])) return false;
    if (i == 0) return words.size() > 1 || !is_member(at);
    if (!is_member(at)) return false;
  }
  return false;
}

// Finds the next "variable = ..." or "variable{...}" from position `from` on. For "a.n", n has to
// be a member of a.
std::size_t next_set(Tokens function, const std::string& variable, std::size_t from) {
  const std::vector<std::string> words = words_of_path(variable);
  for (std::size_t at = from; at + 2 < function.size(); ++at) {
    if (!ends_path(function, at, words)) continue;
    if (function[at + 1].is("=") && !function[at + 2].is("=")) return at;
    if (words.size() == 1 && is_set_in_braces(function, at)) return at;
  }
  return function.size();
}

// Returns the value of the assignment at `at`: "int a = 1, b{2};" ends at the comma.
Tokens value_at(Tokens function, std::size_t at) {
  const bool in_braces = opens(function[at + 1]);
  const auto pieces = in_braces ? items(function, at + 1)
                                : pieces_between_commas(part_before(function.subspan(at + 2), ";"));
  if (pieces.empty() || (in_braces && pieces.size() > 1)) return {};
  const Tokens set = without_command_line(pieces.front());
  const bool is_element =
      set.size() > 3 && set[0].is_word() && set[1].is("[") && behind_closing(set, 1) == set.size();
  const Tokens element = is_element ? element_of_array(function, set[0]) : Tokens();
  return element.empty() ? set : element;
}

// "dim3 grid; grid.x = n;"
std::vector<Tokens> axes_by_member(Tokens function, const std::string& name) {
  std::vector<Tokens> out;
  for (const char* axis : {".x", ".y", ".z"}) {
    const Tokens set = initialiser_of(function, name + axis);
    if (set.empty()) break;
    out.push_back(set);
  }
  return out;
}

}  // namespace

// "dim3(a, b)", "{a, b}" and "(a, b)" as its pieces; other expressions are one piece.
std::vector<Tokens> axes_of(Tokens expression, Tokens function, int depth) {
  if (expression.empty()) return {};
  std::size_t open = expression[0].is("dim3") ? 1 : 0;
  if (open < expression.size() && (expression[open].is("(") || expression[open].is("{")) &&
      behind_closing(expression, open) == expression.size()) {
    auto pieces = items(expression, open);
    const bool is_copy = pieces.size() == 1 && pieces[0].size() == 1 && pieces[0][0].is_word();
    if (is_copy && depth < 4) return axes_of(pieces[0], function, depth + 1);
    if (open == 1 || pieces.size() > 1) return pieces;
  }
  if (expression.size() == 1 && expression[0].is_word() && depth < 4) {
    // A variable: of type dim3 it has several axes.
    const std::string name(expression[0].text);
    for (std::size_t i = 0; i + 2 < function.size(); ++i) {
      if (!function[i].is("dim3")) continue;
      for (std::size_t at = i + 1; at + 1 < function.size() && !function[at].is(";"); ++at) {
        if (!function[at].is(name)) continue;
        const Token& next = function[at + 1];
        if (next.is("(") || next.is("{")) return items(function, at + 1);
        if (next.is("=")) {
          return axes_of(value_at(function, at), function, depth + 1);
        }
      }
    }
    if (auto axes = axes_by_member(function, name); !axes.empty()) return axes;
    const Tokens set = initialiser_of(function, name);  // auto name = dim3(...)
    if (!set.empty() && set[0].is("dim3")) return axes_of(set, function, depth + 1);
  }
  return {expression};
}

namespace {

// Whether a launch may be of this kernel: other files have kernels of the same name.
bool may_be_of(const LaunchHint& hint, const FoundKernel& kernel) {
  return !kernel.templates.empty() || hint.template_arguments.empty();
}

}  // namespace

std::optional<LaunchHint> launch_of(const FoundSource& source, const FoundKernel& kernel,
                                    const std::string& function) {
  const std::string name(last_name(kernel.name));
  for (const Declaration& one : source.declarations) {
    if (!function.empty() && last_name(one.name) != function) continue;
    for (std::size_t at = 0; at < one.body.size(); ++at) {
      auto hint = runtime_launch_at(source, name, one.body, at);
      if (!hint && one.body[at].is(name)) hint = launch_at(source, one.body, at);
      if (!hint || !may_be_of(*hint, kernel)) continue;
      hint->frames = frames_of(source, one, at);
      hint->function = last_name(one.name);
      return hint;
    }
  }
  return std::nullopt;
}

namespace {

// Whether a text begins with these words.
bool begins_with(Tokens text, const std::vector<Token>& words) {
  return text.size() >= words.size() &&
         std::ranges::equal(words, text.first(words.size()), {}, &Token::text, &Token::text);
}

// The condition that "n % t != 0" or "(n % t) ? 1 : 0" is one by.
Tokens condition_of_one(Tokens added) {
  const std::size_t then = index_of(added, "?");
  const bool is_choice = then + 4 == added.size() && added[then + 1].is("1") &&
                         added[then + 2].is(":") && added[then + 3].is("0");
  if (is_choice) return added.first(then);
  const bool compares = mentions(added, "!") || mentions(added, "<") || mentions(added, ">");
  return compares && then == added.size() ? added : Tokens();
}

}  // namespace

Tokens increased_if(Tokens function, const std::string& variable) {
  const std::string ways[] = {variable + "++;", "++" + variable + ";", variable + " += 1;"};
  const std::string is_added = variable + " +=";
  const std::vector<Token> adds = tokens_of(is_added);
  for (std::size_t at = 0; at + 3 < function.size(); ++at) {
    if (function[at].is("if") && function[at + 1].is("(")) {
      std::size_t then = behind_closing(function, at + 1);
      if (then < function.size() && function[then].is("{")) ++then;
      const Tokens rest = function.subspan(std::min(then, function.size()));
      const bool is_one_more = std::ranges::any_of(
          ways, [&](const std::string& way) { return begins_with(rest, tokens_of(way)); });
      if (is_one_more) return inside(function, at + 1);
    }
    if (!begins_with(function.subspan(at), adds)) continue;
    const Tokens added = part_before(function.subspan(at + adds.size()), ";");
    if (const Tokens when = condition_of_one(added); !when.empty()) return when;
  }
  return {};
}

Tokens initialiser_of(Tokens function, const std::string& variable) {
  const std::size_t at = next_set(function, variable, 0);
  return at == function.size() ? Tokens() : value_at(function, at);
}

std::vector<Tokens> all_set(Tokens function, const std::string& variable) {
  std::vector<Tokens> out;
  for (std::size_t at = 0; (at = next_set(function, variable, at)) < function.size(); ++at) {
    out.push_back(value_at(function, at));
  }
  return out;
}

Tokens set_above(const HostFrame& frame, const std::string& variable) {
  Tokens last;
  for (std::size_t at = 0; (at = next_set(frame.before, variable, at)) < frame.before.size();
       ++at) {
    const Tokens value = value_at(frame.before, at);
    const bool says = !mentions(value, variable) && !mentions(value, "argv");
    if (says) last = value;
  }
  return last.empty() ? initialiser_of(frame.body, variable) : last;
}

}  // namespace tuner
