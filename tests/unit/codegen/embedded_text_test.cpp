// The C++ files that exported headers and launchers are made of compile alone, given what goes
// before them, and are embedded as they are.

#include "tuner/codegen/embedded_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/unit/codegen/compiled.h"

namespace tuner {
namespace {

const std::filesystem::path kHouse = std::filesystem::path(TUNER_SOURCE_DIR) / "tuner";
const std::filesystem::path kFolders[] = {kHouse / "choice/cpp", kHouse / "codegen/cpp",
                                          kHouse / "expression"};

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

std::string included(const std::string& name) {
  return "#include \"" + path_of(name).string() + "\"\n";
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

constexpr const char* kRules = R"(
template <class P> constexpr device device_from(const P&) { return {}; }
constexpr selection select(const device&, const dims&) { return {}; }
constexpr extent grid_of(const config&, const dims&, const device&) { return {1, 1, 1}; }
constexpr extent block_of(const config&, const dims&, const device&) { return {1, 1, 1}; }
constexpr long long dynamic_shared_bytes_of(const config&, const dims&, const device&) { return 0; }
constexpr int variant_for(const selection&, const dims&) { return 0; }
constexpr const char* in_words(match) { return ""; }
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
  return "namespace detail {\n" + included(kNumbers) + included("choice.hpp") + "}\n";
}

void expect_compiles(const std::string& text, const std::string& options = "") {
  const HeaderFolder folder("");
  folder.write("part.cpp", text);
  const CommandOutput done = folder.run("g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror " +
                                        options + " -fsyntax-only part.cpp");
  EXPECT_EQ(done.status, 0) << done.text;
}

TEST(EmbeddedText, AreEmbeddedAsTheyAre) {
  const std::map<std::string, std::string_view> parts{
      {"choice.hpp", kChoiceText},
      {"attributes.hpp", kAttributesText},
      {"selection.hpp", kSelectionText},
      {"predicted.hpp", kPredictedText},
      {"predictors.hpp", kPredictorsText},
      {"launcher_state.hpp", kLauncherStateText},
      {"launcher_attributes.hpp", kLauncherAttributesText},
      {"launcher_scratch.hpp", kLauncherScratchText},
      {"launcher_number.hpp", kLauncherNumberText},
      {"launcher_plan.hpp", kLauncherPlanText},
      {"launcher_maps.hpp", kLauncherMapsText},
      {"launcher_captures.hpp", kLauncherCapturesText},
      {"launcher_stream_number.hpp", kLauncherStreamNumberText},
      {"launcher_workspaces.hpp", kLauncherWorkspacesText},
      {"launcher_constants.hpp", kLauncherConstantsText},
      {"opencl_launcher.hpp", kOpenClLauncherText}};
  std::size_t files = 0;
  for (const std::filesystem::path& folder : {kFolders[0], kFolders[1]}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      ASSERT_TRUE(parts.count(name) == 1) << name << " is not embedded";
      EXPECT_EQ(parts.at(name), text_of(name)) << name;
      ++files;
    }
  }
  EXPECT_EQ(files, parts.size());
  EXPECT_EQ(kNumbersText, text_of(kNumbers));
}

TEST(EmbeddedText, NumbersAndChoicesCompileAlone) {
  expect_compiles(std::string(kTypes) + numbers_and_choice() + "}\n");
}

TEST(EmbeddedText, TheSelectionCompilesAloneAndSelectsAtCompileTime) {
  expect_compiles(std::string(kTypes) + numbers_and_choice() +
                  "#define TUNER_FOUND const auto found = detail::nearest(q)\n"
                  "#define TUNER_SIZE_RULES static_assert(true, \"\")\n"
                  "#define TUNER_POSITIVE d.n > 0\n#define TUNER_DIMENSIONS 1\n"
                  "#define TUNER_LOGS lg256(d.n)\n"
                  "#define TUNER_DISTANCE square(logs[0] - lg[0])\n"
                  "#define TUNER_SAME size.n == d.n\n#define TUNER_UNIT 1.0\n"
                  "#define TUNER_PREDICTED static_assert(true, \"\")\n" +
                  included("selection.hpp") +
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
  expect_compiles(headers + kTypes + kRules + numbers_and_choice() + included("attributes.hpp") +
                      kMapNumbers + "}\n" + "#define TUNER_SPACE tuned\n#define TUNER_KERNELS 2\n" +
                      included("launcher_state.hpp") + included("launcher_attributes.hpp") +
                      included("launcher_scratch.hpp") + included("launcher_number.hpp") +
                      included("launcher_maps.hpp") + included("launcher_captures.hpp") +
                      included("launcher_stream_number.hpp") + "#define TUNER_NUMBER_OF\n" +
                      included("launcher_workspaces.hpp") +
                      "#define TUNER_VARIANTS 2\n#define TUNER_CONSTANTS 1\n" +
                      included("launcher_constants.hpp") +
                      "#define TUNER_PLAN_MEMBERS\n#define TUNER_PLAN_STEPS\n"
                      "#define TUNER_POSITIVE problem.n > 0\n"
                      "#define TUNER_SAME_SIZE one.problem.n == problem.n\n" +
                      included("launcher_plan.hpp") + "}\n}\n",
                  "-Wno-unused-function -isystem " + toolkit + "/include");
}

}  // namespace
}  // namespace tuner
