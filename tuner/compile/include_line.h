#pragma once
// Which files a directive names, and where they lie.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/compile/directive.h"

namespace tuner {

struct Include {
  std::string name;  // empty: named by a macro
  bool quoted = false;
};

// What a directive includes, if it is an #include or one of its kin (#include_next, #import,
// #embed).
std::optional<Include> include_of(const Directive& directive);

// Every name that a directive spells as an include does, wherever it stands: of an #include, in
// __has_include, in a macro that may be used for either.
std::vector<Include> names_in(const Directive& directive);

// Whether it asks for a file (__has_include) without spelling its name.
bool asks_by_macro(const Directive& directive);

// Every file, canonical, that `include` may mean: "name" beside the including file and in
// `include_dirs`, <name> in these only. The first is the one that #include takes.
std::vector<std::filesystem::path> find_includes(const Include& include,
                                                 const std::filesystem::path& folder,
                                                 const std::vector<std::string>& include_dirs);

// The first of these; empty when there is none.
std::filesystem::path find_include(const Include& include, const std::filesystem::path& folder,
                                   const std::vector<std::string>& include_dirs);

}  // namespace tuner
