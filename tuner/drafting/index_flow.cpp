// Follows indices from their loads to subscripts.

#include "tuner/drafting/index_flow.h"

#include <algorithm>
#include <map>

#include "tuner/drafting/launch_hint.h"

namespace tuner {
namespace {

constexpr int kStepsToALoad = 6;  // from a subscript to a load

// The pieces between `signs`, "+ -" or "*", that stand in no brackets.
std::vector<Tokens> split(Tokens tokens, std::string_view signs) {
  std::vector<Tokens> out;
  std::size_t from = 0, depth = 0;
  for (std::size_t at = 0; at <= tokens.size(); ++at) {
    const bool is_end = at == tokens.size();
    if (!is_end && opens(tokens[at])) ++depth;
    if (!is_end && closes(tokens[at]) && depth > 0) --depth;
    if (!is_end && (depth > 0 || !is_one_of(signs, tokens[at].text))) continue;
    if (at > from) out.push_back(tokens.subspan(from, at - from));
    from = at + 1;
  }
  return out;
}

Tokens without_parentheses(Tokens tokens) {
  while (tokens.size() > 2 && tokens[0].is("(") && behind_closing(tokens, 0) == tokens.size()) {
    tokens = inside(tokens, 0);
  }
  return tokens;
}

bool is_member(Tokens tokens, std::size_t at) {
  return at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("->"));
}

class Flow {
 public:
  Flow(Tokens body, const std::set<std::string>& buffers) : body_(body), buffers_(buffers) {}

  std::vector<Indexing> take() {
    for (std::size_t at = 1; at + 1 < body_.size(); ++at) {
      const bool has_subscript =
          body_[at].is_word() && body_[at + 1].is("[") && !is_member(body_, at);
      if (!has_subscript) continue;
      const std::string name(body_[at].text);
      Indexing what{{}, name, {}};
      if (const Alias* base = alias(name)) {
        what.target = base->buffer;
        for (const Tokens term : base->offset) add_strides(term, {}, what, 0);
      }
      open_.clear();
      follow(inside(body_, at + 1), what, 0);
    }
    return std::move(out_);
  }

 private:
  // A pointer of the kernel's own, "row" of "const float* row = x + r * n".
  struct Alias {
    std::string buffer;
    std::vector<Tokens> offset;
  };

  const std::vector<Tokens>& values_of(const std::string& name) {
    const auto [known, is_new] = values_.try_emplace(name);
    if (!is_new) return known->second;
    known->second = all_set(body_, name);
    for (std::size_t at = 0; at + 1 < body_.size(); ++at) {  // "mine[lane] = at[i]"
      if (!body_[at].is(name) || !body_[at + 1].is("[")) continue;
      const Tokens rest = body_.subspan(behind_closing(body_, at + 1));
      const bool is_set = rest.size() > 1 && rest[0].is("=") && !rest[1].is("=");
      if (is_set) known->second.push_back(part_before(rest.subspan(1), ";"));
    }
    return known->second;
  }

  const Alias* alias(const std::string& name) {
    const auto [known, is_new] = aliases_.try_emplace(name);
    Alias& out = known->second;
    if (!is_new) return out.buffer.empty() ? nullptr : &out;
    if (buffers_.contains(name)) out.buffer = name;
    for (const Tokens value : values_of(name)) {
      if (out.buffer.empty()) out = alias_in(value);
    }
    for (std::size_t at = 0; at + 2 < body_.size(); ++at) {  // "x += row * n"
      const bool is_moved = body_[at].is(name) && body_[at + 1].is("+") && body_[at + 2].is("=");
      if (is_moved) out.offset.push_back(part_before(body_.subspan(at + 3), ";"));
    }
    return out.buffer.empty() ? nullptr : &out;
  }

  // "x + r * n", "&x[r * n]", "(const float4*)(x + r)"
  Alias alias_in(Tokens value) {
    for (std::size_t at = 0; at < value.size(); ++at) {
      if (!value[at].is_word() || is_member(value, at)) continue;
      const bool has_subscript = at + 1 < value.size() && value[at + 1].is("[");
      if (has_subscript && (at == 0 || !value[at - 1].is("&"))) continue;
      const std::string name(value[at].text);
      const bool may_be = buffers_.contains(name) || is_pointer(name);
      const Alias* base = may_be ? alias(name) : nullptr;
      if (base == nullptr) continue;
      Alias out = *base;
      if (has_subscript) out.offset.push_back(inside(value, at + 1));
      if (at + 1 < value.size() && value[at + 1].is("+")) {
        std::size_t end = at + 1, depth = 0;  // of what stands with it in parentheses
        for (; end < value.size(); ++end) {
          if (opens(value[end])) ++depth;
          if (closes(value[end]) && depth-- == 0) break;
        }
        out.offset.push_back(value.subspan(at + 2, end - at - 2));
      }
      return out;
    }
    return {};
  }

  // Whether the kernel declares a pointer of this name.
  bool is_pointer(const std::string& name) const {
    for (std::size_t at = 1; at + 1 < body_.size(); ++at) {
      const bool is_set = body_[at].is(name) && body_[at + 1].is("=");
      if (is_set && (body_[at - 1].is("*") || body_[at - 1].is("__restrict__"))) return true;
    }
    return false;
  }

  void follow(Tokens expression, const Indexing& what, int depth) {
    const std::vector<Tokens> terms = split(without_parentheses(expression), "+ -");
    for (const Tokens term : terms) {
      Indexing now = what;
      for (const Tokens other : terms) {
        if (other.data() != term.data()) add_strides(other, what.times, now, 0);
      }
      const std::vector<Tokens> factors = split(term, "*");
      for (const Tokens factor : factors) {
        Indexing part = now;
        for (const Tokens other : factors) {
          if (other.data() != factor.data()) part.times.push_back(other);
        }
        follow_factor(without_parentheses(factor), part, depth);
      }
    }
  }

  void follow_factor(Tokens factor, const Indexing& what, int depth) {
    const auto holds = [&](std::string_view sign) { return mentions(factor, sign); };
    if (split(factor, "+ -").size() > 1) return follow(factor, what, depth);
    if (factor.size() == 1) {
      if (factor[0].is_word()) follow_variable(std::string(factor[0].text), what, depth);
      return;
    }
    if (holds("%") || holds("/") || holds("?")) return;  // it is bounded by that, or is a choice
    for (std::size_t at = 0; at < factor.size(); ++at) {
      if (!factor[at].is_word() || is_member(factor, at)) continue;
      const std::string name(factor[at].text);
      const bool has_subscript = at + 1 < factor.size() && factor[at + 1].is("[");
      const bool is_load = has_subscript || (at > 1 && factor[at - 2].is("__ldg")) ||
                           (at > 0 && factor[at - 1].is("*"));
      if (is_load) {
        add(name, what, depth);
        if (has_subscript) at = behind_closing(factor, at + 1) - 1;
      } else {
        follow_variable(name, what, depth);
      }
    }
  }

  void follow_variable(const std::string& name, const Indexing& what, int depth) {
    if (depth >= kStepsToALoad || buffers_.contains(name) || !open_.insert(name).second) return;
    for (const Tokens value : values_of(name)) follow(value, what, depth + 1);
    for (std::size_t at = 0; at + 2 < body_.size(); ++at) {
      if (!body_[at].is(name) || !body_[at + 1].is("<") || is_member(body_, at)) continue;
      std::size_t end = at + 2, nested = 0;
      for (; end < body_.size() && !body_[end].is(";") && !body_[end].is("&"); ++end) {
        if (opens(body_[end])) ++nested;
        if (closes(body_[end]) && nested-- == 0) break;
      }
      follow(body_.subspan(at + 2, end - at - 2), what, depth + 1);
    }
    open_.erase(name);
  }

  void add(const std::string& name, const Indexing& what, int depth) {
    const Alias* base = alias(name);
    if (base == nullptr) return follow_variable(name, what, depth);  // an array of the kernel's
    out_.push_back(what);
    out_.back().index = base->buffer;
  }

  // "b * n" as a stride, of a variable that is set once what it is set to.
  void add_strides(Tokens term, const std::vector<Tokens>& times, Indexing& what, int depth) {
    term = without_parentheses(term);
    const std::vector<Tokens> terms = split(term, "+ -");
    if (terms.size() > 1) {
      for (const Tokens one : terms) add_strides(one, times, what, depth);
      return;
    }
    std::vector<Tokens> factors = split(term, "*");
    if (factors.size() == 1 && term.size() == 1 && term[0].is_word() && depth < kStepsToALoad) {
      const auto& values = values_of(std::string(term[0].text));
      const bool is_fixed = values.size() == 1 && !is_changed(body_, std::string(term[0].text));
      if (is_fixed) return add_strides(values.front(), times, what, depth + 1);
    }
    if (const auto number = term.size() == 1 ? whole_number(term[0].text) : std::nullopt) {
      const bool is_added = times.empty() && (&term[0] == body_.data() || !(&term[0])[-1].is("-"));
      what.plus += is_added ? *number : 0;
      return;
    }
    if (factors.size() == 1) return void(what.has_more = true);
    factors.insert(factors.end(), times.begin(), times.end());
    what.strides.push_back(std::move(factors));
  }

  Tokens body_;
  const std::set<std::string>& buffers_;
  std::map<std::string, std::vector<Tokens>> values_;
  std::map<std::string, Alias> aliases_;
  std::set<std::string> open_;  // variables on the way
  std::vector<Indexing> out_;
};

}  // namespace

std::vector<Indexing> indexings_in(Tokens body, const std::set<std::string>& buffers) {
  return Flow(body, buffers).take();
}

bool is_changed(Tokens body, const std::string& name) {
  for (std::size_t at = 1; at + 2 < body.size(); ++at) {
    if (!body[at].is(name)) continue;
    const bool behind = is_one_of("+ - * / | & ^", body[at + 1].text) &&
                        (body[at + 2].is("=") || body[at + 2].text == body[at + 1].text);
    const bool before =
        at > 1 && is_one_of("+ -", body[at - 1].text) && body[at - 2].text == body[at - 1].text;
    if (behind || before) return true;
  }
  return false;
}

}  // namespace tuner
