// The tree keeps the rules of docs/architecture.md, and the rules can be broken.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/architecture/include_rules.h"

namespace tuner::architecture {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = TUNER_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<fs::path> sources_under(const std::string& folder) {
  std::vector<fs::path> found;
  if (!fs::exists(kRoot / folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".h") found.push_back(entry.path());
  }
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

const char* const kSmallHouse = R"(
# A house of eight rooms.
tuner_room(base LIBS zlib)
tuner_room(model DEPENDS base LIBS Boost::boost)
tuner_room(ports DEPENDS model)
tuner_room(plugin DEPENDS ports LIBS Boost::boost)
tuner_room(measure DEPENDS ports)
tuner_room(store DEPENDS model LIBS SQLite::SQLite3)
tuner_room(study DEPENDS model)
tuner_room(commands DEPENDS measure plugin
  store study)
)";

std::string breach(const std::string& path, const std::string& include) {
  return joined(breaches_of(rooms_of(kSmallHouse), path, "#include " + include + "\n"));
}

TEST(Architecture, TheTreeKeepsTheRules) {
  std::string all;
  std::size_t files = 0;
  const Rooms rooms = rooms_of(text_of(kRoot / "tuner" / "CMakeLists.txt"));
  for (const char* folder : {"tuner", "tests", "benchmarks"}) {
    for (const fs::path& path : sources_under(folder)) {
      all += joined(breaches_of(rooms, fs::relative(path, kRoot).string(), text_of(path)));
      ++files;
    }
  }
  EXPECT_EQ(all, "");
  EXPECT_GT(files, 60U) << "the tree was not found";
}

TEST(Architecture, EveryRoomHasFiles) {
  for (const auto& [room, seen] : rooms_of(text_of(kRoot / "tuner" / "CMakeLists.txt"))) {
    EXPECT_FALSE(sources_under("tuner/" + room).empty()) << room;
  }
}

TEST(IncludeRules, ARoomSeesWhatItDependsOnAndWhatThatSees) {
  const Rooms rooms = rooms_of(kSmallHouse);
  EXPECT_EQ(rooms.size(), 8U);
  EXPECT_EQ(rooms.at("plugin"), (std::set<std::string>{"base", "model", "ports"}));
  EXPECT_EQ(breach("tuner/measure/a.cpp", "\"tuner/ports/backend.h\""), "");
  EXPECT_EQ(breach("tuner/measure/a.cpp", "\"tuner/measure/b.h\""), "");
  EXPECT_EQ(breach("tuner/commands/a.cpp", "\"tuner/base/error.h\""), "");
  EXPECT_EQ(breach("tuner/measure/a.cpp", "<vector>"), "");
}

TEST(IncludeRules, WhatARoomDoesNotSeeIsABreach) {
  EXPECT_EQ(breach("tuner/measure/a.cpp", "\"tuner/commands/b.h\""),
            "tuner/measure/a.cpp:1: tuner/commands/b.h is of the room commands, which measure does "
            "not see\n");
  EXPECT_EQ(
      breach("tuner/base/a.h", "<tuner/model/value.h>"),
      "tuner/base/a.h:1: tuner/model/value.h is of the room model, which base does not see\n");
  EXPECT_EQ(
      breach("tuner/store/a.cpp", "\"tuner/plugin/b.h\""),
      "tuner/store/a.cpp:1: tuner/plugin/b.h is of the room plugin, which store does not see\n");
}

TEST(IncludeRules, RoomsMustBeKnown) {
  EXPECT_EQ(breach("tuner/attic/a.cpp", "<vector>"),
            "tuner/attic/a.cpp:1: tuner/CMakeLists.txt does not name this room\n");
  EXPECT_EQ(breach("tuner/commands/a.cpp", "\"tuner/attic/b.h\""),
            "tuner/commands/a.cpp:1: tuner/attic/b.h is in no room\n");
  EXPECT_EQ(breach("tuner/commands/a.cpp", "\"../base/error.h\""),
            "tuner/commands/a.cpp:1: ../base/error.h is a relative path\n");
}

TEST(IncludeRules, PluginsSeeTheSdkAndThemselves) {
  EXPECT_EQ(breach("tuner/plugins/cpu/a.cpp", "\"tuner/plugin/sdk.h\""), "");
  EXPECT_EQ(breach("tuner/plugins/cpu/a.cpp", "\"tuner/plugin/abi.h\""), "");
  EXPECT_EQ(breach("tuner/plugins/cpu/a.cpp", "\"tuner/plugins/cpu/b.h\""), "");
  EXPECT_EQ(breach("tuner/plugins/cpu/runtime/a.h", "\"interface.h\""), "");
  EXPECT_EQ(breach("tuner/plugins/cpu/a.cpp", "\"tuner/plugins/programs/b.h\""), "");
  const std::string only =
      " is outside the house and may see only tuner/plugin/abi.h and tuner/plugin/sdk.h\n";
  EXPECT_EQ(breach("tuner/plugins/cpu/a.cpp", "\"tuner/model/trial.h\""),
            "tuner/plugins/cpu/a.cpp:1: tuner/model/trial.h" + only);
  EXPECT_EQ(breach("tuner/plugins/cpu/a.cpp", "\"tuner/plugin/loader.h\""),
            "tuner/plugins/cpu/a.cpp:1: tuner/plugin/loader.h" + only);
  EXPECT_EQ(breach("tuner/plugins/cpu/a.cpp", "\"tuner/plugins/cuda/b.h\""),
            "tuner/plugins/cpu/a.cpp:1: tuner/plugins/cuda/b.h" + only);
  EXPECT_EQ(breach("tuner/plugins/cpu/a.cpp", "\"../../model/trial.h\""),
            "tuner/plugins/cpu/a.cpp:1: ../../model/trial.h leaves its folder\n");
}

TEST(IncludeRules, TheHouseKnowsNoPlugin) {
  EXPECT_EQ(
      breach("tuner/commands/a.cpp", "\"tuner/plugins/cpu/b.h\""),
      "tuner/commands/a.cpp:1: tuner/plugins/cpu/b.h is a plugin: the house knows none by name\n");
}

TEST(IncludeRules, TheSdkStandsAlone) {
  EXPECT_EQ(breach("tuner/plugin/sdk_strategy.h", "\"tuner/plugin/sdk_core.h\""), "");
  EXPECT_EQ(breach("tuner/ports/backend.h", "\"tuner/plugin/abi.h\""), "");
  EXPECT_EQ(breach("tuner/ports/strategy.h", "\"tuner/plugin/sdk_strategy.h\""), "");
  EXPECT_EQ(breach("tuner/model/trial.h", "\"tuner/plugin/abi.h\""),
            "tuner/model/trial.h:1: tuner/plugin/abi.h is of the room plugin, which model does not "
            "see\n");
  EXPECT_EQ(breach("tuner/plugin/sdk_strategy.h", "\"tuner/ports/strategy.h\""),
            "tuner/plugin/sdk_strategy.h:1: tuner/ports/strategy.h ties the SDK to the house\n");
  EXPECT_EQ(breach("tuner/plugin/abi.h", "\"tuner/plugin/loader.h\""),
            "tuner/plugin/abi.h:1: tuner/plugin/loader.h ties the SDK to the house\n");
}

TEST(IncludeRules, LibrariesBelongToTheirRoom) {
  EXPECT_EQ(breach("tuner/study/a.cpp", "<yaml-cpp/parser.h>"), "");
  EXPECT_EQ(breach("tuner/commands/a.cpp", "<yaml-cpp/yaml.h>"),
            "tuner/commands/a.cpp:1: yaml-cpp/yaml.h is for the room study only\n");
  EXPECT_EQ(breach("tuner/measure/a.cpp", "<sqlite3.h>"),
            "tuner/measure/a.cpp:1: sqlite3.h is for the room store only\n");
}

TEST(IncludeRules, LongFilesAreABreach) {
  const Rooms rooms = rooms_of(kSmallHouse);
  std::string text;
  for (int i = 0; i < kMaxLines; ++i) text += "int x;\n";
  EXPECT_EQ(joined(breaches_of(rooms, "tuner/base/a.cpp", text)), "");
  EXPECT_EQ(joined(breaches_of(rooms, "tuner/base/a.cpp", text + "\n")),
            "tuner/base/a.cpp:601: the file has 601 lines, more than 600\n");
}

TEST(IncludeRules, EveryFormOfIncludeIsSeenAndCommentsAreNot) {
  const auto found = includes_of(
      "#include \"a.h\"\n  #  include <b.h>\n#include<c.h>  // why\n// #include \"d.h\"\n"
      "/* #include \"e.h\"\n#include \"f.h\"\n*/\n#include \"g.h\"\n");
  std::vector<std::string> paths;
  for (const Include& include : found) paths.push_back(include.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"a.h", "b.h", "c.h", "g.h"}));
  EXPECT_EQ(found[3].line, 8);
}

}  // namespace
}  // namespace tuner::architecture
