#pragma once
// The rules of docs/architecture.md as a function of one file's path and text.

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tuner::architecture {

struct Include {
  int line = 0;
  std::string path;
};

// The #include lines of a text, in quotes or angle brackets; those in comments are none.
std::vector<Include> includes_of(const std::string& text);

// Each room with all rooms that its files may include.
using Rooms = std::map<std::string, std::set<std::string>>;

// Reads tuner/CMakeLists.txt, which alone says who may see whom: a room sees those that its call
// `tuner_room(NAME DEPENDS ROOM...)` names, and what these see.
Rooms rooms_of(const std::string& cmake);

// What a file breaks, as "path:line: why". `path` is relative to the repository:
// "tuner/search/budget.cpp".
std::vector<std::string> breaches_of(const Rooms& rooms, const std::string& path,
                                     const std::string& text);

inline constexpr int kMaxLines = 600;

}  // namespace tuner::architecture
