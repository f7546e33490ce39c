// NVRTC needs no GPU. Where the library is not installed these tests say so and are skipped.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include "tuner/plugins/cuda/device_kernels.h"
#include "tuner/plugins/cuda/nvrtc_compiler.h"

namespace tuner::cuda {
namespace {

namespace fs = std::filesystem;

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    try {
      compiler.emplace();
    } catch (const sdk::Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  static sdk::CompileRequest request(std::string source, std::string entry) {
    sdk::CompileRequest out;
    out.source = std::move(source);
    out.source_name = "k.cu";
    out.entry = std::move(entry);
    out.arch = "sm_90";
    return out;
  }
  std::optional<NvrtcCompiler> compiler;
};

TEST_F(Nvrtc, CompilesTemplatesAndNamesTheirInstances) {
  const auto result = compiler->compile(
      request("template <typename T, int N> __global__ void k(T* a) {\n"
              "  __shared__ T s[N]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads();\n"
              "  a[threadIdx.x] = s[N - 1 - threadIdx.x];\n}\n",
              "k<float, 64>"));
  ASSERT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(result.entry, "_Z1kIfLi64EEvPT_");
  EXPECT_EQ(result.image.substr(1, 3), "ELF");
  EXPECT_EQ(result.resources.static_shared_bytes, 256);
  EXPECT_GT(result.resources.registers, 0);
  EXPECT_EQ(result.resources.spill_bytes, 0);
  EXPECT_EQ(result.log, "");
}

TEST_F(Nvrtc, KnowsWhatNvccKnowsWithoutAnInclude) {
  const auto result = compiler->compile(
      request("extern \"C\" __global__ void k(uint* y, const ulong a, uint8_t* b, ushort c) {\n"
              "  uint64_t z = INT_MAX; std::size_t n = 3; u_int8_t q = 1;\n"
              "  y[0] = (INFINITY > 1) + std::sqrt(2.f) + M_PI + std::is_same<int, int>::value;\n"
              "  y[1] = z + n + q + a + b[0] + c + UINT32_MAX;\n}\n",
              "k"));
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST_F(Nvrtc, ASourceMayDefineSuchNamesInItsOwnWay) {
  const auto result = compiler->compile(
      request("typedef unsigned long uint64_t;\nstruct uint { int x; };\n"
              "__device__ const float M_PI = 3;\n"
              "extern \"C\" __global__ void k(uint64_t* y, uint a) { y[0] = a.x + M_PI; }\n",
              "k"));
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST_F(Nvrtc, AFilesNameIsOneLine) {
  auto asked = request("extern \"C\" __global__ void k(int* y) { y[0] = missing; }\n", "k");
  asked.source_name = "a\ntouch x #.cu";
  EXPECT_NE(compiler->compile(asked).log.find("a?touch x #.cu(1)"), std::string::npos);
}

// A folder of headers.
class NvrtcFiles : public Nvrtc {
 protected:
  NvrtcFiles() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "other");
  }
  ~NvrtcFiles() override { fs::remove_all(root_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
  }
  // What is opened for a kernel behind `head`, by file name.
  std::set<std::string> opened(const std::string& head, bool compiles = true) {
    auto asked = request(head + "\n__global__ void k(int* a) { *a = VALUE; }\n", "k");
    asked.include_dirs = {root_.string(), (root_ / "other").string()};
    asked.options = {"-DNAME=\"named.h\""};
    const auto result = compiler->compile(asked);
    EXPECT_EQ(result.compiled, compiles) << result.log;
    EXPECT_TRUE(result.opened);
    std::set<std::string> names;
    for (const std::string& path : result.opened.value_or(std::vector<std::string>())) {
      names.insert(fs::path(path).filename().string());
    }
    return names;
  }

  fs::path root_ = fs::path(testing::TempDir()) / ("nvrtc_files_" + std::to_string(::getpid()));
};

using Names = std::set<std::string>;

TEST_F(NvrtcFiles, AHeaderMayBeginWithAByteOrderMark) {
  write("marked.h", "\xEF\xBB\xBF#define VALUE 1\n");
  EXPECT_EQ(opened("#include \"marked.h\""), Names{"marked.h"});
}

TEST_F(NvrtcFiles, TheCompilerSaysWhatItHasOpened) {
  write("a.h", "#include_next <a.h>\n");
  write("other/a.h", "#define VALUE 1\n");
  write("named.h", "#include \"a.h\"\n");
  EXPECT_EQ(opened("#define VALUE 2"), Names{});
  EXPECT_EQ(opened("#include NAME"), (Names{"named.h", "a.h"}));
  EXPECT_EQ(opened("#include NAME"), (Names{"named.h", "a.h"}));  // nothing is kept by NVRTC
  EXPECT_EQ(opened("/* */ # /**/ include <a.h>"), Names{"a.h"});
}

TEST_F(NvrtcFiles, AlsoOfWhatDoesNotCompile) {
  write("a.h", "#error no\n#define VALUE 1\n");
  EXPECT_EQ(opened("#include \"a.h\"", false), Names{"a.h"});
}

TEST_F(Nvrtc, TheEnvironmentAddsNoOptions) {
  ::setenv("NVRTC_APPEND_FLAGS", "-DVALUE=1", 1);
  const auto asked = request("__global__ void k(int* a) { *a = VALUE; }\n", "k");
  EXPECT_FALSE(NvrtcCompiler().compile(asked).compiled);
  ::unsetenv("NVRTC_APPEND_FLAGS");
}

TEST_F(NvrtcFiles, TheToolkitsHeadersAreTheCompilersOwn) {
  if (toolkit_includes(load_nvrtc()).empty()) GTEST_SKIP() << "no toolkit beside NVRTC";
  EXPECT_EQ(opened("#include <cuda_fp16.h>\n#define VALUE 1"), Names{});
}

// What a kernel out of a program includes, beside a parameter whose macro has one letter.
const char* const kHabits =
    "#include <math.h>\n#include <cmath>\n#include <stdint.h>\n#include <cstdint>\n"
    "#include <stdio.h>\n#include <cstdio>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <assert.h>\n#include <time.h>\n#include <float.h>\n#include <climits>\n"
    "#include <cstddef>\n#include <type_traits>\n#include <limits>\n#include <utility>\n"
    "#include <algorithm>\n#include <functional>\n#include <array>\n#include <cuda_runtime.h>\n"
    "#include <device_launch_parameters.h>\n";

const char* const kUsesThem =
    "static_assert(std::is_same_v<std::decay_t<const int[3]>, const int*>);\n"
    "static_assert(std::is_convertible_v<int, float> && !std::is_convertible_v<int*, float>);\n"
    "static_assert(std::is_signed_v<int> && std::is_unsigned_v<uint64_t>);\n"
    "static_assert(std::numeric_limits<int>::max() == INT_MAX && sizeof(std::int64_t) == 8);\n"
    "static_assert(std::numeric_limits<float>::lowest() == -FLT_MAX);\n"
    "static_assert(std::max(1, 2) == 2 && std::make_index_sequence<3>::size() == 3);\n"
    "constexpr float infinite = INFINITY;\n"
    "template <class U, std::enable_if_t<std::is_floating_point<U>::value, int> = 0>\n"
    "__device__ U twice(U u) { return u + u; }\n"
    "__global__ void k(float* a) {\n"
    "  const uint32_t i = blockIdx.x * B + threadIdx.x;\n"
    "  std::array<float, 2> both{1, 2};\n"
    "  a[i] = std::sqrt(a[i]) + twice(a[i]) + both[1] + float(M_PI) + std::fmin(a[i], infinite);\n"
    "  if (std::isnan(a[i])) a[i] = std::plus<float>()(a[i], NAN);\n"
    "  printf(\"%d\\n\", int(i));\n"
    "  assert(a[i] > 0);\n"
    "  std::swap(a[i], both[0]);\n"
    "}\n";

TEST_F(Nvrtc, CompilesWhatIncludesTheHeadersOfTheHostsLibraries) {
  auto asked = request(std::string(kHabits) + kUsesThem, "k");
  asked.defines = {{"B", "32"}};
  const auto result = compiler->compile(asked);
  EXPECT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(result.log, "");
  EXPECT_EQ(result.opened, std::vector<std::string>{});
}

TEST_F(Nvrtc, StandInsGoWithTheToolkitsOwnLibraryInEitherOrder) {
  if (toolkit_includes(load_nvrtc()).empty()) GTEST_SKIP() << "no toolkit beside NVRTC";
  const std::string toolkits =
      "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n#include <cuda/std/cstdint>\n"
      "#include <cuda/std/limits>\n#include <cuda/std/cfloat>\n#include <cuda/std/cstddef>\n"
      "#include <cuda/std/ctime>\n#include <tuple>\n";
  for (const std::string& source : {kHabits + toolkits, toolkits + kHabits}) {
    auto asked = request(source + kUsesThem + "using Both = std::tuple<int, float>;\n", "k");
    asked.defines = {{"B", "32"}};
    const auto result = compiler->compile(asked);
    EXPECT_TRUE(result.compiled) << result.log;
  }
}

TEST_F(NvrtcFiles, AHeaderOfTheUsersIsNoStandIn) {
  write("math.h", "#define VALUE 1\n");
  EXPECT_EQ(opened("#include <math.h>"), Names{"math.h"});
  EXPECT_EQ(opened("#include \"math.h\""), Names{"math.h"});
}

TEST_F(NvrtcFiles, UnmarkedFunctionsAreDeviceCodeWhereTheyWouldBeAnError) {
  write("helper.h", "inline int helper(int a) { return a + 1; }\nint counter = 0;\n");
  EXPECT_EQ(opened("#include \"helper.h\"\n"
                   "constexpr int twice(int a) { return 2 * a; }\n"
                   "struct Pair { int a; int sum() const { return a + helper(a); } };\n"
                   "#define VALUE (Pair{twice(2)}.sum())"),
            Names{"helper.h"});
}

TEST_F(Nvrtc, SaysWhatToDoAboutAHeaderThatIsNotThere) {
  const auto result =
      compiler->compile(request("#include <nothing>\n__global__ void k() {}\n", "k"));
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("cannot open source file \"nothing\""), std::string::npos)
      << result.log;
  EXPECT_NE(result.log.find("note: 'nothing' is neither beside the source nor in the study's "
                            "'include_dirs'. NVRTC compiles device code only; of the C++ library "
                            "there are cstdint, climits, "),
            std::string::npos)
      << result.log;
  EXPECT_EQ(result.log.find("iostream"), std::string::npos) << result.log;  // it has no contents
  EXPECT_NE(result.log.find("#ifndef __CUDACC_RTC__."), std::string::npos) << result.log;
}

TEST_F(Nvrtc, HeadersOfTheHostDoNotStopIt) {
  const auto result = compiler->compile(request(
      "#include <iostream>\n#include <sys/stat.h>\n#include <cudnn.h>\n__global__ void k() {}\n",
      "k"));
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST_F(Nvrtc, LibrariesThatHostCodeCallsAreTypesOnly) {
  if (toolkit_includes(load_nvrtc()).empty()) GTEST_SKIP() << "left out: there is no toolkit";
  const auto result = compiler->compile(
      request("#include <cublas_v2.h>\n#include <cufft.h>\n"
              "__global__ void k(__nv_bfloat16* a, cufftComplex* b) { b->x = *a; }\n",
              "k"));
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST_F(Nvrtc, AnEntryThatIsNotThereIsNamedSo) {
  const auto result = compiler->compile(request("__global__ void k() {}\n", "other"));
  EXPECT_TRUE(result.log.starts_with("entry(1): error: identifier \"other\" is undefined"))
      << result.log;
}

TEST_F(Nvrtc, FindsKernelsWithAndWithoutCLinkage) {
  const std::string source =
      "extern \"C\" __global__ void plain(int* a) { *a = 1; }\n"
      "__global__ void mangled(int* a) { *a = 2; }\n"
      "namespace n { __global__ void inner(int* a) { *a = 3; } }\n";
  EXPECT_EQ(compiler->compile(request(source, "plain")).entry, "plain");
  EXPECT_EQ(compiler->compile(request(source, "mangled")).entry, "_Z7mangledPi");
  EXPECT_EQ(compiler->compile(request(source, "n::inner")).entry, "_ZN1n5innerEPi");
}

TEST_F(Nvrtc, KeepsTheKernelsThatFollow) {
  auto asked = request(
      "template <int N> __global__ void part(float* a) { a[threadIdx.x] = N; }\n"
      "static __global__ void __launch_bounds__(64) finish(float* a) {\n"
      "  __shared__ float s[64]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads();\n"
      "  a[0] = s[63 - threadIdx.x];\n}\n",
      "part<1>");
  asked.next_entries = {"finish", "part<2>", "part<1>", "finish"};
  const auto result = compiler->compile(asked);
  ASSERT_TRUE(result.compiled) << result.log;
  ASSERT_EQ(result.next.size(), 4U);
  EXPECT_NE(result.next[0].entry.find("finish"), std::string::npos);
  EXPECT_EQ(result.next[0].resources.static_shared_bytes, 256);
  EXPECT_EQ(result.next[1].entry, "_Z4partILi2EEvPf");
  EXPECT_GT(result.next[1].resources.registers, 0);
  EXPECT_EQ(result.next[2].entry, result.entry);
  for (const auto& one : result.next) {
    EXPECT_NE(result.image.find(one.entry), std::string::npos) << one.entry;
  }
  asked.next_entries = {"nowhere"};
  const auto missing = compiler->compile(asked);
  EXPECT_FALSE(missing.compiled);
  EXPECT_NE(missing.log.find("nowhere"), std::string::npos) << missing.log;
}

TEST_F(Nvrtc, PassesDefinitionsOptionsAndIncludeDirectories) {
  std::string folder = testing::TempDir() + "tuner-nvrtc-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/tuner_nvrtc_test.h") << "#define FROM_HEADER 5\n";
  auto r = request(
      "#include \"tuner_nvrtc_test.h\"\n"
      "static_assert(BM == 64 && FROM_HEADER == 5 && sizeof(TYPE) == 8 && OPTION == 3, \"\");\n"
      "__global__ void k() {}\n",
      "k");
  r.defines = {{"BM", "64"}, {"TYPE", "unsigned long long"}};
  r.options = {"-DOPTION=3", "--use_fast_math"};
  r.include_dirs = {folder};
  const auto result = compiler->compile(r);
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(result.compiled) << result.log;
}

// sm_90a has instructions that sm_90 lacks, and a study says when it needs them.
TEST_F(Nvrtc, AnArchitectureAmongTheOptionsReplacesTheDevices) {
  auto r = request(
      "__global__ void k() { asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); }\n", "k");
  EXPECT_FALSE(compiler->compile(r).compiled);
  r.options = {"--gpu-architecture=sm_90a"};
  const auto result = compiler->compile(r);
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST_F(Nvrtc, LowersConstantSymbols) {
  auto r = request(
      "__constant__ float table[16];\nnamespace n { __constant__ int scale; }\n"
      "__global__ void k(float* a) { a[threadIdx.x] *= table[threadIdx.x] * n::scale; }\n",
      "k");
  r.symbols = {"table", "n::scale"};
  const auto result = compiler->compile(r);
  ASSERT_TRUE(result.compiled) << result.log;
  ASSERT_EQ(result.symbols.size(), 2U);
  EXPECT_EQ(result.symbols[0], (std::pair<std::string, std::string>("table", "table")));
  EXPECT_EQ(result.symbols[1].second, "_ZN1n5scaleE");
}

TEST_F(Nvrtc, ReportsErrorsWithPlaceAndWithoutPtxasLines) {
  const auto result = compiler->compile(request("__global__ void k() { int x = y; }\n", "k"));
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("k.cu(1): error: identifier \"y\" is undefined"), std::string::npos)
      << result.log;
  EXPECT_EQ(result.log.find("ptxas info"), std::string::npos);
}

// Neither code of the host, which compiles as device code if it has to, nor a warning is to blame.
TEST_F(Nvrtc, ReportsWhatTheAssemblerRefuses) {
  for (const std::string before : {"", "int twice(int x) { return 2 * x; }\n",
                                   "__device__ void warns() { int unused = 0; }\n"}) {
    const auto result = compiler->compile(request(
        before + "__global__ void k() {\n"
                 "  __shared__ volatile float large[100000];\n  large[threadIdx.x] = 0;\n}\n",
        "k"));
    EXPECT_FALSE(result.compiled);
    EXPECT_NE(result.log.find("uses too much shared data"), std::string::npos) << result.log;
  }
}

TEST_F(Nvrtc, ReportsAKernelThatIsNotThere) {
  const auto result = compiler->compile(request("__global__ void k() {}\n", "nowhere"));
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("nowhere"), std::string::npos) << result.log;
}

TEST_F(Nvrtc, ReportsAnArchitectureThatItDoesNotKnow) {
  auto r = request("__global__ void k() {}\n", "k");
  r.arch = "sm_1";
  const auto result = compiler->compile(r);
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("gpu-architecture"), std::string::npos) << result.log;
}

TEST_F(Nvrtc, CountsSpills) {
  const auto result = compiler->compile(
      request("__global__ void __launch_bounds__(1024, 2) k(double* a) {\n"
              "  double v[32];\n#pragma unroll\n  for (int i = 0; i < 32; ++i) v[i] = a[i];\n"
              "  __syncthreads();\n#pragma unroll\n"
              "  for (int i = 0; i < 32; ++i) a[i] = v[i] * v[(i * 7 + 1) % 32];\n}\n",
              "k"));
  ASSERT_TRUE(result.compiled) << result.log;
  EXPECT_LE(result.resources.registers, 32);
  EXPECT_GT(result.resources.spill_bytes, 0);
}

TEST_F(Nvrtc, KeepsWarnings) {
  const auto result = compiler->compile(request("__global__ void k() { int unused_one; }\n", "k"));
  ASSERT_TRUE(result.compiled) << result.log;
  EXPECT_NE(result.log.find("unused_one"), std::string::npos) << result.log;
}

TEST_F(Nvrtc, ToolkitHeadersAreFoundWhereThereIsAToolkit) {
  const auto includes = toolkit_includes(load_nvrtc());
  if (includes.empty()) GTEST_SKIP() << "NVRTC is here without a toolkit";
  const auto result =
      compiler->compile(request("#include <cuda_fp16.h>\n"
                                "__global__ void k(__half* a) { a[0] = __hadd(a[0], a[1]); }\n",
                                "k"));
  EXPECT_TRUE(result.compiled) << result.log;
}

TEST_F(Nvrtc, IdentityNamesTheVersion) {
  EXPECT_EQ(compiler->identity().rfind("nvrtc 1", 0), 0U) << compiler->identity();
  EXPECT_EQ(compiler->identity(), NvrtcCompiler().identity());
}

TEST_F(Nvrtc, TheDeviceKernelsCompile) {
  for (const char* arch : {"sm_80", "sm_90"}) {
    EXPECT_EQ(compile_device_source(arch).substr(1, 3), "ELF") << arch;
  }
}

// ---- headers that all variants include ----------------------------------------------------------

// Writes as many headers as make a preamble worth it, behind "all.h".
class NvrtcPreamble : public NvrtcFiles {
 protected:
  void SetUp() override {
    NvrtcFiles::SetUp();
    if (!IsSkipped() && load_nvrtc().get_pch_create_status == nullptr) {
      GTEST_SKIP() << "this NVRTC precompiles nothing";
    }
    std::string all = "#pragma once\n";
    for (int i = 0; i < 80; ++i) {
      write("h" + std::to_string(i) + ".h", "__device__ int f" + std::to_string(i) + "(int x);\n");
      all += "#include \"h" + std::to_string(i) + ".h\"\n";
    }
    write("all.h", all + "template <int W> __device__ int twice() { return 2 * W; }\n");
  }
  sdk::CompileRequest variant(const std::string& head, int value) const {
    auto asked =
        request(head + "__global__ void k(int* a) { *a = twice<TILE>() + __LINE__; }\n", "k");
    asked.include_dirs = {root_.string()};
    asked.defines = {{"TILE", std::to_string(value)}};
    return asked;
  }
  // Precompiled headers that this process holds.
  static std::ptrdiff_t held() {
    const fs::directory_iterator files("/proc/self/fd");
    return std::ranges::count_if(files, [](const fs::directory_entry& one) {
      std::error_code ignored;
      return fs::read_symlink(one.path(), ignored).string().find("preamble.pch") !=
             std::string::npos;
    });
  }
  // Compiles three variants one after the other, and each by a compiler that has seen no other.
  void expect_as_alone(const std::string& head, std::ptrdiff_t preambles) {
    for (const int value : {16, 32, 64}) {
      const auto now = compiler->compile(variant(head, value));
      ASSERT_TRUE(now.compiled) << now.log;
      const auto alone = NvrtcCompiler().compile(variant(head, value));
      EXPECT_EQ(now.image, alone.image) << value;
      EXPECT_EQ(now.log, alone.log);
      EXPECT_EQ(now.resources.registers, alone.resources.registers);
      const auto in_order = [](const sdk::CompileResult& one) {
        return std::set<std::string>(one.opened->begin(), one.opened->end());
      };
      EXPECT_EQ(in_order(now), in_order(alone));
    }
    EXPECT_EQ(held(), preambles);
  }
};

TEST_F(NvrtcPreamble, VariantsBehindOneAreWhatTheyAreAlone) {
  expect_as_alone("// a kernel\n#include \"all.h\"\n\n", 1);
  compiler.reset();
  EXPECT_EQ(held(), 0);
}

TEST_F(NvrtcPreamble, AHeaderThatReadsAParameterReadsEachVariants) {
  write("own.h", "#pragma once\n#include \"all.h\"\n__device__ int more[TILE];\n");
  expect_as_alone("#include \"own.h\"\n", 0);
}

TEST_F(NvrtcPreamble, ItEndsBeforeTheFirstHeaderThatReadsAParameter) {
  write("own.h", "__device__ int more[TILE];\n");
  expect_as_alone("#include \"all.h\"\n#include \"own.h\"\n", 1);
}

TEST_F(NvrtcPreamble, AConditionOnAParameterBeforeTheIncludesLeavesNone) {
  expect_as_alone("#if TILE > 20\n#define WIDE\n#endif\n#include \"all.h\"\n", 0);
}

TEST_F(NvrtcPreamble, FewHeadersHaveNone) {
  write("few.h", "template <int W> __device__ int twice() { return 2 * W; }\n");
  expect_as_alone("#include \"few.h\"\n", 0);
}

TEST_F(NvrtcPreamble, AMistakeIsReportedAtItsPlace) {
  for (const int value : {1, 2, 0}) {
    auto asked = variant("#include \"all.h\"\n", value);
    asked.source += "static_assert(TILE > 0, \"too small\");\n";
    const auto result = compiler->compile(asked);
    EXPECT_EQ(result.compiled, value > 0);
    if (value > 0) continue;
    EXPECT_NE(result.log.find("k.cu(3): error: static assertion"), std::string::npos);
  }
}

TEST_F(NvrtcPreamble, WithoutRoomForOneItIsDoneWithout) {
  const std::string usual = fs::temp_directory_path().string();
  ::setenv("TMPDIR", (root_ / "missing").c_str(), 1);
  expect_as_alone("#include \"all.h\"\n", 0);
  ::setenv("TMPDIR", usual.c_str(), 1);
}

}  // namespace
}  // namespace tuner::cuda
