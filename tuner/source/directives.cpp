// Finds preprocessor directives, by translation phases 1 to 4 as far as they matter for them,
// and the files that they name.

#include "tuner/source/directives.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "tuner/base/text.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

// Walks over a directive.
class Walk {
 public:
  Walk(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  void skip_blanks() {
    for (;;) {
      if (at_ < text_.size() && is_blank(text_[at_])) {
        ++at_;
      } else if (!skip_comment()) {
        return;
      }
    }
  }

  bool skip_hash() {
    for (const std::string_view spelling : {"#", "%:", "?\?="}) {
      if (text_.substr(at_, spelling.size()) != spelling) continue;
      at_ += spelling.size();
      return true;
    }
    return false;
  }

  std::string word() {
    const std::string_view found = word_at(text_, at_);
    at_ += found.size();
    return std::string(found);
  }

  // Takes text up to the end of the line; a line break inside of a comment does not end it.
  void take_rest(Directive& into) {
    while (at_ < text_.size() && text_[at_] != '\n') {
      const std::size_t start = at_;
      if (skip_comment()) {
        into.rest += ' ';
      } else {
        take_character_or_literal(into.rest);
      }
      into.raw += text_.substr(start, at_ - start);
    }
    into.cut = cut_;
  }

 private:
  // A comment marker in a literal is none.
  void take_character_or_literal(std::string& rest) {
    const char first = text_[at_];
    const std::size_t start = at_++;
    if (first == '"' || first == '\'') {
      const std::size_t end = text_.find_first_of(first == '"' ? "\"\n" : "'\n", at_);
      if (end != std::string_view::npos && text_[end] == first) at_ = end + 1;
    }
    rest += text_.substr(start, at_ - start);
  }

  bool skip_comment() {
    if (text_.substr(at_, 2) != "/*") return false;
    const std::size_t end = text_.find("*/", at_ + 2);
    cut_ = end == std::string_view::npos;
    at_ = cut_ ? text_.size() : end + 2;
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  bool cut_ = false;
};

void add_directives(const std::string& text, std::vector<Directive>& out) {
  const auto add = [&](std::size_t at) {
    auto found = directive_at(text, at);
    if (found) out.push_back(std::move(*found));
  };
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // of UTF-8
  add(text.starts_with(kMark) ? kMark.size() : 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line_ends = text[i] == '\n' || text[i] == '\r';
    const bool comment_ends = i > 0 && text[i] == '/' && text[i - 1] == '*';
    if (line_ends || comment_ends) add(i + 1);
  }
}

// Returns where the next line begins if `at` is a backslash at the end of a line, which joins the
// two; blanks between the backslash and the end are allowed with `generously`. 0 when it is none.
std::size_t behind_splice(const std::string& text, std::size_t at, bool generously) {
  if (generously && text.compare(at, 3, "?\?/") == 0) {
    at += 3;
  } else if (text[at] == '\\') {
    ++at;
  } else {
    return 0;
  }
  while (generously && at < text.size() && is_blank(text[at])) ++at;
  if (text.compare(at, 1, "\n") == 0) return at + 1;
  return text.compare(at, 2, "\r\n") == 0 ? at + 2 : 0;
}

}  // namespace

std::string spliced(const std::string& text, bool generously) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t behind = behind_splice(text, i, generously); behind > 0) {
      i = behind;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::optional<Directive> directive_at(std::string_view text, std::size_t at) {
  Walk walk(text, at);
  walk.skip_blanks();
  if (!walk.skip_hash()) return std::nullopt;
  walk.skip_blanks();
  Directive out;
  out.name = walk.word();
  walk.take_rest(out);
  return out;
}

std::vector<Directive> possible_directives(const std::string& text) {
  std::vector<Directive> out;
  const std::string whole = spliced(text);
  add_directives(whole, out);
  const std::string shorter = spliced(text, true);
  if (shorter != whole) add_directives(shorter, out);
  return out;
}

// ---- the files that they name -------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

// Directives whose text names no files.
constexpr std::string_view kProse = "error warning line ident sccs pragma";

fs::path existing(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  const fs::path clean = fs::canonical(path, ignored);
  return ignored ? path : clean;
}

// "name" or <name> that begins at `at`, if one does.
std::optional<Include> name_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '"' && text[at] != '<')) return std::nullopt;
  const bool quoted = text[at] == '"';
  const std::size_t end = text.find(quoted ? '"' : '>', at + 1);
  if (end == std::string_view::npos || end == at + 1) return std::nullopt;
  return Include{std::string(text.substr(at + 1, end - at - 1)), quoted};
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\v\f\r", at), text.size());
}

void add_names(std::string_view text, std::vector<Include>& out) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto found = name_at(text, at);
    if (!found) continue;
    const auto same = [&](const Include& one) {
      return one.name == found->name && one.quoted == found->quoted;
    };
    if (std::ranges::none_of(out, same)) out.push_back(std::move(*found));
  }
}

}  // namespace

std::optional<Include> include_of(const Directive& directive) {
  if (!is_one_of("include include_next import embed", directive.name)) return std::nullopt;
  const std::size_t at = skip_blanks(directive.rest, 0);
  if (at >= directive.rest.size()) return std::nullopt;
  if (auto name = name_at(directive.rest, at)) return name;
  return Include{};
}

std::vector<Include> names_in(const Directive& directive) {
  if (directive.name.empty() || is_one_of(kProse, directive.name)) return {};
  std::vector<Include> out;
  add_names(directive.rest, out);
  if (directive.raw != directive.rest) add_names(directive.raw, out);
  return out;
}

bool asks_by_macro(const Directive& directive) {
  const std::string_view text = directive.rest;
  for (const std::string_view asks : {"__has_include", "__has_embed"}) {
    for (auto at = text.find(asks); at != std::string_view::npos; at = text.find(asks, at + 1)) {
      std::size_t behind = at + asks.size();
      if (text.substr(behind).starts_with("_next")) behind += 5;
      behind = skip_blanks(text, behind);
      const bool called = behind < text.size() && text[behind] == '(';
      // A word without parentheses: "#ifdef __has_include" only checks whether it is known; but a
      // macro that is defined as it becomes another name of it.
      if (!called && directive.name == "define") return true;
      if (called && !name_at(text, skip_blanks(text, behind + 1))) return true;
    }
  }
  return false;
}

std::vector<FoundInclude> find_includes(const Include& include, const fs::path& folder,
                                        const std::vector<std::string>& include_dirs) {
  std::vector<FoundInclude> out;
  const auto look = [&](const fs::path& path) {
    fs::path there = existing(path);
    if (!there.empty()) out.push_back({std::move(there), path});
  };
  if (fs::path(include.name).is_absolute()) look(include.name);
  if (include.quoted) look(folder / include.name);
  for (const std::string& directory : include_dirs) look(fs::path(directory) / include.name);
  return out;
}

fs::path find_include(const Include& include, const fs::path& folder,
                      const std::vector<std::string>& include_dirs) {
  const auto all = find_includes(include, folder, include_dirs);
  return all.empty() ? fs::path() : all.front().file;
}

}  // namespace tuner
