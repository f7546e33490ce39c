// Texts are filled line by line. The C++ files that exported headers and launchers are made of
// compile alone, given what goes before them, and are embedded as they are.

#include "tuner/deploy/embedded_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/deploy/compiled.h"

namespace tuner {
namespace {

const std::filesystem::path kHouse = std::filesystem::path(TUNER_SOURCE_DIR) / "tuner";
const std::filesystem::path kFolders[] = {kHouse / "deploy/cpp", kHouse / "expression"};

std::filesystem::path path_of(const std::string& name) {
  for (const std::filesystem::path& folder : kFolders) {
    if (std::filesystem::exists(folder / name)) return folder / name;
  }
  return {};
}

std::string text_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(path_of(name)).rdbuf();
  return text.str();
}

constexpr const char* kNumbers = "numbers.hpp";

// The text of a file, filled.
std::string part(const std::string& name, const Filling& with = {}) {
  return filled(text_of(name), with);
}

// What stands for the study's own part of a header.
constexpr const char* kTypes = R"(
#define TUNER_FN constexpr
#define TUNER_TABLE inline constexpr
namespace tuned {
struct config { int a = 0; };
struct dims { long long n = 0; };
struct device {
  const char* name = "";
  long long compute_capability = 0;
  long long multiprocessors = 1;
  long long max_threads_per_block = 1024;
  long long max_shared_memory_per_block_optin = 49152;
};
struct entry { int dev; int cfg; dims size; int lg[1]; };
enum class match : unsigned char { exact, near_size, near_device, fallback, unsupported };
struct selection { config cfg; match how; int config_id; int entry_index; int tier; double d; };
struct extent { unsigned x, y, z; };
TUNER_TABLE config configs[] = {{1}};
TUNER_TABLE device devices[] = {{"d", 90, 1, 1024, 49152}};
TUNER_TABLE entry entries[] = {{0, 0, {8}, {768}}};
TUNER_TABLE device architectures[] = {{"", 90, 1, 1024, 49152}};
TUNER_TABLE int config_count = 1;
TUNER_TABLE int device_count = 1;
TUNER_TABLE int entry_count = 1;
constexpr bool valid(const config&, const dims&, const device&) { return true; }
namespace detail {
struct names {
  constexpr names(const config&, const dims&, const device&) {}
};
constexpr bool serves(const names&, const device&) { return true; }
}  // namespace detail
)";

// What a launcher writes of the maps' expressions.
constexpr const char* kMapNumbers = R"(
namespace detail {
struct map_numbers {
  CUtensorMapDataType type;
  unsigned element;
  int rank;
  num extents[5];
  num box[5];
  num swizzle;
};
}  // namespace detail
)";

std::string numbers_and_choice() {
  return "namespace detail {\n" + part(kNumbers) + part("choice.hpp") + "}\n";
}

void expect_compiles(const std::string& text, const std::string& options = "") {
  const HeaderFolder folder("");
  folder.write("part.cpp", text);
  const CommandOutput done = folder.run("g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror " +
                                        options + " -fsyntax-only part.cpp");
  EXPECT_EQ(done.status, 0) << done.text;
}

TEST(EmbeddedText, AreEmbeddedAsTheyAre) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolders[0])) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(embedded_text(name), text_of(name)) << name;
  }
  EXPECT_EQ(embedded_text(kNumbers), text_of(kNumbers));
  EXPECT_EQ(embedded_text("none.hpp"), "");
}

TEST(EmbeddedText, AWordIsTheLongestThatIsKnown) {
  const Filling with{{{"A", "1"}, {"A_B", "2"}}};
  EXPECT_EQ(filled("TUNER_A TUNER_A_B TUNER_A_C TUNER_A_ TUNER_Ax TUNER_AB TUNER_\n", with),
            "1 2 1_C 1_ 1x TUNER_AB TUNER_\n");
}

TEST(EmbeddedText, WhatIsFilledInIsNotLookedAtAgain) {
  const Filling with{{{"A", "TUNER_B\n//each L\n"}, {"B", "2"}}};
  EXPECT_EQ(filled("TUNER_A\n", with), "TUNER_B\n//each L\n\n");
}

TEST(EmbeddedText, ItemsHaveTheWordsAroundThemToo) {
  const Filling with{{{"A", "out"}, {"B", "b"}},
                     {{"L", {{{{"A", "1"}}}, {{{"A", "2"}}, {{"M", {{}}}}}}}}};
  EXPECT_EQ(
      filled("//each L\nTUNER_A TUNER_B\n//each M\nin TUNER_A\n//end\n//end\nTUNER_A\n", with),
      "1 b\n2 b\nin 2\nout\n");
}

TEST(EmbeddedText, ASectionIsThereWhereItsNameIsNotEmpty) {
  const std::string text = "//if A\nyes\n//if B\nboth\n//end\n//else\nno\n//end\n";
  EXPECT_EQ(filled(text, {}), "no\n");
  EXPECT_EQ(filled(text, {{{"A", ""}, {"B", "x"}}}), "no\n");
  EXPECT_EQ(filled(text, {{{"A", "x"}}, {{"B", {{}}}}}), "yes\nboth\n");
}

TEST(EmbeddedText, ABackslashJoinsLines) {
  EXPECT_EQ(filled("{\\\n//each L\n TUNER_A,\\\n//end\n};\n",
                   {{}, {{"L", {{{{"A", "1"}}}, {{{"A", "2"}}}}}}}),
            "{ 1, 2,};\n");
}

TEST(EmbeddedText, NumbersAndChoicesCompileAlone) {
  expect_compiles(std::string(kTypes) + numbers_and_choice() + "}\n");
}

TEST(EmbeddedText, TheSelectionCompilesAloneAndSelectsAtCompileTime) {
  const Filling one_size{{{"POSITIVE", "d.n > 0"},
                          {"DIMENSIONS", "1"},
                          {"LOGS", "lg256(d.n)"},
                          {"DISTANCE", "square(logs[0] - lg[0])"},
                          {"SAME", "size.n == d.n"},
                          {"UNIT", "1.0"}}};
  expect_compiles(std::string(kTypes) + numbers_and_choice() + part("selection.hpp", one_size) +
                  "static_assert(best<90, 8>.how == match::exact);\n"
                  "static_assert(best<90, 9>.how == match::near_size);\n}\n");
}

TEST(EmbeddedText, ThePartsOfALauncherCompileAlone) {
  const char* home = std::getenv("CUDA_HOME");
  const std::string toolkit = home != nullptr ? home : "/usr/local/cuda";
  if (!std::filesystem::exists(toolkit + "/include/cuda_runtime.h")) {
    GTEST_SKIP() << "no CUDA toolkit: set CUDA_HOME";
  }
  std::string headers = "#include <cuda_runtime.h>\n#include <cuda.h>\n";
  for (const char* one : {"algorithm", "array", "cstdint", "cstdio", "iterator", "map", "memory",
                          "mutex", "type_traits", "vector"}) {
    headers += std::string("#include <") + one + ">\n";
  }
  const Filling with{{{"SPACE", "tuned"}, {"KERNELS", "2"}, {"VARIANTS", "2"}, {"CONSTANTS", "1"}}};
  std::string parts = headers + kTypes +
                      "template <class P> constexpr device device_from(const P&) { return {}; }\n" +
                      numbers_and_choice() + part("attributes.hpp") + kMapNumbers + "}\n";
  for (const char* one : {"state", "attributes", "scratch", "number", "maps", "captures",
                          "workspaces", "constants"}) {
    parts += part("launcher_" + std::string(one) + ".hpp", with);
  }
  expect_compiles(parts + "}\n}\n", "-Wno-unused-function -isystem " + toolkit + "/include");
}

}  // namespace
}  // namespace tuner
