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

std::string breach(const std::string& path, const std::string& include) {
  return joined(breaches_of(path, "#include " + include + "\n"));
}

TEST(Architecture, TheTreeKeepsTheRules) {
  std::string all;
  std::size_t files = 0;
  for (const char* folder : {"tuner", "tests", "benchmarks"}) {
    for (const fs::path& path : sources_under(folder)) {
      all += joined(breaches_of(fs::relative(path, kRoot).string(), text_of(path)));
      ++files;
    }
  }
  EXPECT_EQ(all, "");
  EXPECT_GT(files, 60U) << "the tree was not found";
}

TEST(Architecture, EveryRoomHasFiles) {
  std::set<std::string> rooms;
  for (const fs::path& path : sources_under("tuner")) {
    rooms.insert(fs::relative(path, kRoot / "tuner").begin()->string());
  }
  for (const char* room : {"base", "expression", "space", "model", "ports", "codec", "measure",
                           "study", "store", "exchange", "plugin"}) {
    EXPECT_TRUE(rooms.contains(room)) << room;
  }
}

TEST(IncludeRules, DownIsAllowed) {
  EXPECT_EQ(breach("tuner/measure/a.cpp", "\"tuner/ports/backend.h\""), "");
  EXPECT_EQ(breach("tuner/measure/a.cpp", "\"tuner/measure/b.h\""), "");
  EXPECT_EQ(breach("tuner/commands/a.cpp", "\"tuner/base/error.h\""), "");
  EXPECT_EQ(breach("tuner/measure/a.cpp", "<vector>"), "");
}

TEST(IncludeRules, UpIsABreach) {
  EXPECT_EQ(breach("tuner/measure/a.cpp", "\"tuner/study/b.h\""),
            "tuner/measure/a.cpp:1: tuner/study/b.h goes up, from measure to study\n");
  EXPECT_EQ(breach("tuner/base/a.h", "<tuner/expression/value.h>"),
            "tuner/base/a.h:1: tuner/expression/value.h goes up, from base to expression\n");
  EXPECT_EQ(breach("tuner/space/a.h", "\"tuner/model/study.h\""),
            "tuner/space/a.h:1: tuner/model/study.h goes up, from space to model\n");
}

TEST(IncludeRules, SidewaysIsABreach) {
  EXPECT_EQ(breach("tuner/store/a.cpp", "\"tuner/plugin/b.h\""),
            "tuner/store/a.cpp:1: tuner/plugin/b.h goes sideways, from store to plugin\n");
}

TEST(IncludeRules, RoomsMustBeKnown) {
  EXPECT_EQ(breach("tuner/attic/a.cpp", "<vector>"),
            "tuner/attic/a.cpp:1: this room has no floor\n");
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
  EXPECT_EQ(breach("tuner/model/trial.h", "\"tuner/plugin/abi.h\""),
            "tuner/model/trial.h:1: tuner/plugin/abi.h goes up, from model to plugin\n");
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
  std::string text;
  for (int i = 0; i < kMaxLines; ++i) text += "int x;\n";
  EXPECT_EQ(joined(breaches_of("tuner/base/a.cpp", text)), "");
  EXPECT_EQ(joined(breaches_of("tuner/base/a.cpp", text + "\n")),
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
