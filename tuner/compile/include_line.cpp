// Recognises directives that read files, and looks those files up.

#include "tuner/compile/include_line.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kKin{"include", "include_next", "import", "embed"};
// The texts of these are for people.
constexpr std::array<std::string_view, 7> kProse{"error", "warning", "line", "ident",
                                                 "sccs",  "pragma",  ""};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

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
  if (!is_one_of(kKin, directive.name)) return std::nullopt;
  const std::size_t at = skip_blanks(directive.rest, 0);
  if (at >= directive.rest.size()) return std::nullopt;
  if (auto name = name_at(directive.rest, at)) return name;
  return Include{};
}

std::vector<Include> names_in(const Directive& directive) {
  if (is_one_of(kProse, directive.name)) return {};
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
      // Not called: only whether the word is known is asked, or a macro becomes another name of it.
      if (!called && directive.name == "define") return true;
      if (called && !name_at(text, skip_blanks(text, behind + 1))) return true;
    }
  }
  return false;
}

std::vector<fs::path> find_includes(const Include& include, const fs::path& folder,
                                    const std::vector<std::string>& include_dirs) {
  std::vector<fs::path> out;
  const auto look = [&](const fs::path& path) {
    fs::path there = existing(path);
    if (!there.empty() && std::ranges::find(out, there) == out.end()) out.push_back(there);
  };
  if (fs::path(include.name).is_absolute()) look(include.name);
  if (include.quoted) look(folder / include.name);
  for (const std::string& directory : include_dirs) look(fs::path(directory) / include.name);
  return out;
}

fs::path find_include(const Include& include, const fs::path& folder,
                      const std::vector<std::string>& include_dirs) {
  const auto all = find_includes(include, folder, include_dirs);
  return all.empty() ? fs::path() : all.front();
}

}  // namespace tuner
