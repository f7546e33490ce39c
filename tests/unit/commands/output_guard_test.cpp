// What may be written over.

#include "tuner/commands/output_guard.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

// As an exporter of a plugin writes it: it says nothing of where it comes from.
constexpr const char* kText = "set(BLOCK 128)\n";

TEST(OutputGuard, AFileOfAPluginsExporterIsKnownUntilSomebodyChangesIt) {
  const ScratchFolder folder;
  ::setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1);
  const auto file = folder.path() / "best.cmake";
  write_file_atomically(file, kText);
  const OutputGuard guard(false);
  EXPECT_THROW(guard.check(file), InputError) << "somebody else may have written it";
  remember_output(kText);
  EXPECT_NO_THROW(guard.check(file));
  write_file_atomically(file, std::string(kText) + "set(MINE 1)\n");
  EXPECT_THROW(guard.check(file), InputError);
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(OutputGuard, KeepsNothingOfWhatSaysItself) {
  const ScratchFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  remember_output("# Made by tuner 1.0: a study\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "tuner"));
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace tuner
