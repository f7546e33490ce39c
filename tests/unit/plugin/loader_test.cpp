#include "tuner/plugin/loader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "test_plugins.h"
#include "tests/fakes/scratch_folder.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

std::string reason_for(const std::string& name) {
  const auto loaded = load_plugin(test_plugin_directory("bad") / (name + ".so"));
  return loaded ? "it loads" : loaded.error();
}

TEST(Loader, SaysWhyAFileDoesNotFit) {
  EXPECT_EQ(reason_for("wrong_magic"),
            "'tuner_plugin_v2' does not start with the magic number: not a tuner plugin");
  const std::string again =
      ", this program has 2.3: build the plugin again with the headers of this tuner "
      "(tuner/plugin/sdk.h)";
  EXPECT_EQ(reason_for("wrong_major"), "made for plugin interface 3.0" + again);
  EXPECT_EQ(reason_for("wrong_minor"), "made for plugin interface 2.2" + again);
  EXPECT_EQ(reason_for("short_descriptor"), "its descriptor has 32 bytes, it needs 40");
  EXPECT_EQ(reason_for("missing_symbol"),
            "exports no symbol 'tuner_plugin_v2': no plugin for this tuner, or one to build again "
            "with its headers");
  EXPECT_EQ(reason_for("nameless"), "its descriptor lacks a name, a version or get_factory");
  EXPECT_NE(reason_for("there_is_none").find("No such file"), std::string::npos);
}

TEST(Loader, ReportsAFileThatIsNoLibraryInTheSystemsWords) {
  const fs::path file =
      fs::path(testing::TempDir()) / ("text" + std::to_string(::getpid()) + ".so");
  std::ofstream(file) << "not a library";
  const auto loaded = load_plugin(file);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error(), file.string() + ": file too short");
  fs::remove(file);
}

TEST(Loader, OpensPluginsWrittenWithTheSdkAndInC) {
  for (const char* name : {"toy", "plain_c"}) {
    const auto loaded = load_plugin(test_plugin_directory("good") / (std::string(name) + ".so"));
    ASSERT_TRUE(loaded) << loaded.error();
    EXPECT_STREQ((*loaded)->name, name);
  }
}

TEST(PluginSearch, TakesAskedDirectoriesThenTheEnvironmentThenTheInstallation) {
  const ScratchFolder folder;
  const fs::path& asked = folder.path();
  const auto search = plugin_search("/opt/tuner/bin", "/one:/two", {asked});
  const std::vector<fs::path> expected{fs::weakly_canonical(asked), "/one", "/two",
                                       "/opt/tuner/lib/tuner/plugins"};
  EXPECT_EQ(search.directories, expected);
  EXPECT_TRUE(search.ignored.empty());
}

TEST(PluginSearch, NeverTakesRelativeOrEmptyEntriesOfTheEnvironment) {
  const auto search = plugin_search("/opt/tuner/bin", "::plugins:.:/one:", {});
  const std::vector<fs::path> expected{"/one", "/opt/tuner/lib/tuner/plugins"};
  EXPECT_EQ(search.directories, expected);
  ASSERT_EQ(search.ignored.size(), 2U);
  EXPECT_EQ(search.ignored[0].path, "plugins");
  EXPECT_EQ(search.ignored[1].path, ".");
}

TEST(PluginSearch, TakesNoFolderThatOthersMayWriteToOrThatIsNeitherTheUsersNorRoots) {
  const ScratchFolder folder;
  const fs::path mine = folder.path() / "mine", open = folder.path() / "open";
  fs::create_directory(mine);
  fs::create_directory(open);
  ASSERT_EQ(::chmod(mine.c_str(), 0755), 0);
  for (const mode_t mode : {0777U, 0775U, 01777U}) {
    ASSERT_EQ(::chmod(open.c_str(), mode), 0);
    for (const auto& search : {plugin_search("/opt/tuner/bin", open.string() + ":/usr", {mine}),
                               plugin_search("/opt/tuner/bin", "/usr", {open, mine})}) {
      EXPECT_EQ(search.directories.size(), 3U);
      ASSERT_EQ(search.ignored.size(), 1U);
      EXPECT_EQ(search.ignored[0].reason,
                "others may write to " + open.string() + " (chmod go-w changes that)");
    }
  }
  if (::geteuid() != 0 || ::chown(mine.c_str(), 12345, 12345) != 0) return;  // only root can
  const auto search = plugin_search("/opt/tuner/bin", "", {mine});
  ASSERT_EQ(search.ignored.size(), 1U);
  EXPECT_EQ(search.ignored[0].reason, mine.string() + " belongs to another user");
}

TEST(Loader, DoesNotOpenAPipe) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "z.so";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto loaded = load_plugin(pipe);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error(), "is no regular file");
}

TEST(PluginSearch, RecordsAnAskedDirectoryThatIsNotThereAndTakesEachOnce) {
  const auto search = plugin_search("/opt/tuner/bin", "/opt/tuner/lib/tuner/plugins", {"/nowhere"});
  ASSERT_EQ(search.ignored.size(), 1U);
  EXPECT_EQ(search.ignored[0].reason, "is not a directory");
  EXPECT_EQ(search.directories.size(), 1U);
}

// The dynamic symbols that a library defines, as `nm -D` prints them.
std::vector<std::string> exported(const fs::path& library) {
  const std::string command = "nm -D --defined-only '" + library.string() + "'";
  std::vector<std::string> names;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return names;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    std::istringstream fields(line);
    std::string address;
    std::string letter;
    std::string name;
    if (fields >> address >> letter >> name) names.push_back(name);
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return names;
}

TEST(Exports, EveryPluginExportsExactlyOneSymbol) {
  std::vector<fs::path> files = plugin_files(test_plugin_directory("good"));
  EXPECT_EQ(files.size(), 2U);
  for (const auto& built : plugin_files(fs::path(TUNER_BINARY_DIR) / "lib/tuner/plugins")) {
    files.push_back(built);
  }
  for (const fs::path& file : files) {
    EXPECT_EQ(exported(file), std::vector<std::string>{"tuner_plugin_v2"}) << file;
  }
}

}  // namespace
}  // namespace tuner
