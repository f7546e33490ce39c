#pragma once
// Reading #include lines, for those who walk a source.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tuner {

// Lines continued by a backslash are one line to the preprocessor.
std::string spliced(const std::string& text);

struct Include {
  std::string name;  // empty: named by a macro
  bool quoted = false;
};

// What a line includes, if it is an #include.
std::optional<Include> include_of(const std::string& line);

// The file, canonical: "name" beside the including file, then in `include_dirs`; <name> in these
// only. Empty when it is in neither.
std::filesystem::path find_include(const Include& include, const std::filesystem::path& folder,
                                   const std::vector<std::string>& include_dirs);

}  // namespace tuner
