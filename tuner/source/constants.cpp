// Reads declarations around the word __constant__.

#include "tuner/source/constants.h"

#include <algorithm>
#include <utility>

namespace tuner {
namespace {

std::size_t behind_angles(Tokens code, std::size_t at) {
  int depth = 0;
  for (; at < code.size() && !code[at].is(";"); ++at) {
    if (code[at].is("<")) ++depth;
    if (code[at].is(">") && --depth == 0) return at + 1;
  }
  return at;
}

// Reads one declaration. The name of a declarator is the last word, behind __constant__, before the
// comma, bracket or semicolon that ends it; what stands before the first name is the type of all.
class ConstantDeclaration {
 public:
  ConstantDeclaration(Tokens code, std::vector<UnsetConstant>& out) : code_(code), out_(out) {}

  void read(std::size_t from, std::size_t keyword) {
    keyword_ = keyword;
    for (std::size_t at = from; at < code_.size() && !code_[at].is(";");) at = step(at);
    end_declarator();
  }

 private:
  std::size_t step(std::size_t at) {
    const Token& token = code_[at];
    if (token.is(",")) {
      end_declarator();
      return at + 1;
    }
    if (token.is("=")) has_value_ = true;
    if (token.is("=") || token.is("{")) initialised_ = true;
    if (token.is("(") || token.is("[") || token.is("{")) {
      const std::size_t behind = behind_closing(code_, at);
      if (token.is("[") && behind > at + 1) {
        now_.extents.push_back(code_.subspan(at + 1, behind - at - 2));
      }
      return behind;
    }
    const bool is_storage =
        token.is("__constant__") || token.is("__device__") || token.is("extern");
    if (has_value_ || is_storage) return at + 1;
    // Behind a '}' are the names that a structure was defined for.
    if (token.is_word() && at > keyword_) {
      now_.name = token;
      initialised_ = false;
    }
    const std::size_t behind = token.is("<") ? behind_angles(code_, at) : at + 1;
    std::copy_n(&token, behind - at, std::back_inserter(now_.declared));
    return behind;
  }

  void end_declarator() {
    if (type_.empty() && !now_.declared.empty()) {
      type_.assign(now_.declared.begin(), now_.declared.end() - 1);
    } else {
      now_.declared.insert(now_.declared.begin(), type_.begin(), type_.end());
    }
    const bool known = std::ranges::any_of(
        out_, [&](const UnsetConstant& one) { return one.name.text == now_.name.text; });
    if (!initialised_ && now_.name.is_word() && !known) out_.push_back(std::move(now_));
    now_ = {};
    initialised_ = has_value_ = false;
  }

  Tokens code_;
  std::vector<UnsetConstant>& out_;
  UnsetConstant now_;
  std::vector<Token> type_;
  std::size_t keyword_ = 0;
  bool initialised_ = false, has_value_ = false;
};

}  // namespace

std::vector<UnsetConstant> unset_constants(Tokens code) {
  std::vector<UnsetConstant> out;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!code[at].is("__constant__")) continue;
    std::size_t from = at;
    while (from > 0 && !code[from - 1].is(";") && !code[from - 1].is("{") &&
           !code[from - 1].is("}")) {
      --from;
    }
    ConstantDeclaration(code, out).read(from, at);
  }
  return out;
}

}  // namespace tuner
