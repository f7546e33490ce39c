#include "tests/architecture/include_rules.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace tuner::architecture {
namespace {

using std::string_view;

// Libraries that are one room's business.
constexpr std::array<std::pair<string_view, string_view>, 6> kOwnedLibraries{
    {{"yaml-cpp/", "study"},
     {"sqlite3.h", "store"},
     {"zlib.h", "base"},
     {"boost/dll", "plugin"},
     {"dlfcn.h", "plugin"},
     {"boost/program_options", "commands"}}};

// "search" of "tuner/search/budget.h"; empty for a file that stands in no room.
string_view part(string_view path, int index) {
  for (int i = 0; i < index; ++i) {
    const std::size_t slash = path.find('/');
    if (slash == string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
  const std::size_t slash = path.find('/');
  return slash == string_view::npos ? string_view{} : path.substr(0, slash);
}

bool is_of_the_house(string_view include) { return include.starts_with("tuner/"); }

bool is_plugin_header(string_view include) {
  return include == "tuner/plugin/abi.h" || include == "tuner/plugin/sdk.h" ||
         include == "tuner/plugin/abi_ranks.h";
}

bool is_sdk(string_view path) {
  return path.starts_with("tuner/plugin/sdk") || path == "tuner/plugin/abi.h" ||
         path == "tuner/plugin/abi_abilities.h" || path == "tuner/plugin/abi_observer.h" ||
         path == "tuner/plugin/abi_problem.h" ||
         path == "tuner/plugin/abi_strategy.h";  // parts of abi.h
}

// Empty when a file of a plugin may include this.
std::string breach_of_plugin(string_view path, string_view include) {
  const std::string own = "tuner/plugins/" + std::string(part(path, 2)) + "/";
  if (include.find("..") != string_view::npos) return "leaves its folder";
  if (!is_of_the_house(include) || is_plugin_header(include) || include.starts_with(own)) return {};
  if (include.starts_with("tuner/plugins/programs/")) return {};  // shared by plugins, and none
  return "is outside the house and may see only tuner/plugin/abi.h and tuner/plugin/sdk.h";
}

std::string breach_of_library(string_view room, string_view include) {
  for (const auto& [library, owner] : kOwnedLibraries) {
    if (include.starts_with(library) && room != owner) {
      return "is for the room " + std::string(owner) + " only";
    }
  }
  return {};
}

std::string breach_of_room(const Rooms& rooms, string_view path, string_view include) {
  const std::string room(part(path, 1));
  if (!is_of_the_house(include)) {
    const bool relative = include.find("..") != string_view::npos;
    return relative ? "is a relative path" : breach_of_library(room, include);
  }
  const std::string target(part(include, 1));
  if (target == "plugins") return "is a plugin: the house knows none by name";
  if (is_sdk(path) && !is_sdk(include)) return "ties the SDK to the house";
  if (target == room) return {};
  if (!rooms.contains(target)) return "is in no room";
  const auto below = rooms.find(room);
  const std::set<std::string> seen = below == rooms.end() ? std::set<std::string>{} : below->second;
  // What is for authors of plugins needs nothing of the house, which shares its nouns.
  const bool is_shared = is_sdk(include) && (room == "ports" || seen.contains("ports"));
  if (seen.contains(target) || is_shared) return {};
  return "is of the room " + target + ", which " + room + " does not see";
}

}  // namespace

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> includes;
  std::istringstream in(text);
  std::string line;
  bool in_comment = false;
  for (int number = 1; std::getline(in, line); ++number) {
    if (in_comment) {
      in_comment = line.find("*/") == std::string::npos;
      continue;
    }
    const std::size_t comment = line.find("/*");
    in_comment = comment != std::string::npos && line.find("*/", comment) == std::string::npos &&
                 line.substr(0, comment).find("//") == std::string::npos;
    std::istringstream words(line);
    std::string hash;
    if (!(words >> hash)) continue;
    if (hash == "#") {
      words >> hash;
      hash.insert(0, "#");
    }
    if (!hash.starts_with("#include")) continue;
    const std::size_t begin = line.find_first_of("\"<");
    const std::size_t end = line.find_first_of("\">", begin + 1);
    if (begin == std::string::npos || end == std::string::npos) continue;
    includes.push_back({number, line.substr(begin + 1, end - begin - 1)});
  }
  return includes;
}

Rooms rooms_of(const std::string& cmake) {
  Rooms rooms;
  const std::string call = "tuner_room(";
  for (std::size_t at = cmake.find(call); at != std::string::npos; at = cmake.find(call, at + 1)) {
    const std::size_t begin = at + call.size();
    std::istringstream words(cmake.substr(begin, cmake.find(')', begin) - begin));
    std::string room;
    words >> room;
    std::set<std::string>& seen = rooms[room];
    bool is_room = false;
    for (std::string word; words >> word;) {
      if (word == "DEPENDS" || word == "LIBS") {
        is_room = word == "DEPENDS";
      } else if (is_room) {
        seen.insert(word);
        seen.insert(rooms[word].begin(), rooms[word].end());  // a room stands behind what it sees
      }
    }
  }
  return rooms;
}

std::vector<std::string> breaches_of(const Rooms& rooms, const std::string& path,
                                     const std::string& text) {
  std::vector<std::string> breaches;
  const bool is_plugin = path.starts_with("tuner/plugins/");
  const bool in_house = path.starts_with("tuner/");
  if (in_house && !is_plugin && !rooms.contains(std::string(part(path, 1)))) {
    breaches.push_back(path + ":1: tuner/CMakeLists.txt does not name this room");
  }
  for (const Include& include : includes_of(text)) {
    const std::string why = is_plugin  ? breach_of_plugin(path, include.path)
                            : in_house ? breach_of_room(rooms, path, include.path)
                                       : std::string();
    if (why.empty()) continue;
    breaches.push_back(path + ":" + std::to_string(include.line) + ": " + include.path + " " + why);
  }
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (lines > kMaxLines) {
    breaches.push_back(path + ":" + std::to_string(kMaxLines + 1) + ": the file has " +
                       std::to_string(lines) + " lines, more than " + std::to_string(kMaxLines));
  }
  return breaches;
}

}  // namespace tuner::architecture
