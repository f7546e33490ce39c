// Replaces words until none is left that stands for something else.

#include "tuner/source/readings.h"

#include <algorithm>
#include <utility>

namespace tuner {
namespace {

using Alternatives = std::vector<std::vector<Token>>;

constexpr int kMostAliases = 8;    // names that stand for names
constexpr std::size_t kMost = 64;  // readings

// A word before a comma or the end, behind a type, is what a parameter is called.
bool is_name(Tokens tokens, std::size_t at) {
  const bool ends = at + 1 == tokens.size() || tokens[at + 1].is(",") || tokens[at + 1].is("[") ||
                    tokens[at + 1].is("=") || tokens[at + 1].is(")");
  if (!ends || at == 0) return false;
  const Token& before = tokens[at - 1];
  const bool qualifies =
      before.is("const") || before.is("volatile") || before.is("typename") || before.is("struct");
  return (before.is_word() && !qualifies) || before.is("*") || before.is("&") || before.is(">");
}

// "n::" before a name that is replaced goes with it; after "x<y>::" it is another name.
bool drop_namespaces(std::vector<Token>& out) {
  while (out.size() >= 2 && out.back().is("::")) {
    if (!out[out.size() - 2].is_word()) return false;
    out.resize(out.size() - 2);
  }
  return true;
}

std::optional<Alternatives> replaced_once(Tokens tokens, const Meanings& meanings, bool& changed) {
  Alternatives out{{}};
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const auto known = tokens[at].is_word() ? meanings.find(tokens[at].text) : meanings.end();
    const bool stays =
        known == meanings.end() || is_name(tokens, at) || !drop_namespaces(out.front());
    if (stays) {
      for (auto& one : out) one.push_back(tokens[at]);
      continue;
    }
    changed = true;
    Alternatives longer;
    for (auto& one : out) {
      drop_namespaces(one);
      for (const auto& meaning : known->second) {
        longer.push_back(one);
        longer.back().insert(longer.back().end(), meaning.begin(), meaning.end());
      }
    }
    out = std::move(longer);
    if (out.size() > kMost) return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<Alternatives> readings_of(Tokens parameters, const Meanings& meanings) {
  Alternatives all{{parameters.begin(), parameters.end()}};
  for (int depth = 0; depth < kMostAliases; ++depth) {
    Alternatives next;
    bool changed = false;
    for (const auto& one : all) {
      auto more = replaced_once(one, meanings, changed);
      if (!more || next.size() + more->size() > kMost) return std::nullopt;
      std::ranges::move(*more, std::back_inserter(next));
    }
    all = std::move(next);
    if (!changed) break;
  }
  return all;
}

}  // namespace tuner
