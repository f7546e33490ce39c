#pragma once
// The directives of a text, by translation phases 1 to 4 as far as they matter for them (spliced
// lines, comments before and inside, the digraph and the trigraph of '#'), and the files that they
// name.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// Lines continued by a backslash are one line to the preprocessor. With `generously`, blanks may
// stand behind the backslash, and it may be a trigraph: some compilers take it so.
std::string spliced(const std::string& text, bool generously = false);

struct Directive {
  std::string name;  // "include"; empty for '#' alone
  std::string rest;  // behind the name to the end of the line, comments as blanks
  std::string raw;   // the same with comments as they stand
  bool cut = false;  // a comment of it goes on behind the end of the text
};

// Reads the directive that begins at `at`, where a line begins or a comment has ended. The text is
// spliced.
std::optional<Directive> directive_at(std::string_view text, std::size_t at);

// All that any compiler could see in a text: also what stands in a comment, in a raw string or
// behind an #if that does not hold.
std::vector<Directive> possible_directives(const std::string& text);

// ---- the files that they name -------------------------------------------------------------------

struct Include {
  std::string name;  // empty: named by a macro
  bool quoted = false;
};

// Returns the file that a directive includes, if it is an #include or one of its kin
// (#include_next, #import, #embed).
std::optional<Include> include_of(const Directive& directive);

// Every name that a directive spells as an include does, wherever it stands: of an #include, in
// __has_include, in a macro that may be used for either.
std::vector<Include> names_in(const Directive& directive);

// Whether it looks for a file (__has_include) without spelling its name.
bool asks_by_macro(const Directive& directive);

struct FoundInclude {
  std::filesystem::path file;   // canonical
  std::filesystem::path place;  // where it was looked for
};

// Every file that `include` may mean: "name" beside the including file and in `include_dirs`,
// <name> in these only. The first is the one that #include takes. A file may be at several places.
std::vector<FoundInclude> find_includes(const Include& include, const std::filesystem::path& folder,
                                        const std::vector<std::string>& include_dirs);

// The first file of these; empty when there is none.
std::filesystem::path find_include(const Include& include, const std::filesystem::path& folder,
                                   const std::vector<std::string>& include_dirs);

}  // namespace tuner
