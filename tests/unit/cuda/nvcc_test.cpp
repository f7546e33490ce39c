// nvcc needs no GPU. Most of these tests have a script in its place; those of the real one say so
// and are skipped where it is not installed.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tuner/plugins/cuda/cubin_names.h"
#include "tuner/plugins/cuda/nvcc_compiler.h"
#include "tuner/plugins/cuda/nvcc_words.h"

namespace tuner::cuda {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

sdk::CompileRequest request(std::string source, std::string entry) {
  sdk::CompileRequest out;
  out.source = std::move(source);
  out.source_name = "/there/k.cu";
  out.entry = std::move(entry);
  out.arch = "sm_90";
  return out;
}

// A toolkit of which only nvcc is there, a shell script; and a folder for temporary files.
class FakeNvcc {
 public:
  explicit FakeNvcc(const std::string& body) {
    fs::create_directories(folder_.path() / "bin");
    fs::create_directories(temporary());
    const fs::path script = folder_.path() / "bin" / "nvcc";
    std::ofstream(script) << "#!/bin/sh\n"
                             "if [ \"$1\" = --version ]; then\n"
                             "  echo 'Cuda compilation tools, release 99.1, V99.1.7'; exit 0\n"
                             "fi\n"
                             "cd "
                          << folder_.path().string() << "\n"
                          << "echo \"$@\" > arguments\n"
                             "for last; do :; done\ncp \"$last\" seen.cu\n"
                          << body;
    fs::permissions(script, fs::perms::owner_all);
    const fs::path host = folder_.write("bin/gcc", "#!/bin/sh\necho 'gcc (Fake) 1.2'\n");
    fs::permissions(host, fs::perms::owner_all);
    set("NVCC_CCBIN", (folder_.path() / "bin").string());
    set("CUDA_HOME", folder_.path().string());
    set("TMPDIR", temporary().string());
  }
  ~FakeNvcc() {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }
  FakeNvcc(const FakeNvcc&) = delete;
  FakeNvcc& operator=(const FakeNvcc&) = delete;

  fs::path temporary() const { return folder_.path() / "tmp"; }
  fs::path file(const std::string& name) const { return folder_.path() / name; }
  std::string text(const std::string& name) const { return folder_.read(name); }

 private:
  void set(const std::string& name, const std::string& value) {
    const char* old = std::getenv(name.c_str());
    before_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    setenv(name.c_str(), value.c_str(), 1);
  }
  programs::ScratchDirectory folder_;
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST(FakeNvcc, IsKnownByItsVersionAndTheHostsCompiler) {
  const FakeNvcc nvcc("exit 1\n");
  EXPECT_EQ(NvccCompiler().identity(), "nvcc 99.1.7, host gcc (Fake) 1.2");
}

TEST(FakeNvcc, ErrorsSpeakOfTheSourceAndFilesThatWereReadAreTold) {
  const FakeNvcc nvcc(
      "for word; do [ \"$before\" = -MF ] && rule=$word; before=$word; done\n"
      "touch read.cuh\n"
      "echo \"k: $last /there/k.cu entry $PWD/read.cuh\" > $rule\n"
      "echo \"$last(3): error: identifier \\\"x\\\" is undefined\"\nexit 2\n");
  NvccCompiler compiler;
  const auto result = compiler.compile(request("x\n", "k"));
  EXPECT_FALSE(result.compiled);
  EXPECT_EQ(result.log, "/there/k.cu(3): error: identifier \"x\" is undefined");
  ASSERT_TRUE(result.opened);
  // What lies in its own folder belongs to the compiler.
  EXPECT_EQ(*result.opened, Words{});
  auto asked = request("x\n", "k");
  asked.include_dirs = {nvcc.file("").string()};
  EXPECT_EQ(compiler.compile(asked).opened, (Words{nvcc.file("read.cuh").string()}));
  EXPECT_TRUE(fs::is_empty(nvcc.temporary()));
}

TEST(FakeNvcc, GetsTheFileAsItIsBehindTheDefinitionsAndOptionsInItsWords) {
  const FakeNvcc nvcc("exit 1\n");
  auto asked = request("int main() {}\n", "k<4>");
  asked.defines = {{"TUNE_B", "a b"}, {"F(x)", "x"}};
  asked.options = {"-DA=\"1 2\"", "-UB",          "-include=h.h", "-iquotesub",
                   "-lineinfo",   "-arch=sm_90a", "-Xptxas=-v"};
  const auto result = NvccCompiler().compile(asked);
  EXPECT_EQ(result.log, "nvcc failed, and said nothing");
  EXPECT_FALSE(result.opened);
  EXPECT_EQ(nvcc.text("seen.cu"),
            "\n#line 1 \"definitions\"\n#undef TUNE_B\n#define TUNE_B a b\n#undef F\n"
            "#define F(x) x\n#undef A\n#define A \"1 2\"\n#undef B\n#include \"h.h\"\n"
            "\n#line 1 \"/there/k.cu\"\nint main() {}\n\n" +
                name_marker(0, "k<4>"));
  EXPECT_EQ(nvcc.text("arguments")
                .find("-cubin -Xptxas=-v -arch=sm_90a -Isub -lineinfo -Xptxas=-v "
                      "-MD -MF "),
            0U)
      << nvcc.text("arguments");
}

TEST(FakeNvcc, GetsTheOptionsThatItsMessagesAskFor) {
  const FakeNvcc nvcc(
      "case \"$*\" in *--extended-lambda*) exit 1;; esac\n"
      "echo 'k.cu(3): error: annotation on lambda requires --extended-lambda nvcc flag'\nexit 2\n");
  EXPECT_EQ(NvccCompiler().compile(request("x\n", "k")).log, "nvcc failed, and said nothing");
  EXPECT_NE(nvcc.text("arguments").find(" --extended-lambda "), std::string::npos);
  EXPECT_EQ(nvcc.text("arguments").find("--expt-relaxed-constexpr"), std::string::npos);
}

bool is_soon(const std::function<bool()>& what) {
  for (int i = 0; i < 1000; ++i) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// As a pool does with a worker whose compiler takes too long.
TEST(FakeNvcc, EndsWithItsWorkerAndLeavesNothing) {
  const FakeNvcc nvcc("sleep 1000 & echo $! > sleeper\nwait\n");
  const pid_t worker = fork();
  if (worker == 0) {
    NvccCompiler().compile(request("", "k"));
    _exit(0);
  }
  EXPECT_TRUE(is_soon([&] { return nvcc.text("sleeper").ends_with("\n"); }));
  EXPECT_FALSE(fs::is_empty(nvcc.temporary()));
  kill(worker, SIGKILL);
  waitpid(worker, nullptr, 0);
  const int sleeper = std::stoi(nvcc.text("sleeper"));
  EXPECT_TRUE(is_soon([&] { return kill(sleeper, 0) != 0; }));
  EXPECT_TRUE(is_soon([&] { return fs::is_empty(nvcc.temporary()); }));
}

TEST(CubinNames, AreFoundByWhatTheMarkersPointAt) {
  const Words symbols{"_Z12tuner_name_0IPFvPfmEXadL_ZN2ns2mmIfLi32EEEvPT_mEEEvv",
                      "_Z12tuner_name_1IPFvPfEXadL_Z5plainS0_EEEvv",
                      "_Z12tuner_name_2IPA4_fXadL_ZN31_INTERNAL_fc3cd7b4_4_v_cu_plain2scEEEEvv",
                      "_Z12tuner_name_3IPA4_fXadL_ZN2ns2ccEEEEvv",
                      "_Z13tuner_name_10IPFvPfEXadL_Z4usecS0_EEEvv",
                      "_ZN2ns2mmIfLi32EEEvPT_m",
                      "_ZN2ns2mmIfLi64EEEvPT_m",
                      "plain",
                      "sc",
                      "_ZN2ns2ccE",
                      "_Z4usecPf"};
  EXPECT_EQ(marked_symbol(0, symbols), "_ZN2ns2mmIfLi32EEEvPT_m");
  EXPECT_EQ(marked_symbol(1, symbols), "plain");
  EXPECT_EQ(marked_symbol(2, symbols), "sc");
  EXPECT_EQ(marked_symbol(3, symbols), "_ZN2ns2ccE");
  EXPECT_EQ(marked_symbol(10, symbols), "_Z4usecPf");
  EXPECT_EQ(marked_symbol(4, symbols), "");
  EXPECT_EQ(symbols_in("no image"), Words{});
}

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    try {
      compiler.emplace();
    } catch (const sdk::Error& error) {
      GTEST_SKIP() << "left out: " << error.what();
    }
  }
  std::optional<NvccCompiler> compiler;
};

TEST_F(Nvcc, TakesHostCodeAndNamesWhatIsAskedFor) {
  auto asked = request(
      "#include <string>\n"
      "namespace ns { template <typename T, int N> __global__ void k(T* a) { a[threadIdx.x] = N; "
      "}\n"
      "__constant__ float weights[8]; }\n"
      "extern \"C\" __global__ void next(float* y) { *y = ns::weights[TUNE_I]; }\n"
      "int main() { return std::string(\"x\").size() + (next<<<1, 1>>>(nullptr), 0); }\n",
      "ns::k<float, 64>");
  asked.next_entries = {"next"};
  asked.symbols = {"ns::weights"};
  asked.defines = {{"TUNE_I", "3"}, {"F", "1"}, {"f", "2"}};
  const auto result = compiler->compile(asked);
  ASSERT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(result.entry, "_ZN2ns1kIfLi64EEEvPT_");
  ASSERT_EQ(result.next.size(), 1U);
  EXPECT_EQ(result.next[0].entry, "next");
  EXPECT_EQ(result.symbols[0].second, "_ZN2ns7weightsE");
  EXPECT_EQ(result.image.substr(1, 3), "ELF");
  EXPECT_GT(result.resources.registers, 0);
  EXPECT_EQ(result.resources.spill_bytes, 0);
  EXPECT_EQ(result.log, "");
}

TEST_F(Nvcc, FindsKernelsInNamespaces) {
  auto asked = request(
      "#include <vector>\n"
      "struct P { float* x; };\n"
      "namespace ns { __global__ void k(float* a, int n) { *a = n; }\n"
      "inline namespace v1 { static __global__ void s(P* p, const float* y) { p->x[0] = *y; } }\n"
      "namespace { __global__ void hidden(float* x) { *x = 1; }\n"
      "template <int N> __global__ void t(float* x) { *x = N; } }\n"
      "namespace b { __global__ void k(float* a, int n) { *a = n + 1; } } }\n"
      "int main() { std::vector<int> v; return v.size(); }\n",
      "ns::b::k");
  asked.next_entries = {"ns::s", "ns::hidden", "ns::t<4>"};
  const auto result = compiler->compile(asked);
  ASSERT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(result.entry, "_ZN2ns1b1kEPfi");
  ASSERT_EQ(result.next.size(), 3U);
  EXPECT_NE(result.next[0].entry.find("1sE"), std::string::npos) << result.next[0].entry;
  EXPECT_NE(result.next[1].entry.find("6hiddenE"), std::string::npos) << result.next[1].entry;
  EXPECT_NE(result.next[2].entry.find("1tILi4EE"), std::string::npos) << result.next[2].entry;
}

TEST_F(Nvcc, LinksDeviceCodeOfSeveralFiles) {
  const programs::ScratchDirectory folder;
  auto asked = request(
      "__device__ float twice(float x);\n__global__ void k(float* a) { *a = twice(*a); }\n", "k");
  asked.units = {folder.write("twice.cu", "__device__ float twice(float x) { return TWO * x; }\n")};
  asked.defines = {{"TWO", "2"}};
  const auto result = compiler->compile(asked);
  ASSERT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(result.entry, "_Z1kPf");
  EXPECT_EQ(result.opened, asked.units);
  asked.defines.clear();
  EXPECT_EQ(compiler->compile(asked).log.find(folder.file("twice.cu") + "(1): error: identifier "
                                                                        "\"TWO\" is undefined"),
            0U);
}

// What nvcc's shell would run stands in a name; each form is given twice, since quotes differ.
class NvccsShell : public Nvcc {
 protected:
  void SetUp() override {
    Nvcc::SetUp();
    before_ = fs::current_path();
    fs::current_path(folder.path());
  }
  void TearDown() override {
    if (!before_.empty()) fs::current_path(before_);
  }

  // A folder of this name with a header of its own, and the line that includes it.
  std::string with_header(const std::string& name) {
    fs::create_directories(folder.path() / name);
    const std::string header = "there" + std::to_string(headers_++) + ".h";
    std::ofstream(folder.path() / name / header) << "static_assert(true, \"\");\n";
    return "#include \"" + header + "\"\n";
  }
  bool is_obeyed() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      if (entry.path().filename() == "OBEYED") return true;
    }
    return false;
  }

  programs::ScratchDirectory folder;
  const std::string kKernel = "extern \"C\" __global__ void k() {}\n";

 private:
  fs::path before_;
  int headers_ = 0;
};

TEST_F(NvccsShell, IsGivenLinksToFoldersOfAnyName) {
  auto asked = request("", "k");
  Words opened;
  for (const std::string name : {"a`touch OBEYED`b",
                                 "$(touch OBEYED)",
                                 "a;touch OBEYED;b",
                                 "a'`touch OBEYED`'b",
                                 "a\"; touch OBEYED; \"b",
                                 "a|touch OBEYED",
                                 "a\\`touch OBEYED`b",
                                 "a&touch OBEYED&",
                                 "two words",
                                 "a,b",
                                 "a\n`touch OBEYED`b",
                                 "gr\xC3\xBC\xC3\x9F",
                                 "~",
                                 "=a",
                                 "${IFS}`touch OBEYED`",
                                 "-I`touch OBEYED`",
                                 "a%b#c",
                                 "(a)`touch OBEYED`",
                                 "*",
                                 "<`touch OBEYED`>"}) {
    opened.push_back(folder.file(name) + "/there" + std::to_string(opened.size()) + ".h");
    asked.source += with_header(name);
    asked.include_dirs.push_back(folder.file(name));
  }
  asked.source += kKernel;
  const auto result = compiler->compile(asked);
  EXPECT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(result.opened, opened);
  EXPECT_FALSE(is_obeyed());
}

TEST_F(NvccsShell, SeesNoneOfTheFoldersAndDefinitionsOfOptions) {
  auto asked = request("", "k");
  asked.options = {"-rdc=true",
                   "-DX=`touch OBEYED`",
                   "--define-macro=Y=$(touch OBEYED)",
                   "-Xcompiler=-DZ=`touch OBEYED`",
                   "--compiler-options=-DA=$(touch OBEYED)",
                   "-UB"};
  asked.defines = {{"TUNE_Y", "`touch OBEYED`"}};
  for (const std::string head :
       {"-I", "--include-path=", "--include-directory=", "-isystem", "--system-include=", "-iquote",
        "-idirafter", "-Xcompiler=-I", "--compiler-options=-isystem", "-I="}) {
    const std::string name = "`touch OBEYED`" + std::to_string(asked.options.size());
    asked.source += with_header(name);
    asked.options.push_back(head + folder.file(name));
  }
  asked.source += with_header("relative `touch OBEYED`") + kKernel;
  asked.options.emplace_back("-I./relative `touch OBEYED`");
  const auto result = compiler->compile(asked);
  EXPECT_TRUE(result.compiled) << result.log;
  EXPECT_FALSE(is_obeyed());
}

TEST_F(NvccsShell, SeesNoOtherOptionThatItWouldObey) {
  for (const std::string option :
       {"-Xptxas=`touch OBEYED`", "-Xcudafe=`touch OBEYED`", "-std=`touch OBEYED`",
        "-arch=`touch OBEYED`", "-maxrregcount=`touch OBEYED`", "-diag-suppress=`touch OBEYED`",
        "-Xcompiler=`touch OBEYED`", "-Xcompiler=-march=`touch OBEYED`", "-Xptxas=$(touch OBEYED)",
        "-opt-info=a;touch OBEYED", "-Xcompiler=-W|touch OBEYED"}) {
    auto asked = request(kKernel, "k");
    asked.options = {option};
    const auto result = compiler->compile(asked);
    EXPECT_FALSE(result.compiled) << option;
    EXPECT_NE(result.log.find("is not passed on to nvcc, which would give it to a shell"),
              std::string::npos)
        << result.log;
    EXPECT_FALSE(is_obeyed()) << option;
  }
}

TEST_F(NvccsShell, IsGivenLinksToFoldersOfLibrariesAndNoOtherNamesOfThem) {
  auto asked = request("int run(int) { return 0; }\n", "run");
  asked.is_host_function = true;
  const std::string there = folder.file("a`touch OBEYED`b");
  fs::create_directories(there);
  asked.options = {"-L" + there, "-Xcompiler=-L" + there, "--library-path=$(touch OBEYED)"};
  const auto good = compiler->compile(asked);
  EXPECT_TRUE(good.compiled) << good.log;
  EXPECT_FALSE(is_obeyed());
  for (const std::string option : {"-l`touch OBEYED`", "-Xcompiler=-l$(touch OBEYED)"}) {
    asked.options = {option};
    EXPECT_FALSE(compiler->compile(asked).compiled) << option;
    EXPECT_FALSE(is_obeyed()) << option;
  }
}

TEST_F(NvccsShell, IsGivenNothingOfTheEnvironmentThatItWouldObey) {
  const std::string active = "-DX=`touch " + folder.file("OBEYED") + "`";
  const Words names{"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "INCLUDES",    "SYSTEM_INCLUDES",
                    "LIBRARIES",          "PTXAS_FLAGS",       "CUDAFE_FLAGS"};
  for (const std::string& name : names) setenv(name.c_str(), active.c_str(), 1);
  auto asked = request(kKernel, "k");
  const auto kernel = compiler->compile(asked);
  asked = request("int run(int) { return 0; }\n", "run");
  asked.is_host_function = true;
  const auto function = compiler->compile(asked);
  for (const std::string& name : names) unsetenv(name.c_str());
  EXPECT_TRUE(kernel.compiled) << kernel.log;
  EXPECT_TRUE(function.compiled) << function.log;
  EXPECT_FALSE(is_obeyed());
}

TEST_F(NvccsShell, IsNotUsedWhereTemporaryFilesOrTheHostsCompilerHaveSuchNames) {
  const std::string there = folder.file("a`touch OBEYED`b");
  fs::create_directories(there);
  const auto refusal = [](const char* name, const std::string& value) -> std::string {
    const char* old = std::getenv(name);
    const std::string before = old == nullptr ? "" : old;
    setenv(name, value.c_str(), 1);
    std::string said = "none";
    try {
      NvccCompiler again;
    } catch (const sdk::Error& error) {
      said = error.what();
    }
    before.empty() ? unsetenv(name) : setenv(name, before.c_str(), 1);
    return said;
  };
  EXPECT_EQ(refusal("TMPDIR", there).find("the folder for temporary files is '" + there), 0U);
  fs::create_symlink(programs::find_program("gcc"), there + "/gcc");
  EXPECT_EQ(refusal("NVCC_CCBIN", there),
            "nvcc's host compiler is '" + there +
                "/gcc', which nvcc gives to a shell: it may have letters, digits and '_-./+' only");
  EXPECT_FALSE(is_obeyed());
}

}  // namespace
}  // namespace tuner::cuda
