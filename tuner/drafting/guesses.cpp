// Guesses from names and uses.

#include "tuner/drafting/guesses.h"

#include <algorithm>
#include <cctype>

#include "tuner/base/text.h"
#include "tuner/drafting/launch_hint.h"

namespace tuner {
namespace {

bool has_one_of(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](auto part) { return text.find(part) != text.npos; });
}

// Pieces of a name: "BLOCK_SIZE_X" is block, size, x, and "kSizeM" is k, size, m.
std::vector<std::string> pieces_of(const std::string& name) {
  const auto is_upper = [](unsigned char c) { return std::isupper(c) != 0; };
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_' || (i > 0 && is_upper(name[i]) && !is_upper(name[i - 1]))) {
      out.emplace_back();
    }
    if (name[i] != '_') out.back() += lower(std::string(1, name[i]));
  }
  return out;
}

bool is_piece(const std::string& name, std::initializer_list<std::string_view> pieces) {
  const auto of = pieces_of(name);
  return std::ranges::any_of(pieces, [&](auto p) { return std::ranges::find(of, p) != of.end(); });
}

bool is_times(const Token& token) { return token.is("*"); }

// Whether an expression begins there, rather than goes on.
bool is_begin(Tokens body, std::size_t at) {
  if (at == 0) return true;
  const Token& before = body[at - 1];
  return !before.is_word() && before.kind != Token::Kind::kNumber && !before.is(")") &&
         !before.is("]");
}

}  // namespace

bool is_no_knob(const std::string& name) {
  const std::string word = lower(name);
  return has_one_of(
             word, {"radius", "filter", "mask", "max_", "_max", "eps", "pi", "version", "debug"}) ||
         word.ends_with("_h") || word.ends_with("_h_");
}

bool looks_tunable(const std::string& name) {
  const std::string word = lower(name);
  if (is_no_knob(name)) return false;
  if (has_one_of(word, {"block", "tile", "unroll", "pad", "thread", "vec", "warps", "coarsen",
                        "stage", "chunk", "per_", "wpt", "items", "tune_", "stride_", "prefetch",
                        "double_buffer", "swizzle"})) {
    return true;
  }
  return is_piece(name,
                  {"bm", "bn", "bk", "tm", "tn", "tk", "wm",  "wn",   "bs",   "ts",   "tw",    "th",
                   "wg", "bx", "by", "bz", "tx", "ty", "use", "rows", "cols", "work", "factor"});
}

std::vector<std::int64_t> values_to_try(const std::string& name, std::int64_t present,
                                        int threads_of_axes) {
  const std::string word = lower(name);
  std::set<std::int64_t> values{present};
  const auto add = [&](std::initializer_list<std::int64_t> more) { values.insert(more); };
  if (threads_of_axes == 1) {
    add({32, 64, 128, 256, 512, 1024});
  } else if (threads_of_axes > 2) {
    add({4, 8, 16});
  } else if (threads_of_axes > 1) {
    add({8, 16, 32});
  } else if (word.find("pad") != word.npos || is_piece(name, {"use"}) || present == 0) {
    add({0, 1});
  } else if (has_one_of(word,
                        {"unroll", "vec", "per_", "wpt", "items", "coarsen", "stage", "work"}) ||
             present < 4) {
    add({1, 2, 4});
    if (present >= 4) add({8});
  } else {
    if (present % 2 == 0) add({present / 2});
    add({present * 2});
  }
  return {values.begin(), values.end()};
}

namespace {

bool is_no_extent(const std::string& name) {
  return has_one_of(lower(name), {"radius", "iter", "step", "seed", "offset", "stride", "pitch",
                                  "ld", "shift", "alpha", "beta", "factor", "flag", "mode",
                                  "channel", "repeat", "rounds", "loops"});
}

}  // namespace

bool may_be_extent(const std::string& name) {
  if (is_no_extent(name)) return false;
  const bool is_letters = name.size() <= 2 && std::ranges::all_of(name, [](unsigned char c) {
                            return std::isupper(c) != 0;
                          });
  return is_letters ||
         is_piece(name, {"n",    "m",     "k",      "nx",     "ny",    "nz",       "w",
                         "h",    "d",     "width",  "height", "depth", "rows",     "cols",
                         "size", "len",   "length", "count",  "total", "elements", "num",
                         "dim",  "batch", "numel",  "extent"});
}

bool is_extent(const FoundKernel& kernel, const std::string& name) {
  if (is_no_extent(name)) return false;
  if (may_be_extent(name)) return true;
  for (std::size_t i = 2; i < kernel.body.size(); ++i) {
    if (!kernel.body[i].is(name)) continue;
    const Token& sign = kernel.body[kernel.body[i - 1].is("=") ? i - 2 : i - 1];  // "<", ">="
    if (sign.is("<") || sign.is(">")) return true;
  }
  return false;
}

Use use_of(Tokens body, const std::string& buffer) {
  Use use;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (!body[at].is(buffer)) continue;
    if (at > 0 && (body[at - 1].is(".") || body[at - 1].is("->"))) continue;
    std::size_t behind = at + 1;
    while (behind < body.size() && body[behind].is("[")) {
      use.subscripts.push_back(inside(body, behind));
      behind = behind_closing(body, behind);
    }
    // "*(buffer + i)"
    const bool adds = at > 1 && body[at - 1].is("(") && is_times(body[at - 2]) &&
                      behind < body.size() && body[behind].is("+");
    if (adds) {
      const std::size_t end = behind_closing(body, at - 1);
      use.subscripts.push_back(body.subspan(behind + 1, end - behind - 2));
      behind = end;
    }
    const bool has_subscript = behind > at + 1;
    // "*a = 1"
    const bool is_target =
        !has_subscript && at > 0 && is_times(body[at - 1]) && is_begin(body, at - 1);
    const bool by_address = at > 0 && body[at - 1].is("&") && !(at > 2 && body[at - 3].is("__ldg"));
    const auto next = [&](std::size_t i) {
      return behind + i < body.size() ? body[behind + i].text : "";
    };
    while (behind < body.size() && body[behind].is(".")) behind += 2;  // a lane: out[i].x
    const bool assigns = next(0) == "=" && next(1) != "=";
    const bool changes = std::string_view("+-*/|&^%").find(next(0)) != std::string_view::npos &&
                         !next(0).empty() &&
                         (next(1) == "=" || (next(1) == next(0) && next(0) != "*"));
    if ((!has_subscript && !is_target) || by_address || changes) {
      use.reads = use.writes = true;  // handed to somebody, or changed in place
    } else if (assigns) {
      use.writes = true;
    } else {
      use.reads = true;
    }
  }
  return use;
}

std::set<std::string> words_in(Tokens subscript, Tokens body) {
  constexpr std::size_t kMostWords = 200;  // each is looked for in all of the body
  std::set<std::string> out;
  std::vector<Tokens> open{subscript};
  while (!open.empty() && out.size() < kMostWords) {
    const Tokens now = open.back();
    open.pop_back();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (!now[i].is_word() || (i > 0 && now[i - 1].is("."))) continue;  // of threadIdx.x no x
      const std::string word(now[i].text);
      if (!out.insert(word).second) continue;
      if (const Tokens set = initialiser_of(body, word); !set.empty()) open.push_back(set);
    }
  }
  return out;
}

bool multiplies(const Use& use, Tokens body, const std::string& word) {
  std::vector<Tokens> open = use.subscripts;
  for (const Tokens subscript : use.subscripts) {
    for (const std::string& local : words_in(subscript, body)) {
      if (const Tokens set = initialiser_of(body, local); !set.empty()) open.push_back(set);
    }
  }
  return std::ranges::any_of(open, [&](Tokens tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is(word)) continue;
      if ((i > 0 && is_times(tokens[i - 1])) ||
          (i + 1 < tokens.size() && is_times(tokens[i + 1]))) {
        return true;
      }
    }
    return false;
  });
}

std::optional<std::int64_t> named_value(Tokens body, const std::string& variable,
                                        const std::map<std::string, std::int64_t>& numbers) {
  const auto number = [&](std::size_t at) -> std::optional<std::int64_t> {  // "4", "kMean", "A::B"
    if (body[at].kind == Token::Kind::kNumber) return whole_number(body[at].text);
    std::string name;
    while (at < body.size() && (body[at].is_word() || body[at].is("::"))) name += body[at++].text;
    const auto known = numbers.find(name);
    return known == numbers.end() ? std::nullopt : std::optional(known->second);
  };
  for (std::size_t at = 0; at + 4 < body.size(); ++at) {
    if (!body[at].is(variable)) continue;
    const bool is_switch = at > 1 && body[at - 1].is("(") && body[at - 2].is("switch");
    const std::size_t label = is_switch ? index_of(body, "case", at) : body.size();
    if (label + 1 < body.size()) return number(label + 1);
    const bool compares = body[at + 1].is("=") && body[at + 2].is("=") && body[at + 3].is_word();
    if (const auto value = compares ? number(at + 3) : std::nullopt) return value;
  }
  return std::nullopt;
}

int axes_used(Tokens body, std::string_view index) {
  int axes = 0;
  for (std::size_t i = 0; i + 2 < body.size(); ++i) {
    if (!body[i].is(index) || !body[i + 1].is(".")) continue;
    const int axis = body[i + 2].text.empty() ? 0 : body[i + 2].text.front() - 'x' + 1;
    axes = std::max(axes, axis);
  }
  return axes;
}

char axis_of_extent(const std::string& name) {
  if (is_piece(name, {"w", "width", "cols", "columns", "nx", "n"})) return 'x';
  if (is_piece(name, {"h", "height", "rows", "ny", "m"})) return 'y';
  return is_piece(name, {"d", "depth", "nz", "batch"}) ? 'z' : '\0';
}

ShareOfABlock share_of_a_block(Tokens body, char axis) {
  for (std::size_t i = 0; i + 2 < body.size(); ++i) {
    if (!body[i].is("blockIdx") || body[i + 2].text != std::string_view(&axis, 1)) continue;
    ShareOfABlock share;
    std::vector<std::string>& out = share.factors;
    const auto factor = [&](std::size_t at) -> std::size_t {  // its length; 0: none
      if (at >= body.size()) return 0;
      if (body[at].is("blockDim") && at + 2 < body.size()) {
        out.push_back("blockDim." + std::string(body[at + 2].text));
        return 3;
      }
      if (!body[at].is_word() && body[at].kind != Token::Kind::kNumber) return 0;
      const Tokens set = initialiser_of(body, std::string(body[at].text));  // "size = blockDim.x"
      const bool is_extent = set.size() == 3 && set[0].is("blockDim");
      out.push_back(is_extent ? "blockDim." + std::string(set[2].text)
                              : std::string(body[at].text));
      return 1;
    };
    std::size_t at = i + 3;
    while (at < body.size() && is_times(body[at])) {
      const std::size_t length = factor(at + 1);
      if (length == 0) break;
      at += 1 + length;
    }
    std::size_t from = i;
    while (from >= 2 && is_times(body[from - 1])) {
      if (body[from - 2].is("x") || body[from - 2].is("y") || body[from - 2].is("z")) {
        if (from < 4 || factor(from - 4) == 0) break;
        from -= 4;
      } else if (factor(from - 2) == 1) {
        from -= 2;
      } else {
        break;
      }
    }
    // (blockIdx.x * blockDim.x + threadIdx.x) * VEC
    if (from > 0 && body[from - 1].is("(")) {
      const std::size_t behind = behind_closing(body, from - 1);
      if (behind + 1 < body.size() && is_times(body[behind])) factor(behind + 1);
      if (behind + 1 < body.size() && body[behind].is("/")) share.divisor = body[behind + 1].text;
    }
    return share;
  }
  return {};
}

bool holds_offsets(const Use& use) {
  return std::ranges::any_of(use.subscripts, [&](Tokens next) {
    if (next.size() < 3 || !next[next.size() - 2].is("+") || !next.back().is("1")) return false;
    const Tokens first = next.first(next.size() - 2);
    return std::ranges::any_of(use.subscripts, [&](Tokens one) {
      return std::ranges::equal(one, first, {}, &Token::text, &Token::text);
    });
  });
}

}  // namespace tuner
