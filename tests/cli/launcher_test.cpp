// Functions of the host as variants: right, wrong, failing and crashing ones.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "program.h"

namespace tuner::cli {
namespace {

constexpr const char* kSortSource = R"(
#include <algorithm>
#include <stdexcept>
#include <vector>
extern "C" int sort_keys(const float* in, float* out, int n) {
  std::copy(in, in + n, out);
  if (TUNE_MODE == 1) return 7;
  if (TUNE_MODE == 2) throw std::runtime_error("no room");
  if (TUNE_MODE == 3) *(volatile int*)nullptr = 1;
  if (TUNE_MODE == 4) return 0;
  if (TUNE_MODE == 5) out[n] = 1;
  if (TUNE_MODE == 6) const_cast<float*>(in)[0] = 1;
  if (TUNE_MODE == 7) for (;;) out[0] += 1;
  std::sort(out, out + n);
  return 0;
}
extern "C" int sort_plain(const float* in, float* out, int n) {
  std::vector<float> all(in, in + n);
  std::stable_sort(all.begin(), all.end());
  std::copy(all.begin(), all.end(), out);
  return 0;
}
)";

constexpr const char* kSortStudy = R"yaml(schema: 1
launcher: {source: sort.cpp, entry: sort_keys}
problem_sizes: [{N: 1000}]
parameters: {MODE: [0, 1, 2, 3, 4, 5, 6, 7]}
arguments:
  - {name: in, type: float32, shape: [N], fill: {uniform: [-1, 1]}}
  - {name: out, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
reference: {entry: sort_plain}
search: {strategy: exhaustive}
measure: {min_samples: 3, max_samples: 3, finalists: 0}
)yaml";

TEST(Launcher, OnlyTheRightOneIsRankedAndTheOthersSayWhy) {
  const Sandbox sandbox;
  sandbox.write("sort.cpp", kSortSource);
  sandbox.write("sort.yaml", kSortStudy);
  const auto done = run_to(0, sandbox, {"run", "sort.yaml", "--backend", "cpu", "--timeout", "20"});
  std::map<std::string, std::pair<std::string, std::string>> rows;
  for (const auto& row : ranking_of(sandbox, "sort_keys")) {
    EXPECT_EQ(row.at("form"), "launcher");
    rows[row.at("MODE")] = {row.at("state"), row.at("message")};
  }
  EXPECT_EQ(rows["0"].first, "ok") << done.err;
  EXPECT_EQ(rows["1"], std::pair(std::string("runtime"), std::string("the launcher returned 7")));
  EXPECT_EQ(rows["2"],
            std::pair(std::string("runtime"), std::string("the launcher: it throws: no room")));
  EXPECT_EQ(rows["3"].first, "runtime");
  EXPECT_EQ(rows["4"].first, "correctness");
  EXPECT_EQ(rows["5"].first, "correctness");
  EXPECT_EQ(rows["6"].first, "correctness");
  EXPECT_EQ(rows["7"].first, "timeout");
  // Without the study, too.
  EXPECT_TRUE(says(run(sandbox, {"results"}).out, "\nlauncher: what is timed"));
  run_to(0, sandbox, {"export", "sort.yaml", "-o", "sort.h"});
  const auto launcher =
      run_to(2, sandbox, {"export", "sort.yaml", "--format", "launcher", "-o", "l"});
  EXPECT_TRUE(says(launcher.err, "this study's own launcher is what is tuned"));
}

// What a run says of a study that does not fit the function: `text` stands there instead of `part`.
std::string said_with(const std::string& part, const std::string& text) {
  const Sandbox sandbox;
  sandbox.write("sort.cpp", kSortSource);
  std::string study = kSortStudy;
  study.replace(study.find(part), part.size(), text);
  study.replace(study.find("[0, 1,"), std::string("[0, 1, 2, 3, 4, 5, 6, 7]").size(), "[0]");
  sandbox.write("sort.yaml", study);
  return run(sandbox, {"run", "sort.yaml", "--backend", "cpu"}).err;
}

TEST(Launcher, AnotherSignatureThanTheStudysIsSaid) {
  const std::string other_size = said_with("type: int32", "type: int64");
  EXPECT_TRUE(says(other_size, "argument 'n' has 8 bytes; the kernel takes 4"));
  const std::string too_few = said_with("  - {name: n, type: int32, value: N}\n", "");
  EXPECT_TRUE(says(too_few, "the kernel takes 3 arguments, not 2 (in, out)"));
}

// Makes lib<NAME>.so or .a in a folder of the sandbox, of a function that gives this number.
void make_library(const Sandbox& sandbox, const std::string& file, const std::string& function,
                  int number, const std::string& with = "") {
  const std::string c = sandbox
                            .write("made.c", "int " + function + "(void) { return " +
                                                 std::to_string(number) + "; }\n")
                            .string();
  const std::string out = sandbox.path(file).string();
  std::filesystem::create_directories(sandbox.path(file).parent_path());
  const std::string command = file.ends_with(".a")
                                  ? "cc -fPIC -c " + c + " -o " + out + ".o && rm -f " + out +
                                        " && ar rc " + out + " " + out + ".o"
                                  : "cc -shared -fPIC " + c + " -o " + out + " " + with;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

constexpr const char* kLinked = R"(extern "C" int mine();
extern "C" int fill(float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = 1;
  return mine() < 0;
}
)";

constexpr const char* kLinkedStudy = R"yaml(schema: 1
launcher: {source: fill.cpp, entry: fill, options: [-L., -Llib, -lmine]}
problem_sizes: [{N: 100}]
parameters: {X: [0]}
arguments: [{name: y, type: float32, shape: [N], role: out}, {name: n, type: int32, value: N}]
search: {strategy: exhaustive}
measure: {min_samples: 3, max_samples: 3, finalists: 0}
)yaml";

TEST(Launcher, AResultIsOfTheLibrariesThatItWasLinkedTo) {
  const Sandbox sandbox;
  sandbox.write("fill.cpp", kLinked);
  sandbox.write("fill.yaml", kLinkedStudy);
  const std::string before = std::getenv("LD_LIBRARY_PATH") ? std::getenv("LD_LIBRARY_PATH") : "";
  setenv("LD_LIBRARY_PATH", sandbox.path("lib").c_str(), 1);
  const std::vector<std::string> words{"run", "fill.yaml",  "--backend",
                                       "cpu", "--progress", "json"};
  const auto measured = [&] {
    return run_to(0, sandbox, words).err.find("\"from_store\":true") == std::string::npos;
  };
  make_library(sandbox, "lib/libdeep.so", "deep", 1);
  make_library(sandbox, "lib/libmine.so", "mine", 1,
               "-L" + sandbox.path("lib").string() + " -Wl,--no-as-needed -ldeep");
  EXPECT_TRUE(measured());
  EXPECT_FALSE(measured());
  make_library(sandbox, "lib/libdeep.so", "deep", 2);  // which libmine.so loads
  EXPECT_TRUE(measured());
  make_library(sandbox, "lib/libmine.so", "mine", 2);
  EXPECT_TRUE(measured());
  EXPECT_FALSE(measured());
  make_library(sandbox, "other/libmine.so", "mine", 3);
  setenv("LD_LIBRARY_PATH", sandbox.path("other").c_str(), 1);
  EXPECT_TRUE(measured());
  make_library(sandbox, "libmine.a", "mine", 4);  // found before
  EXPECT_TRUE(measured());
  EXPECT_FALSE(measured());
  make_library(sandbox, "libmine.a", "mine", 5);
  EXPECT_TRUE(measured());
  setenv("OMP_NUM_THREADS", "1", 1);
  EXPECT_TRUE(measured());
  unsetenv("OMP_NUM_THREADS");
  before.empty() ? unsetenv("LD_LIBRARY_PATH") : setenv("LD_LIBRARY_PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace tuner::cli
