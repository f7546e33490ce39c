// Which extent of the problem each axis of the grid runs along: reads comparisons and index
// expressions of a kernel.

#include <algorithm>
#include <optional>
#include <string_view>

#include "tuner/drafting/guesses.h"
#include "tuner/drafting/launch_hint.h"

namespace tuner {
namespace {

// Whether a token ends an operand of a comparison or of a sum.
bool is_boundary(const Token& token) {
  constexpr std::string_view kAll[] = {";", ",", "&", "&&", "|", "||",
                                       "?", ":", "=", "!",  "<", ">"};
  return std::ranges::find(kAll, token.text) != std::end(kAll) || token.is("return");
}

class Axes {
 public:
  Axes(Tokens body, const std::set<std::string>& extents) : body_(body), extents_(extents) {
    for (std::size_t at = 0; at + 2 < body.size(); ++at) {
      if (body[at + 1].is("=") && !body[at + 2].is("=")) set_at_.emplace(body[at].text, at);
    }
  }

  std::map<char, std::string> found() {
    for (std::size_t at = 1; at + 1 < body_.size(); ++at) {
      if (body_[at].is("<") || body_[at].is(">")) compare(at);
    }
    for (std::size_t at = 1; at + 1 < body_.size(); ++at) {
      if (extents_.contains(std::string(body_[at].text))) multiply(at);
    }
    for (const auto& [axis, others] : not_along_) choose_what_is_left(axis, others);
    return found_;
  }

  bool compares_with_borders() {
    for (std::size_t at = 1; at + 1 < body_.size(); ++at) {
      if (!body_[at].is("<") && !body_[at].is(">")) continue;
      const Tokens left = before(at), right = behind(body_[at + 1].is("=") ? at + 2 : at + 1);
      const bool is_inner = only_extent_in(right) && mentions(right, "-");
      const bool is_positive =
          body_[at].is(">") && right.size() == 1 && right[0].kind == Token::Kind::kNumber;
      if ((is_inner || is_positive) && only_axis_in(left)) return true;
    }
    return false;
  }

  // The axis of blockIdx that an expression depends on, local variables seen through.
  std::optional<char> only_axis_in(Tokens expression) {
    std::set<char> axes;
    std::set<std::string> seen;
    std::vector<Tokens> open{expression};
    while (!open.empty()) {
      const Tokens now = open.back();
      open.pop_back();
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (!now[i].is_word() || (i > 0 && now[i - 1].is("."))) continue;  // of threadIdx.x no x
        if (now[i].is("blockIdx") && i + 2 < now.size()) axes.insert(now[i + 2].text.front());
        if (!seen.emplace(now[i].text).second) continue;
        if (const auto set = set_at_.find(now[i].text); set != set_at_.end()) {
          open.push_back(initialiser_of(body_.subspan(set->second), std::string(set->first)));
        }
      }
    }
    return axes.size() == 1 ? std::optional(*axes.begin()) : std::nullopt;
  }

 private:
  // "c + v < cols"
  void compare(std::size_t at) {
    const Tokens left = before(at), right = behind(body_[at + 1].is("=") ? at + 2 : at + 1);
    if (const auto extent = only_extent_in(right)) take(left, *extent);
    if (const auto extent = only_extent_in(left)) take(right, *extent);
  }

  // "r * cols + c", in any order: what is added runs along cols, and r does not.
  void multiply(std::size_t at) {
    std::size_t from = at, to = at + 1;
    Tokens factor;
    if (body_[at - 1].is("*") && at >= 2) {
      from = begin_of_factor(at - 2);
      factor = body_.subspan(from, at - 1 - from);
    } else if (body_[at + 1].is("*") && at + 2 < body_.size()) {
      to = end_of_factor(at + 2);
      factor = body_.subspan(at + 2, to - at - 2);
    } else {
      return;
    }
    const std::string extent(body_[at].text);
    if (const auto axis = only_axis_in(factor)) not_along_[*axis].insert(extent);
    if (to < body_.size() && body_[to].is("+")) take(behind(to + 1), extent);
    if (from > 0 && body_[from - 1].is("+")) take(before(from - 1), extent);
  }

  void take(Tokens index, const std::string& extent) {
    const auto axis = only_axis_in(index);
    const bool is_taken =
        std::ranges::any_of(found_, [&](const auto& one) { return one.second == extent; });
    if (axis && !is_taken) found_.emplace(*axis, extent);
  }

  void choose_what_is_left(char axis, const std::set<std::string>& others) {
    std::set<std::string> left = extents_;
    for (const std::string& one : others) left.erase(one);
    for (const auto& [other, extent] : found_) left.erase(extent);
    if (left.size() == 1) found_.emplace(axis, *left.begin());
  }

  std::optional<std::string> only_extent_in(Tokens tokens) const {
    std::set<std::string> found;
    for (const Token& token : tokens) {
      if (extents_.contains(std::string(token.text))) found.emplace(token.text);
    }
    return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
  }

  // The operand that ends before `at`.
  Tokens before(std::size_t at) const {
    std::size_t from = at;
    for (int depth = 0; from > 0; --from) {
      const Token& token = body_[from - 1];
      if (closes(token)) ++depth;
      if (depth == 0 && (opens(token) || is_boundary(token))) break;
      if (opens(token)) --depth;
    }
    return body_.subspan(from, at - from);
  }

  // The operand that begins at `at`.
  Tokens behind(std::size_t at) const {
    std::size_t to = at;
    for (int depth = 0; to < body_.size(); ++to) {
      const Token& token = body_[to];
      if (depth == 0 && (closes(token) || is_boundary(token))) break;
      if (opens(token)) ++depth;
      if (closes(token)) --depth;
    }
    return body_.subspan(at, to - at);
  }

  // "(a + b)", "blockIdx.x", "r": where the factor that ends at `last` begins.
  std::size_t begin_of_factor(std::size_t last) const {
    if (body_[last].is(")")) {
      std::size_t at = last;
      for (int depth = 0;; --at) {
        if (closes(body_[at])) ++depth;
        if ((opens(body_[at]) && --depth == 0) || at == 0) return at;
      }
    }
    return last >= 2 && body_[last - 1].is(".") ? last - 2 : last;
  }

  std::size_t end_of_factor(std::size_t first) const {
    if (body_[first].is("(")) return behind_closing(body_, first);
    return first + 2 < body_.size() && body_[first + 1].is(".") ? first + 3 : first + 1;
  }

  Tokens body_;
  const std::set<std::string> extents_;
  std::map<std::string_view, std::size_t> set_at_;  // where a variable is set first
  std::map<char, std::string> found_;
  std::map<char, std::set<std::string>> not_along_;  // by axis: extents that are strides of it
};

}  // namespace

std::map<char, std::string> extents_of_axes(Tokens body, const std::set<std::string>& extents) {
  return Axes(body, extents).found();
}

bool skips_borders(Tokens body, const std::set<std::string>& extents) {
  return Axes(body, extents).compares_with_borders();
}

std::optional<char> axis_of(const std::vector<Tokens>& expressions, Tokens body) {
  Axes axes(body, {});
  std::set<std::optional<char>> found;
  for (const Tokens one : expressions) found.insert(axes.only_axis_in(one));
  return found.size() == 1 ? *found.begin() : std::nullopt;
}

}  // namespace tuner
