#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "tests/unit/cpu/variant.h"
#include "tuner/plugins/cpu/host_compiler.h"

namespace tuner::cpu {
namespace {

// A folder of this test's own for temporary files: other programs use the common one too.
class OwnTemporaryFolder {
 public:
  OwnTemporaryFolder() {
    const char* before = std::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  ~OwnTemporaryFolder() {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }
  OwnTemporaryFolder(const OwnTemporaryFolder&) = delete;
  OwnTemporaryFolder& operator=(const OwnTemporaryFolder&) = delete;

  std::set<std::string> entries() const {
    std::set<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().filename() != kScratchMarker) out.insert(entry.path().string());
    }
    return out;
  }

 private:
  ScratchDirectory folder_;
  std::optional<std::string> before_;
};

TEST(Compile, ErrorsPointAtTheSourcesOwnLine) {
  auto request =
      request_for("// one\n__device__ int f(int x) { return x; }\n\nint g = undeclared;\n");
  request.source_name = "folder/my kernel.cu";
  request.defines = {{"A", "1"}, {"B", "2"}};
  const auto result = compiled(request);
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("folder/my kernel.cu:4:9: error:"), std::string::npos) << result.log;
}

TEST(Compile, KnowsWhatNvccKnowsWithoutAnInclude) {
  const auto result = compiled(request_for(
      "extern \"C\" __global__ void kernel(uint* y, const ulong a, uint8_t* b, ushort c) {\n"
      "  uint64_t z = INT_MAX; std::size_t n = 3; u_int8_t q = 1;\n"
      "  y[0] = (INFINITY > 1) + std::sqrt(2.f) + M_PI + std::is_same<int, int>::value;\n"
      "  y[1] = z + n + q + a + b[0] + c + UINT32_MAX;\n}\n"
      "void host() { FILE* file = nullptr; (void)file; }\n"));
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST(Compile, AnEntryThatIsNotThereIsSaidSo) {
  const auto result = compiled(request_for("__global__ void other() {}", "missing"));
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("missing"), std::string::npos);
  EXPECT_NE(result.log.find("entry:1"), std::string::npos) << result.log;
}

TEST(Compile, WhatTheHeaderDoesNotDeclareIsRejected) {
  for (const char* body :
       {"__half x;", "cudaMalloc(0, 1);", "not_there();", "asm volatile(\"elect.sync _, 1;\");"}) {
    const auto result =
        compiled(request_for("extern \"C\" __global__ void kernel() {" + std::string(body) + "}"));
    EXPECT_FALSE(result.compiled) << body;
    EXPECT_FALSE(result.log.empty()) << body;
  }
}

TEST(Compile, FunctionsThatAreOnlyDeclaredFailInTheLog) {
  const auto result = compiled(request_for(
      "__device__ void elsewhere(); extern \"C\" __global__ void kernel() { elsewhere(); }"));
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("elsewhere"), std::string::npos) << result.log;
}

TEST(Compile, DefinitionsMayBeStringsAndAnyText) {
  auto request = request_for(R"(
extern "C" __global__ void kernel(char* out) {
  const char* text = TEXT;
  for (int i = 0; text[i]; ++i) out[i] = text[i];
  out[9] = ADD(FROM_OPTION, x) + FLAG;
})");
  request.defines = {{"TEXT", "\"a b'$c\\\\;\""}, {"x", "3"}, {"ADD(a, b)", "(a + b)"}};
  request.options = {"-DFROM_OPTION=4", "--define-macro=FLAG"};
  Variant variant(request);
  Buffer<char> out{std::vector<char>(10)};
  variant.run({1, 1}, out);
  EXPECT_STREQ(out.values.data(), "a b'$c\\;");
  EXPECT_EQ(out.values[9], 8);
}

TEST(Compile, IncludeDirectoriesAreSearchedForHeadersThatMayIncludeStreams) {
  const ScratchDirectory folder;
  std::ofstream(folder.path() / "part.cuh")
      << "#include <iostream>\n__device__ int part() { return 5; }\n"
         "inline void say(int n) { std::cout << n << std::endl; }\n";
  auto request = request_for(
      "#include \"part.cuh\"\nextern \"C\" __global__ void kernel(int* o) { *o = part(); }");
  request.include_dirs = {folder.path().string()};
  EXPECT_EQ(answer_of(request), 5);
}

TEST(Compile, OptionsAreTranslatedOrNamed) {
  const auto options = translate_options({"--use_fast_math", "-std=c++20", "--maxrregcount=64",
                                          "-I", "a b", "-DX", "-lineinfo", "--fmad=false"});
  EXPECT_EQ(options.arguments,
            (std::vector<std::string>{"-ffast-math", "-fno-finite-math-only", "-std=c++20", "-Ia b",
                                      "-ffp-contract=off"}));
  EXPECT_EQ(options.defines, (decltype(options.defines){{"X", "1"}}));
  EXPECT_EQ(options.dropped, (std::vector<std::string>{"--maxrregcount=64", "-lineinfo"}));
  auto request = request_for("extern \"C\" __global__ void kernel() {}");
  request.options = {"--maxrregcount=64"};
  const auto result = compiled(request);
  EXPECT_TRUE(result.compiled);
  EXPECT_NE(result.log.find("--maxrregcount=64"), std::string::npos) << result.log;
}

TEST(Compile, TheFeatureMacrosSayWhatIsThere) {
  const int answer = answer_of(request_for(R"(
extern "C" __global__ void kernel(int* out) {
#if defined(TUNER_CPU) && defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 800
  *out = 1;
#endif
}
// The guide's substitute for devices that lack it.
__device__ double atomicAdd(double* address, double value) { return *address += value; }
)"));
  EXPECT_EQ(answer, 1);
}

TEST(Compile, HeadersThatSourcesIncludeOutOfHabitAreThere) {
  const int answer = answer_of(request_for(R"(
#include <assert.h>
#include <cuda_runtime.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <type_traits>
#include <utility>
extern "C" __global__ void kernel(int* out) {
  static_assert(std::is_same_v<std::decay_t<const int[3]>, const int*>);
  const clock_t began = clock();
  const std::array<float, 2> both{std::sqrt(4.0f), std::max(1.0f, 2.0f)};
  uint32_t here = INT_MAX == std::numeric_limits<int>::max() ? 1u : 0u;
  if (clock() < began) here = 0;
  printf("%d\n", int(here));
  assert(fmaxf(both[0], both[1]) < FLT_MAX);
  *out = int(here) + int(both[0] + both[1]);
}
)"));
  EXPECT_EQ(answer, 5);
}

TEST(Compile, LeavesNoTemporaryFilesBehind) {
  const OwnTemporaryFolder folder;
  compiled(request_for("extern \"C\" __global__ void kernel() {}"));
  compiled(request_for("error"));
  EXPECT_EQ(folder.entries(), std::set<std::string>());
}

// Deep template recursion keeps the compiler busy for long enough to kill its parent meanwhile.
TEST(Compile, TheCompilerDiesWithItsWorker) {
  const OwnTemporaryFolder folder;
  const pid_t worker = fork();
  if (worker == 0) {
    CpuCompiler compiler;
    compiler.compile(request_for(
        "constexpr int slow(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i % 3; return s; }"
        "template <int N> struct T { static constexpr int v = slow(200000 + N) + T<N - 1>::v; };"
        "template <> struct T<0> { static constexpr int v = 0; };"
        "extern \"C\" __global__ void kernel(int* o) { *o = T<800>::v; }"));
    _exit(0);
  }
  const auto is_compiling = [&] {
    for (const std::string& directory : folder.entries()) {
      if (std::filesystem::exists(directory + "/compiler.log")) return true;
    }
    return false;
  };
  const auto wait_for = [](const auto& condition) {
    for (int i = 0; i < 30000 && !condition(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return condition();
  };
  ASSERT_TRUE(wait_for(is_compiling));
  int status = 0;
  ASSERT_EQ(waitpid(worker, &status, WNOHANG), 0) << "the compiler was too fast for this test";
  kill(worker, SIGKILL);
  waitpid(worker, &status, 0);
  // The directory goes last, after the compiler was killed and reaped.
  EXPECT_TRUE(wait_for([&] { return folder.entries().empty(); }));
}

// A folder that looks as if nobody had used it for an hour.
void make_old_folder(const std::filesystem::path& path, const std::string& marker) {
  std::filesystem::create_directory(path);
  std::ofstream(path / "variant.cpp") << "x";
  if (!marker.empty()) std::ofstream(path / kScratchMarker) << marker;
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
}

TEST(Compile, WhatKilledWorkersLeftIsRemovedAndWhatIsInUseIsNot) {
  namespace fs = std::filesystem;
  const OwnTemporaryFolder folder;
  const ScratchDirectory in_use;
  const fs::path temporary = fs::temp_directory_path();
  make_old_folder(temporary / "tuner-cpu-a1B2c3", scratch_marker_text("tuner-cpu-a1B2c3"));
  fs::last_write_time(in_use.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  CpuCompiler compiler;
  EXPECT_EQ(folder.entries(), std::set<std::string>{in_use.path().string()});
}

TEST(Compile, FoldersThatOnlyLookLikeItsOwnAreLeftAlone) {
  namespace fs = std::filesystem;
  const OwnTemporaryFolder folder;
  const fs::path temporary = fs::temp_directory_path();
  make_old_folder(temporary / "another-program", "");
  make_old_folder(temporary / "tuner-cpu-myproject", scratch_marker_text("tuner-cpu-myproject"));
  make_old_folder(temporary / "tuner-cpu-result", "");  // six characters, made by somebody else
  make_old_folder(temporary / "tuner-cpu-a.b.c.", scratch_marker_text("tuner-cpu-a.b.c."));
  make_old_folder(temporary / "tuner-cpu-copied", scratch_marker_text("tuner-cpu-a1B2c3"));
  make_old_folder(temporary / "tuner-cpu-longer", scratch_marker_text("tuner-cpu-longer") + "x");
  make_old_folder(temporary / "target", scratch_marker_text("tuner-cpu-linked"));
  fs::create_directory_symlink(temporary / "target", temporary / "tuner-cpu-linked");
  make_old_folder(temporary / "tuner-cpu-marked", "");
  std::ofstream(temporary / "text") << scratch_marker_text("tuner-cpu-marked");
  fs::create_symlink(temporary / "text", temporary / "tuner-cpu-marked" / kScratchMarker);
  fs::last_write_time(temporary / "tuner-cpu-marked",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto before = folder.entries();
  remove_abandoned_scratch();
  EXPECT_EQ(folder.entries(), before);
  EXPECT_TRUE(fs::exists(temporary / "tuner-cpu-result" / "variant.cpp"));
}

TEST(Compile, AnEmptyVariableForTemporaryFilesCountsAsUnset) {
  const ScratchDirectory other;
  const OwnTemporaryFolder folder;
  setenv("TMPDIR", "", 1);
  setenv("TMP", other.path().c_str(), 1);
  EXPECT_EQ(ScratchDirectory().path().parent_path(), other.path());
  unsetenv("TMP");
}

TEST(Compile, FoldersOfOtherUsersAreLeftAloneEvenByRoot) {
  namespace fs = std::filesystem;
  if (geteuid() != 0) GTEST_SKIP() << "only root can make such a folder";
  const OwnTemporaryFolder folder;
  const fs::path theirs = fs::temp_directory_path() / "tuner-cpu-a1B2c3";
  make_old_folder(theirs, scratch_marker_text("tuner-cpu-a1B2c3"));
  ASSERT_EQ(chown(theirs.c_str(), 12345, 12345), 0);
  remove_abandoned_scratch();
  EXPECT_TRUE(fs::exists(theirs));
}

TEST(Compile, IdentityNamesTheCompilerAndIsStable) {
  CpuCompiler one;
  CpuCompiler other;
  EXPECT_EQ(one.identity(), other.identity());
  EXPECT_NE(one.identity().find("++"), std::string::npos) << one.identity();
}

// They would cost each variant more time than all the rest of its compilation.
TEST(Compile, AVariantReadsNoStandardHeaders) {
  const auto result = compiled(
      request_for("#if defined(__GLIBC__) || defined(_GLIBCXX_RELEASE)\n#error read\n#endif\n"
                  "extern \"C\" __global__ void kernel(int* o) { *o = 1; }"));
  EXPECT_TRUE(result.compiled) << result.log;
}

}  // namespace
}  // namespace tuner::cpu
