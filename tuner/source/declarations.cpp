// Finds declarations by their brackets.

#include "tuner/source/declarations.h"

#include <algorithm>
#include <cctype>

namespace tuner {
namespace {

// Words before parentheses that are no function's name.
constexpr std::string_view kTakesParentheses =
    "__launch_bounds__ __align__ __builtin_align__ alignas __attribute__ decltype noexcept "
    "__declspec asm "
    "__maxnreg__ __cluster_dims__ __block_size__ static_assert _Static_assert requires";

class Parser {
 public:
  explicit Parser(Tokens code) : code_(code) {}

  std::vector<Declaration> all() {
    scope(0, code_.size(), "");
    return std::move(found_);
  }

 private:
  // One declaration that is being read.
  struct State {
    std::size_t from = 0;
    std::size_t name = 0, open = 0, close = 0;  // of a function; close: behind its parentheses
    bool is_type = false, initialises = false;
    std::size_t body = 0, body_end = 0;
    bool has_parameters() const { return close > 0; }
  };

  void scope(std::size_t at, std::size_t end, const std::string& outer) {
    while (at < end) {
      if (code_[at].is(";") || code_[at].is("}")) {
        ++at;
      } else if (const std::size_t open = opens_scope(at, end); open > at) {
        const std::size_t behind = std::min(behind_closing(code_, open), end);
        scope(open + 1, behind - 1, outer + namespaces(at, open));
        at = behind;
      } else {
        at = declaration(at, end, outer);
      }
    }
  }

  // Index of the brace of "namespace n {" or "extern "C" {" at `at`; 0 where there is none.
  std::size_t opens_scope(std::size_t at, std::size_t end) const {
    if (code_[at].is("inline") && at + 1 < end && code_[at + 1].is("namespace")) ++at;
    if (code_[at].is("extern") && at + 2 < end && code_[at + 1].kind == Token::Kind::kQuoted) {
      return code_[at + 2].is("{") ? at + 2 : 0;
    }
    if (!code_[at].is("namespace")) return 0;
    while (at < end && !code_[at].is("{") && !code_[at].is(";") && !code_[at].is("=")) ++at;
    return at < end && code_[at].is("{") ? at : 0;
  }

  std::string namespaces(std::size_t at, std::size_t open) const {
    std::string names;
    for (; at < open; ++at) {
      if (!code_[at].is_word() || is_one_of("namespace inline extern", code_[at].text)) {
        continue;
      }
      names += std::string(code_[at].text) + "::";
    }
    return names;
  }

  // Reads one; returns the index behind it.
  std::size_t declaration(std::size_t from, std::size_t end, const std::string& outer) {
    State now;
    now.from = from;
    std::size_t at = from;
    while (at < end && code_[at].is("template")) at = behind_template(at + 1, end);
    for (bool done = false; at < end && !done;) done = step(now, at, end);
    add(now, std::max(at, from + 1), outer);
    return std::max(at, from + 1);
  }

  std::size_t behind_template(std::size_t at, std::size_t end) const {
    if (at >= end || !code_[at].is("<")) return at;
    const std::size_t behind = behind_angles(code_.first(end), at);
    return behind == 0 ? end : behind;
  }

  // Takes what stands at `at`; true when the declaration has ended before the new `at`.
  bool step(State& now, std::size_t& at, std::size_t end) {
    const Token& token = code_[at];
    if (token.is(";")) {
      ++at;
      return true;
    }
    if (token.is("{")) return brace(now, at);
    if (token.is("(")) note_parameters(now, at);
    if (opens(token)) {
      at = std::min(behind_closing(code_, at), end);
      return false;
    }
    if (!now.has_parameters() && is_one_of("class struct union enum", token.text)) {
      now.is_type = true;
    }
    if (token.is("=") && operator_before(at + 1, now.from) > at) now.initialises = true;
    ++at;
    return false;
  }

  // "operator+(", "operator()(": the word.
  std::size_t operator_before(std::size_t at, std::size_t from) const {
    for (std::size_t back = 2; back <= 4 && from + back <= at; ++back) {
      if (code_[at - back].is("operator")) return at - back;
    }
    return at;
  }

  void note_parameters(State& now, std::size_t at) const {
    if (at == now.from || now.initialises) return;
    if (const std::size_t name = operator_before(at, now.from); name < at) {
      if (now.has_parameters() && name >= now.name) return;
      now.name = name;
      now.open = at;
      now.close = behind_closing(code_, at);
      return;
    }
    const std::size_t behind_name = behind_name_of_specialization(now.from, at);
    if (!code_[behind_name - 1].is_word()) return;
    const std::string_view word = code_[behind_name - 1].text;
    if (is_one_of(kTakesParentheses, word)) return;
    // BOUNDS(256) before the name is a macro; a second one behind it is not the name.
    if (now.has_parameters() && !is_in_capitals(code_[now.name].text)) return;
    now.name = behind_name - 1;
    now.open = at;
    now.close = behind_closing(code_, at);
  }

  // "template <> int f<int>(" at its parenthesis: the index behind f; of other functions that of
  // the parenthesis.
  std::size_t behind_name_of_specialization(std::size_t from, std::size_t at) const {
    const bool is_one = from + 2 < at && code_[from].is("template") && code_[from + 1].is("<") &&
                        code_[from + 2].is(">") && code_[at - 1].is(">");
    if (!is_one) return at;
    std::size_t open = at - 1;
    for (int depth = 1; depth > 0 && open > from + 3;) {
      --open;
      if (code_[open].is(">")) ++depth;
      if (code_[open].is("<")) --depth;
    }
    return open;
  }

  // "a::b::f(" of a function that is declared in a namespace and defined outside of it: the index
  // of a.
  std::size_t first_of_name(const State& now) const {
    std::size_t at = now.name;
    while (at >= now.from + 2 && code_[at - 1].is("::") && code_[at - 2].is_word()) at -= 2;
    return at;
  }

  bool brace(State& now, std::size_t& at) {
    const std::size_t behind = behind_closing(code_, at);
    const bool is_function = now.has_parameters() && !now.initialises;
    if (is_function || (now.is_type && now.body == 0 && !now.initialises)) {
      now.body = at + 1;
      now.body_end = behind - 1;
    }
    at = behind;
    return is_function;
  }

  void add(const State& now, std::size_t end, const std::string& outer) {
    Declaration out;
    out.all = code_.subspan(now.from, end - now.from);
    if (now.body > 0) out.body = code_.subspan(now.body, now.body_end - now.body);
    if (now.has_parameters() && !now.initialises) {
      out.kind = now.body > 0 ? Declaration::Kind::kFunction : Declaration::Kind::kPrototype;
      const std::size_t first = first_of_name(now);
      out.name = outer;
      for (std::size_t at = first; at <= now.name; ++at) out.name += code_[at].text;
      out.head = code_.subspan(now.from, first - now.from);
      out.parameters = code_.subspan(now.open + 1, now.close - now.open - 2);
    } else if (now.is_type) {
      out.kind = Declaration::Kind::kType;
    }
    found_.push_back(out);
  }

  Tokens code_;
  std::vector<Declaration> found_;
};

}  // namespace

std::vector<Token> code_of(const std::vector<Token>& tokens, Branches which) {
  std::vector<Token> code;
  std::ranges::copy_if(tokens, std::back_inserter(code), [which](const Token& token) {
    return token.kind != Token::Kind::kDirective && !token.is("\\") &&  // a line goes on
           (which == Branches::kAll || !token.other_branch);
  });
  return code;
}

std::vector<Declaration> declarations_of(Tokens code) { return Parser(code).all(); }

bool mentions(Tokens tokens, std::string_view word) {
  return std::ranges::any_of(tokens, [&](const Token& token) { return token.is(word); });
}

std::string_view last_name(std::string_view name) {
  if (name.starts_with("static_cast<") && name.ends_with(")")) {
    name = name.substr(name.rfind('(') + 1);
    name.remove_suffix(1);
  }
  name = name.substr(0, name.find('<'));
  return name.substr(name.rfind(':') + 1);
}

bool is_in_capitals(std::string_view word) {
  return std::ranges::none_of(word, [](unsigned char c) { return std::islower(c) != 0; });
}

std::vector<Tokens> pieces_between_commas(Tokens tokens) {
  std::vector<Tokens> pieces;
  std::size_t from = 0;
  int angles = 0;
  for (std::size_t at = 0; at < tokens.size();) {
    const Token& token = tokens[at];
    if (opens(token)) {
      at = behind_closing(tokens, at);
      continue;
    }
    if (token.is("<")) ++angles;
    if (token.is(">") && angles > 0) --angles;
    if (token.is(">>>")) angles = 0;
    if (token.is(",") && angles == 0) {
      pieces.push_back(tokens.subspan(from, at - from));
      from = at + 1;
    }
    ++at;
  }
  if (from < tokens.size()) pieces.push_back(tokens.subspan(from));
  return pieces;
}

std::size_t behind_closing(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (opens(token)) ++depth;
    if (closes(token) && --depth == 0) return at + 1;
  }
  return tokens.size();
}

std::size_t behind_angles(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size() && !tokens[at].is(";"); ++at) {
    const Token& token = tokens[at];
    if (token.is("(") || token.is("{")) at = behind_closing(tokens, at) - 1;
    if (token.is("<")) ++depth;
    if (token.is(">")) --depth;
    if (token.is(">>>")) depth -= 3;
    if (depth <= 0) return at + 1;
  }
  return 0;
}

std::vector<Tokens> member_declarations(Tokens body) {
  std::vector<Tokens> out;
  std::size_t from = 0;
  bool is_function = false;
  const auto end = [&](std::size_t at) {
    if (!is_function && at > from) out.push_back(body.subspan(from, at - from));
    from = at + 1;
    is_function = false;
  };
  for (std::size_t at = 0; at < body.size(); ++at) {
    const Token& token = body[at];
    if (token.is(":") && at == from + 1) from = at + 1;  // "public:"
    if (token.is("(")) {
      const bool is_attribute =
          at > 0 && is_one_of("__align__ alignas __attribute__", body[at - 1].text);
      is_function = is_function || !is_attribute;
      at = behind_closing(body, at) - 1;
    } else if (token.is("{")) {
      at = behind_closing(body, at) - 1;
      const bool goes_on =  // "P(int n) : a(n), b{n}, c{} {}"
          at + 1 < body.size() && (body[at + 1].is("{") || body[at + 1].is(","));
      if (is_function && !goes_on) end(at);
    } else if (token.is(";")) {
      end(at);
    }
  }
  return out;
}

Tokens inside(Tokens tokens, std::size_t open) {
  return tokens.subspan(open + 1, std::max(behind_closing(tokens, open), open + 2) - open - 2);
}

std::vector<Tokens> items(Tokens tokens, std::size_t open) {
  return pieces_between_commas(inside(tokens, open));
}

std::size_t index_of(Tokens tokens, std::string_view sign, std::size_t from) {
  while (from < tokens.size() && !tokens[from].is(sign)) ++from;
  return std::min(from, tokens.size());
}

Tokens part_before(Tokens tokens, std::string_view sign) {
  return tokens.first(index_of(tokens, sign));
}

Tokens part_behind(Tokens tokens, std::string_view sign) {
  return tokens.subspan(std::min(index_of(tokens, sign) + 1, tokens.size()));
}

}  // namespace tuner
