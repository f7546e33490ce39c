// Follows names from the kernels to the declarations that these need.

#include "tuner/source/needed_part.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "tuner/source/declarations.h"
#include "tuner/source/own_names.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

using Words = std::set<std::string_view>;

// The names that "struct A", "enum class E { X, Y }" and "typedef struct { } T" give; bases and the
// like are taken for names, too.
void add_type_names(const Declaration& one, Words& out) {
  const Tokens all = one.all;
  const bool is_template = all.size() > 1 && all[0].is("template");
  const Tokens named = all.subspan(is_template ? behind_angles(all, 1) : 0);
  const std::size_t brace = index_of(named, "{");
  const bool is_enum = mentions(named.first(brace), "enum");
  const std::size_t behind = brace < named.size() ? behind_closing(named, brace) : named.size();
  for (std::size_t i = 0; i < named.size(); ++i) {
    const bool is_in_body = i > brace && i < behind;
    if (named[i].is_word() && (is_enum || !is_in_body)) out.insert(named[i].text);
  }
  for (const std::string_view word : {"struct", "class", "union", "enum", "typedef", "alignas"}) {
    out.erase(word);
  }
}

// The names of "using T = ..", "typedef .. T;", "const int a[4] = {..}, b;".
void add_other_names(const Declaration& one, Words& out) {
  const Tokens all = one.all;
  if (mentions(all, "static_assert")) return;
  const std::size_t at = index_of(all, "using") + 1;
  if (at <= all.size()) {
    if (at + 1 < all.size() && all[at + 1].is("=")) out.insert(all[at].text);
    return;
  }
  for (const Tokens piece : pieces_between_commas(all)) {
    const auto ends = [](const Token& t) {
      return t.is("=") || t.is("[") || t.is("{") || t.is(";");
    };
    const auto end = std::ranges::find_if(piece, ends);
    if (end != piece.begin() && std::prev(end)->is_word()) out.insert(std::prev(end)->text);
  }
}

// A declaration with the names that it gives; none: it is reached by what it names.
struct Entry {
  const Declaration* one = nullptr;
  Words gives;
  bool is_reached = false;
  std::size_t from = 0, to = 0;  // in the source
};

Entry entry_of(const Declaration& one, const Words& types) {
  using Kind = Declaration::Kind;
  const Token& last = one.all.back();
  Entry out{&one, {}, false, one.all.front().at, last.at + last.text.size()};
  if (one.kind == Kind::kType) {
    add_type_names(one, out.gives);
  } else if (one.kind == Kind::kOther) {
    add_other_names(one, out.gives);
  } else if (!one.head.empty() && !last_name(one.name).starts_with("operator")) {
    out.gives.insert(last_name(one.name));
    for (const Token& part : tokens_of(one.name)) {  // "A::f" comes with A, too
      const auto type = types.find(part.text);
      if (type != types.end()) out.gives.insert(*type);
    }
  }
  return out;
}

class Needs {
 public:
  Needs(const std::vector<Token>& tokens, const std::vector<Declaration>& declarations)
      : tokens_(tokens) {
    Words types;
    for (const Declaration& one : declarations) {
      if (one.kind == Declaration::Kind::kType) add_type_names(one, types);
    }
    for (const Declaration& one : declarations) entries_.push_back(entry_of(one, types));
    for (const Entry& one : entries_) declared_.insert(one.gives.begin(), one.gives.end());
    for (const Token& token : tokens) {
      if (const auto macro = definition_in(token)) {
        for (const Token& word : tokens_of(macro->text)) {
          if (word.is_word()) macros_[macro->name].insert(word.text);
        }
      } else if (token.kind == Token::Kind::kDirective && directive_name(token) == "line") {
        const std::string_view rest = directive_rest(token);
        lines_[token.at] = rest.substr(std::min(rest.find('"'), rest.size()));
      }
    }
  }

  void follow(const std::set<std::string, std::less<>>& roots) {
    for (const std::string& root : roots) reach(root);
    std::size_t next = 0;  // what stands in no declaration is in another branch
    for (const Token& token : tokens_) {
      while (next < entries_.size() && entries_[next].to <= token.at) ++next;
      const bool is_in = next < entries_.size() && entries_[next].from <= token.at;
      if (!is_in && token.is_word()) reach(token.text);
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (Entry& one : entries_) {
        if (one.is_reached || !is_needed(one)) continue;
        one.is_reached = grew = true;
        for (const Token& token : tokens_in(one)) {
          if (token.is_word()) reach(token.text);
        }
      }
    }
  }

  std::string without_others(std::string text) const {
    const Words files = needed_files();
    for (const Entry& one : entries_) {
      const bool is_idle = one.gives.empty() && !files.contains(file_at(one.from));
      if (!one.is_reached || is_idle) blank(text, one.from, one.to, tokens_);
    }
    for (const Token& token : tokens_) {
      const bool is_include =
          token.kind == Token::Kind::kDirective && directive_name(token) == "include";
      if (!is_include || files.contains(file_at(token.at))) continue;
      blank(text, token.at, token.at + token.text.size(), {});
    }
    return text;
  }

 private:
  // The files of which a declaration or a macro is reached, and the source's beginning.
  Words needed_files() const {
    Words out{""};
    for (const Entry& one : entries_) {
      if (one.is_reached && !one.gives.empty()) out.insert(file_at(one.from));
    }
    for (const Token& token : tokens_) {
      const auto macro = definition_in(token);
      if (macro && reached_.contains(macro->name)) out.insert(file_at(token.at));
    }
    return out;
  }

  // The file that the last #line directive names.
  std::string_view file_at(std::size_t at) const {
    const auto behind = lines_.upper_bound(at);
    return behind == lines_.begin() ? "" : std::prev(behind)->second;
  }

  Tokens tokens_in(const Entry& one) const {
    const auto from = std::ranges::lower_bound(tokens_, one.from, {}, &Token::at);
    const auto to = std::ranges::lower_bound(tokens_, one.to, {}, &Token::at);
    return {from, to};
  }

  bool is_needed(const Entry& one) const {
    const auto is_reached = [&](std::string_view name) { return reached_.contains(name); };
    if (!one.gives.empty()) return std::ranges::any_of(one.gives, is_reached);
    return std::ranges::all_of(one.one->all, [&](const Token& token) {
      return !declared_.contains(token.text) || is_reached(token.text);
    });
  }

  void reach(std::string_view word) {
    if (!reached_.insert(word).second) return;
    const auto macro = macros_.find(word);
    if (macro == macros_.end()) return;
    for (const std::string_view inner : macro->second) reach(inner);
  }

  const std::vector<Token>& tokens_;
  std::vector<Entry> entries_;  // in the order of the source
  Words declared_, reached_;
  std::map<std::string_view, Words> macros_;
  std::map<std::size_t, std::string_view> lines_;  // the file of each #line directive
};

}  // namespace

std::string needed_part(const std::string& source,
                        const std::set<std::string, std::less<>>& roots) {
  const std::vector<Token> tokens = tokens_of(source);
  const std::vector<Token> code = code_of(tokens);
  const std::vector<Declaration> declarations = declarations_of(code);
  Needs needs(tokens, declarations);
  needs.follow(roots);
  return needs.without_others(source);
}

}  // namespace tuner
