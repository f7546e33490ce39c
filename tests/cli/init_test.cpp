// A study that is drafted for a kernel out of somebody's repository can be checked and run as it
// is.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> kernels() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(data("init"))) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Finished drafted(const Sandbox& sandbox, const std::string& name) {
  sandbox.write(name + ".cu", text_of(data("init/" + name + ".cu")));
  return run(sandbox, {"init", name + ".cu", "--no-try"});
}

TEST(Init, ChecksEveryDraft) {
  ASSERT_GE(kernels().size(), 8U);
  for (const std::string& name : kernels()) {
    SCOPED_TRACE(name);
    const Sandbox sandbox;
    const Finished done = drafted(sandbox, name);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(says(done.err, "found: kernel "));
    EXPECT_TRUE(text_of(sandbox.path(name + ".yaml")).starts_with("# Made by tuner init from "));
    const Finished checked = run_to(0, sandbox, {"check", name + ".yaml"});
    EXPECT_TRUE(says(checked.out, "no mistake found")) << checked.err;
  }
}

TEST(Init, FirstRunsOfDraftsVerify) {
  for (const std::string& name : kernels()) {
    SCOPED_TRACE(name);
    const Sandbox sandbox;
    ASSERT_EQ(drafted(sandbox, name).status, 0);
    const Finished done =
        run_to(0, sandbox,
               {"run", name + ".yaml", "--backend", "cpu", "--budget", "1", "--progress", "none"});
    EXPECT_FALSE(says(done.out, "not verified"));
    EXPECT_TRUE(says(done.out, "1 trial: 1 ok"));
  }
}

// The kernel writes behind its own element: the draft's first sizes crash, and larger ones do not.
TEST(Init, TriesItsDraftAndLearns) {
  const Sandbox sandbox;
  sandbox.write("k.cu",
                "__global__ void k(float* a, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i < n && i % 2 == 0) a[3 * i] = i;\n}\n");
  const Finished done = run_to(0, sandbox, {"init", "k.cu"});
  EXPECT_TRUE(says(done.err, "found: tried on the CPU: "));
  const std::string yaml = text_of(sandbox.path("k.yaml"));
  EXPECT_TRUE(
      says(yaml, "shape: [n, 4], role: inout, fill: zeros}  # not every element of it was"));
}

// 40 blocks of 256 threads, which no size explains: with smaller blocks, elements are left out.
TEST(Init, AGridThatDoesNotFollowItsBlockIsMadeToFollow) {
  const Sandbox sandbox;
  sandbox.write("k.cu",
                "__global__ void k(float* x, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] = 2 * i;\n}\n"
                "int main() { float* x; cudaMalloc(&x, 4 * 10001); k<<<40, 256>>>(x, 10001); }\n");
  run_to(0, sandbox, {"init", "k.cu"});
  const std::string yaml = text_of(sandbox.path("k.yaml"));
  EXPECT_TRUE(says(yaml, "BLOCK: [32, 64, 128, 256, 512, 1024]  # now 256; launch\n")) << yaml;
  EXPECT_TRUE(says(yaml,
                   "grid: [\"ceil_div(40 * 256, BLOCK)\"]  # a guess: as many threads along "
                   "x as now\n"));
}

TEST(Init, ValuesThatFailAreNoneOfTheDraft) {
  const Sandbox sandbox;
  sandbox.write("k.cu",
                "#define UNROLL 2\nconst int USE_TWICE = 1;\n"
                "__global__ void k(float* x, int n) {\n"
                "  __shared__ float part[UNROLL < 4 ? 1 : -1];\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  part[0] = 1;\n  if (i < n) x[i] = USE_TWICE ? i * UNROLL : i;\n}\n"
                "int main() { float* x; cudaMalloc(&x, 4 * 1000); k<<<8, 128>>>(x, 1000); }\n");
  run_to(0, sandbox, {"init", "k.cu"});
  const std::string yaml = text_of(sandbox.path("k.yaml"));
  EXPECT_TRUE(says(yaml, "  replace: [UNROLL, USE_TWICE]")) << yaml;
  EXPECT_TRUE(says(yaml,
                   "UNROLL: [2]  # now 2; line 1 gives it; 4 does not compile; 1 gives another "
                   "answer\n"));
  EXPECT_TRUE(says(yaml, "USE_TWICE: [1]  # now 1; line 2 gives it; 0 gives another answer\n"));
}

// Threads that share a row, however many they are, and such as have an element each, in one block
// or in any; blocks that go on where the last one ends; and a number that the answer follows.
TEST(Init, ValuesThatNothingSpeaksForAreTakenIfTheyAreRight) {
  const Sandbox sandbox;
  sandbox.write(
      "rows.cu",
      "__global__ void k(float* x, int rows, int n) {\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) x[blockIdx.x * n + i] = i;\n}\n"
      "void f(float* x, int rows, int n, int b, int t) { k<<<b, t>>>(x, rows, n); }\n");
  sandbox.write("first.cu",
                "__global__ void k(float* x) { x[threadIdx.x] = 2; }\n"
                "void f(float* x, int b, int t) { k<<<b, t>>>(x); }\n");
  sandbox.write("each.cu",
                "__global__ void k(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 2; }\n"
                "void f(float* x, int b, int t) { k<<<b, t>>>(x); }\n");
  sandbox.write(
      "strided.cu",
      "template <int PLUS> __global__ void k(float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  for (; i < n; i += gridDim.x * blockDim.x) x[i] = i + PLUS;\n}\n"
      "int main() { float* x; cudaMalloc(&x, 4 * 10001); k<3><<<40, 256>>>(x, 10001); }\n");
  for (const char* name : {"rows.cu", "first.cu", "each.cu", "strided.cu"}) {
    run_to(0, sandbox, {"init", name, "--timeout", "60"});  // for a busy machine
  }
  const std::string rows = text_of(sandbox.path("rows.yaml"));
  EXPECT_TRUE(says(rows, "BLOCK: [32, 64, 128, 256, 512, 1024]  # a guess; launch; 32, 64, "))
      << rows;
  const std::string first = text_of(sandbox.path("first.yaml"));
  EXPECT_TRUE(says(first, "BLOCK: [256]  # a guess; launch; 32, 64, 128, ")) << first;
  const std::string each = text_of(sandbox.path("each.yaml"));
  EXPECT_TRUE(says(each, "grid: [\"ceil_div(1 * 256, BLOCK)\"]  # a guess: ")) << each;
  EXPECT_TRUE(says(each, "BLOCK: [32, 64, 128, 256]  # a guess; launch; ")) << each;
  const std::string strided = text_of(sandbox.path("strided.yaml"));
  EXPECT_TRUE(says(strided,
                   "GRID_DIVISOR: [1, 2, 4, 8]  # now 1; divides the host code's number; "
                   "2, 4, 8 by trials\n"))
      << strided;
  EXPECT_TRUE(says(strided, "PLUS: [3]  # now 3; template parameter\n"));
}

// A kernel with a fixed block and many sums, which takes many registers if it may.
TEST(Init, RegistersAreLimitedWhereNothingElseVaries) {
  const Sandbox sandbox;
  std::string sums, ends;
  for (int i = 0; i < 64; ++i) {
    const std::string n = std::to_string(i);
    sums += "  float s" + n + " = x[" + n + " * 64 + i];\n";
    ends += "  x[" + n + " * 64 + i] = s" + n + " * s" + std::to_string(63 - i) + ";\n";
  }
  sandbox.write(
      "k.cu",
      "__global__ void k(float* x) {\n  __shared__ float all[64];\n  int i = threadIdx.x;\n" +
          sums + "  all[i] = s0;\n  __syncthreads();\n" + ends +
          "}\nint main() { float* x; cudaMalloc(&x, 4 * 4096); k<<<1, 64>>>(x); }\n");
  const Finished done = run_to(0, sandbox, {"init", "k.cu"});
  if (!says(done.err, "it compiles for sm_")) GTEST_SKIP() << "left out: no toolkit";
  const std::string yaml = text_of(sandbox.path("k.yaml"));
  EXPECT_TRUE(says(yaml, "options: [\"-maxrregcount={REGISTERS}\"]\n")) << yaml;
  EXPECT_TRUE(says(yaml, ", 255]  # now 255; limit for each thread; without one it takes "))
      << yaml;
  EXPECT_FALSE(says(yaml, "NOTHING"));
  EXPECT_FALSE(says(done.err, "nothing to tune"));
}

TEST(Init, GuessedSizesAreOddWhereTheKernelHoldsAtThem) {
  const Sandbox sandbox, other;
  const std::string head =
      "__global__ void k(float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  const std::string launch = "void f(float* x, int n) { k<<<n / 128, 128>>>(x, n); }\n";
  sandbox.write("odd.cu", head + "  if (i < n) x[i] = i;\n}\n");
  other.write("even.cu", head + "  x[i] = i;\n}\n" + launch);
  run_to(0, sandbox, {"init", "odd.cu"});
  const Finished even = run_to(0, other, {"init", "even.cu"});
  EXPECT_TRUE(says(text_of(sandbox.path("odd.yaml")), "- {n: 1114113}"));
  EXPECT_TRUE(says(text_of(other.path("even.yaml")), "- {n: 1048576}"));
  EXPECT_TRUE(says(even.err, "guessed: at odd sizes it does not write every element: "))
      << even.err;
}

TEST(Init, SaysWhyADraftDoesNotRun) {
  const Sandbox sandbox;
  sandbox.write("k.cu", "__global__ void k(float* a, int n) { a[n] = nobody_knows(n); }\n");
  const Finished done = run_to(0, sandbox, {"init", "k.cu"});
  EXPECT_TRUE(says(text_of(sandbox.path("k.yaml")),
                   "\n# tried on the CPU, and it did not run: it does not compile: "))
      << done.err;
}

TEST(Init, SaysWhatACompilerForGpusDoesNotTake) {
  const Sandbox sandbox;
  const std::string kernel =
      "__global__ void k(float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = i;\n}\n";
  sandbox.write("k.cu", kernel);
  const Finished good = run_to(0, sandbox, {"init", "k.cu"});
  if (!says(good.err, "it compiles for sm_")) GTEST_SKIP() << "left out: no toolkit";
  sandbox.write("k.cu", "#ifndef TUNER_CPU\n#error no GPU takes this\n#endif\n" + kernel);
  const Finished bad = run_to(0, sandbox, {"init", "k.cu"});
  EXPECT_TRUE(says(bad.err, "found: tried on the CPU: "));
  EXPECT_TRUE(says(bad.err, "guessed: it does not compile for sm_"));
  EXPECT_TRUE(says(bad.err, "k.cu:2: ")) << bad.err;
  EXPECT_TRUE(says(text_of(sandbox.path("k.yaml")), "\n# it does not compile for sm_"));
}

TEST(Init, WritesOverNothingOfTheUsers) {
  const Sandbox sandbox;
  sandbox.write("k.yaml", "mine\n");
  sandbox.write("k.cu", "__global__ void k(float* a, int n) { a[threadIdx.x] = 1; }\n");
  const Finished refused = run_to(2, sandbox, {"init", "k.cu"});
  EXPECT_EQ(refused.err,
            "k.yaml: was not written by tuner, or was edited since (--force replaces it)\n");
  EXPECT_EQ(text_of(sandbox.path("k.yaml")), "mine\n");
  run_to(2, sandbox, {"init", "k.cu", "-o", "k.cu", "--force"});
  run_to(0, sandbox, {"init", "k.cu", "--force", "--no-try"});
  EXPECT_EQ(run(sandbox, {"init", "k.cu", "--no-try"}).status, 0)
      << "its own draft may be written again";
  run_to(2, sandbox, {"init", "none.cu"});
}

TEST(Init, AnEditedDraftIsTheUsers) {
  const Sandbox sandbox;
  sandbox.write("k.cu", "__global__ void k(float* a, int n) { a[threadIdx.x] = 1; }\n");
  run_to(0, sandbox, {"init", "k.cu", "--no-try"});
  const std::string edited = text_of(sandbox.path("k.yaml")) + "constraints: [1 < 2]\n";
  sandbox.write("k.yaml", edited);
  run_to(2, sandbox, {"init", "k.cu", "--no-try"});
  EXPECT_EQ(text_of(sandbox.path("k.yaml")), edited);
}

// A kernel, its launch, a function of the device in a third file, and a folder of headers.
void write_project(const Sandbox& sandbox) {
  fs::create_directories(sandbox.path("src"));
  fs::create_directories(sandbox.path("headers"));
  sandbox.write("CMakeLists.txt",
                "target_include_directories(app PRIVATE\n  headers)\n"
                "target_compile_definitions(app PRIVATE SCALE=3.0f)\n");
  sandbox.write("headers/half.h", "__device__ float half_of(float x);\n");
  sandbox.write("src/half.cu",
                "#include \"half.h\"\n__device__ float half_of(float x) { return x / 2; }\n");
  sandbox.write("src/k.cu",
                "#include \"half.h\"\n__global__ void k(const float* x, float* y, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i < n) y[i] = half_of(x[i]) * SCALE;\n}\n");
  sandbox.write("main.cu",
                "__global__ void k(const float* x, float* y, int n);\nint main() { float *x, *y; "
                "int n = 4096; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); "
                "k<<<(n + 127) / 128, 128>>>(x, y, n); }\n");
}

TEST(Init, AProjectOfThreeFilesAndAFolderOfHeadersNeedsNoHand) {
  const Sandbox sandbox;
  write_project(sandbox);
  const Finished done =
      run_to(0, sandbox, {"init", "src/half.cu", "src/k.cu", "main.cu", "--project", "."});
  const std::string yaml = text_of(sandbox.path("src/k.yaml"));
  EXPECT_TRUE(says(yaml, "  sources: [k.cu, half.cu]  # ")) << yaml << done.err;
  EXPECT_TRUE(says(yaml, "  include_dirs: [\"../headers\"]\n")) << yaml;
  EXPECT_TRUE(says(yaml, "  options: [\"-DSCALE=3.0f\"]  # of the build\n")) << yaml;
  EXPECT_TRUE(says(yaml, "  - {n: 4096}")) << yaml;
  EXPECT_FALSE(fs::exists(sandbox.path("main.yaml"))) << "it has no kernel";
  const Finished ran = run_to(
      0, sandbox, {"run", "src/k.yaml", "--backend", "cpu", "--budget", "2", "--progress", "none"});
  EXPECT_TRUE(says(ran.out, "2 trials: ")) << "one may be dropped";
  EXPECT_FALSE(says(ran.out, "correctness"));
}

TEST(Init, FoldersOfHeadersMayBeNamed) {
  const Sandbox sandbox, elsewhere;
  elsewhere.write("far.h", "#define TWICE(x) (2 * (x))\n");
  sandbox.write(
      "k.cu",
      "#include \"far.h\"\n__global__ void k(int* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = TWICE(i);\n}\n");
  const std::string folder = elsewhere.path(".").string();
  const Finished done = run_to(0, sandbox, {"init", "k.cu", "-I", folder});
  EXPECT_TRUE(says(done.err, "found: tried on the CPU: ")) << done.err;
  EXPECT_TRUE(says(text_of(sandbox.path("k.yaml")), "  include_dirs: [\""));
}

TEST(Init, ALauncherGivesWhatNoStudyCan) {
  const Sandbox sandbox;
  sandbox.write(
      "k.cu",
      "template <class T> struct View { T* data; int n; virtual void f(); };\n#define ITEMS 4\n"
      "template <class T> __global__ void k(const T* x, T* y, int n, View<T> v) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * v.n * ITEMS;\n}\n"
      "void run(float* x, float* y, int n, View<float> seen) {\n"
      "  k<float><<<(n + 127) / 128, 128>>>(x, y, n, seen);\n}\n");
  EXPECT_TRUE(
      says(run_to(2, sandbox, {"init", "k.cu"}).err, "a launcher gives the rest: init --launcher"));
  const Finished done = run_to(0, sandbox, {"init", "k.cu", "--launcher"});
  EXPECT_FALSE(says(done.err, "note: ")) << done.err;
  const std::string code = text_of(sandbox.path("k_launcher.cu")),
                    yaml = text_of(sandbox.path("k.yaml"));
  EXPECT_TRUE(says(code, "#include \"k.cu\"\n")) << code;
  EXPECT_TRUE(says(code,
                   "extern \"C\" cudaError_t launch_k(const float* x, float* y, int n, "
                   "cudaStream_t stream) {\n"))
      << code;
  EXPECT_TRUE(says(
      code,
      "  View<float> v{};  // a guess: set what the kernel needs; the host code passes seen\n"))
      << code;
  EXPECT_TRUE(says(
      code,
      "  k<float><<<dim3(ceil_div(n, TUNE_BLOCK)), dim3(TUNE_BLOCK), 0, stream>>>(x, y, n, v);\n"))
      << code;
  EXPECT_TRUE(says(yaml, "launcher:\n  name: k\n  source: k_launcher.cu\n  entry: launch_k\n"))
      << yaml;
  EXPECT_TRUE(says(yaml, "reference:\n  entry: launch_k\n  configuration: {BLOCK: 128}\n")) << yaml;
  run_to(0, sandbox, {"check", "k.yaml"});
  sandbox.write("k_launcher.cu", "// edited\n");
  EXPECT_TRUE(says(run_to(2, sandbox, {"init", "k.cu", "--launcher"}).err,
                   "k_launcher.cu: was not written by tuner"));
}

TEST(Init, SaysWhatIsWrongWithSeveralFiles) {
  const Sandbox sandbox;
  sandbox.write("a.cu", "__global__ void a(int* x, int n) { x[threadIdx.x] = n; }\n");
  sandbox.write("b.cu", "int b;\n");
  EXPECT_TRUE(says(run_to(2, sandbox, {"init", "a.cu", "b.cu", "-o", "s.yaml"}).err,
                   "--output and --captured are for one source, and there are 2"));
  EXPECT_TRUE(says(run_to(2, sandbox, {"init", "a.cu", "b.cu", "--kernel", "c"}).err,
                   "a.cu: no file of these has the kernel"));
  EXPECT_TRUE(says(run_to(2, sandbox, {"init", "a.cu", "--project", "none"}).err,
                   "--project: 'none' is no folder"));
  EXPECT_TRUE(says(run_to(2, sandbox, {"init", "a.cu", "-I", "b.cu"}).err,
                   "--include-dir: 'b.cu' is no folder"));
  run_to(0, sandbox, {"init", "a.cu", "b.cu", "--no-try"});
  EXPECT_TRUE(fs::exists(sandbox.path("a.yaml")));
}

TEST(Init, ASecondKernelHasADraftOfItsOwn) {
  const Sandbox sandbox;
  sandbox.write("k.cu",
                "__global__ void one(float* a) { a[threadIdx.x] = 1; }\n"
                "__global__ void two(float* a) { a[threadIdx.x] = 2; }\n");
  run_to(0, sandbox, {"init", "k.cu", "--no-try", "--kernel", "two"});
  run_to(0, sandbox, {"init", "k.cu", "--no-try", "--kernel", "one"});
  EXPECT_TRUE(says(text_of(sandbox.path("k.two.yaml")), "entry: \"two\""));
  EXPECT_TRUE(says(text_of(sandbox.path("k.yaml")), "entry: \"one\""));
}

// A function as template argument that no launch shows is beyond a draft.
TEST(Init, LeavesItsOutputAloneWhenNothingCanBeDrafted) {
  const Sandbox sandbox;
  sandbox.write("k.cu",
                "template <float (*F)(float)>\n"
                "__global__ void k(float* y) { y[threadIdx.x] = F(1); }\n");
  sandbox.write("mine.yaml", "mine\n");
  ASSERT_EQ(::mkfifo(sandbox.path("pipe").c_str(), 0666), 0);
  for (const char* output : {"mine.yaml", "pipe", "new.yaml"}) {
    run_to(2, sandbox, {"init", "k.cu", "--force", "--no-try", "-o", output});
  }
  EXPECT_EQ(text_of(sandbox.path("mine.yaml")), "mine\n");
  EXPECT_TRUE(fs::is_fifo(sandbox.path("pipe")));
  EXPECT_FALSE(fs::exists(sandbox.path("new.yaml")));
}

TEST(Init, TakesTheKernelOfAScript) {
  const Sandbox sandbox;
  const std::string kernel =
      "__global__ void k(float* a, int n) { a[threadIdx.x] = block_size_x; }\n";
  sandbox.write("tune.py",
                "text = \"\"\"\n" + kernel +
                    "\"\"\"\ntune_kernel('k', text, 64, [], {'block_size_x': [32, 64]})\n");
  run_to(0, sandbox, {"init", "tune.py", "--no-try"});
  EXPECT_EQ(text_of(sandbox.path("tune.cu")), kernel);
  EXPECT_TRUE(says(text_of(sandbox.path("tune.yaml")), "block_size_x: [32, 64]"));
}

TEST(Init, TakesAHostProgramOfKtt) {
  const Sandbox sandbox;
  sandbox.write("k.cu",
                "__global__ void k(float* a) { a[blockIdx.x * BLOCK + threadIdx.x] = 1; }\n");
  sandbox.write("host.cpp",
                "#include <Ktt.h>\nint main() {\n  ktt::Tuner tuner(0, 0, ktt::ComputeApi::CUDA);\n"
                "  auto d = tuner.AddKernelDefinitionFromFile(\"k\", \"../k.cu\", {64}, {1});\n"
                "  auto kernel = tuner.CreateSimpleKernel(\"K\", d);\n"
                "  tuner.AddParameter(kernel, \"BLOCK\", std::vector<uint64_t>{32, 64});\n}\n");
  for (const char* named : {"host.cpp", "k.cu"}) {
    run_to(0, sandbox, {"init", named, "--no-try", "--force"});
    EXPECT_TRUE(says(text_of(sandbox.path("k.yaml")), "BLOCK: [32, 64]  # AddParameter")) << named;
  }
}

TEST(Init, NeedsTheKernelOfAScriptInAFile) {
  const Sandbox sandbox;
  sandbox.write("tune.py", "tune_kernel('k', 'gone.cu', 64, [], {})\n");
  const Finished refused = run_to(2, sandbox, {"init", "tune.py"});
  EXPECT_EQ(refused.err,
            "tune.py: names no file with a kernel, or the file does not exist (write the kernel's "
            "text into a file "
            "beside it, and draft for that)\n");
}

}  // namespace
}  // namespace tuner::cli
