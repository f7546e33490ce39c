// Settings for a compiler are read from build files.

#include "tuner/source/build_settings.h"

#include <gtest/gtest.h>

#include "scratch.h"

namespace tuner {
namespace {

using BuildSettingsTest = Scratch;
using Definitions = std::map<std::string, std::string>;

TEST_F(BuildSettingsTest, OfAMakefileOutsideOfItsConditions) {
  write("inc/a.h", "");
  write("lib/b.h", "");
  const std::string file = write("Makefile",
                                 "INC = inc  # headers\nFLAGS := -std=c++20 -I$(INC) \\\n"
                                 "  -DTILE=16 -DFAST\nifeq ($(DEBUG),yes)\nFLAGS += -DDEBUG -Ilib\n"
                                 "endif\nDEFS = -DHOW=$(shell date) -DNAME=$(INC)\n");
  const BuildSettings settings = build_settings(file, root / "k.cu");
  EXPECT_EQ(settings.include_dirs.size(), 2U);
  EXPECT_EQ(settings.definitions, (Definitions{{"TILE", "16"}, {"FAST", "1"}, {"NAME", "inc"}}));
  EXPECT_EQ(settings.standard, "c++20");
}

TEST_F(BuildSettingsTest, OfCMakeListsInCallsOfSeveralLines) {
  write("headers/a.h", "");
  const std::string file =
      write("CMakeLists.txt",
            "set(HEADERS headers)\nset(CMAKE_CUDA_STANDARD 20)\n"
            "target_include_directories(app PRIVATE\n  ${HEADERS})\n"
            "target_compile_definitions(app PRIVATE TILE=8 \"BAR=\\\"a b\\\"\"\n  \"WIDE\" "
            "$<$<CONFIG:Debug>:SLOW>) # DONE=1\n"
            "if(WIN32)\n  add_compile_definitions(WINDOWS)\nendif()\nmessage(STATUS OTHER)\n");
  const BuildSettings settings = build_settings(file, root / "k.cu");
  ASSERT_EQ(settings.include_dirs.size(), 1U);
  EXPECT_EQ(settings.include_dirs[0].filename(), "headers");
  EXPECT_EQ(settings.definitions, (Definitions{{"TILE", "8"}, {"WIDE", "1"}}));
  EXPECT_EQ(settings.standard, "c++20");
}

TEST_F(BuildSettingsTest, OfTheSourcesOwnEntryInCompileCommands) {
  write("inc/a.h", "");
  write("other/b.h", "");
  write("k.cu", "");
  write("l.cu", "");
  const std::string file =
      write("build/compile_commands.json",
            "[{\"directory\": \"" + root.string() +
                "\", \"file\": \"l.cu\", \"command\": "
                "\"nvcc -DOTHER -Iother -c l.cu\"}, 7, {\"directory\": \"" +
                root.string() +
                "\", \"file\": \"k.cu\", \"arguments\": "
                "[\"nvcc\", \"-I\", \"inc\", \"-DTILE=4\", \"-std=c++20\"]}]\n");
  const BuildSettings own = build_settings(file, root / "k.cu");
  ASSERT_EQ(own.include_dirs.size(), 1U);
  EXPECT_EQ(own.include_dirs[0].filename(), "inc");
  EXPECT_EQ(own.definitions, (Definitions{{"TILE", "4"}}));
  const BuildSettings of_all = build_settings(file, root / "header.h");
  EXPECT_EQ(of_all.include_dirs.size(), 2U);
  EXPECT_TRUE(of_all.definitions.empty());
  EXPECT_TRUE(build_settings(write("broken.json", "[{"), root / "k.cu").include_dirs.empty());
}

}  // namespace
}  // namespace tuner
