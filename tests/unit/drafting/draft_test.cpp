// What is drafted for kernels of several styles.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/drafting/drafted.h"

namespace tuner {
namespace {

TEST(Draft, OfAKernelWithItsLaunch) {
  const DraftedStudy study = drafted(kAxpy +
                                     "int main() {\n  const int count = 1 << 16;\n  axpy<<<(count "
                                     "+ 127) / 128, 128>>>(2.0f, x, y, count);\n}\n");
  EXPECT_EQ(
      study.yaml,
      R"yaml(# Made by tuner init from k.cu: a first draft. Look at what is marked with #, then: tuner check,
# tuner run. All keys: docs/study-file.md.
schema: 1
kernel:
  name: axpy
  source: k.cu
  entry: "axpy"
problem_sizes:  # the sizes that matter to you, one a line
  - {n: 65536}
parameters:
  BLOCK: [32, 64, 128, 256, 512, 1024]  # now 128; launch
baseline: {BLOCK: 128}  # what you use now; results show the speed-up over it
constraints:
  - BLOCK <= device.max_threads_per_block
launch:
  block: [BLOCK]
  grid: ["ceil_div(n, BLOCK)"]
arguments:
  - {name: a, type: float32, value: 2.0}
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: inout, fill: {uniform: [-1, 1]}}
  - {name: n, type: int32, value: n}
# The right answer is that of this kernel in the configuration below. So variants that change the
# answer are found, but not a kernel that is wrong in all of them: better name a simple kernel.
reference:
  entry: "axpy"
  configuration: {BLOCK: 128}
  block: [128]
  grid: ["ceil_div(n, 128)"]
verify:
  y: {tolerance: usual}  # that of float32
# To see the share of the device's limit that is reached (bytes if each element is moved once):
# work: {bytes: "4 * n + 8 * n"}
)yaml");
  EXPECT_EQ(study.found,
            (std::vector<std::string>{"kernel axpy (line 1)", "its launch in line 7"}));
  EXPECT_EQ(study.guessed, std::vector<std::string>{});
}

TEST(Draft, HasTheHostCodesSizesIfTheyAreAskedFor) {
  const std::string source =
      kAxpy + "int main() { int n = 1 << 26; axpy<<<(n + 255) / 256, 256>>>(a, x, y, n); }\n";
  DraftRequest request{source, "k.cu", "k.cu", {}};
  says(draft_study(request).yaml, {"  - {n: 2097152}\n", "  # - {n: 67108864}"});
  request.whole = true;
  says(draft_study(request).yaml, {"  - {n: 67108864}\n"});
  lacks(draft_study(request).yaml, {"# - {n"});
}

TEST(Draft, AsksForSharedMemoryWhereNothingSaysHowMuch) {
  const std::string source =
      "__global__ void k(const float* x, float* y, int n) {\n  extern __shared__ float s[];\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  s[threadIdx.x] = x[i];\n  if (i < n) y[i] = s[threadIdx.x];\n}\n";
  DraftRequest request{source, "k.cu", "k.cu", {}};
  lacks(draft_study(request).yaml, {"dynamic_shared_bytes: 49152"});
  EXPECT_TRUE(draft_study(request).has_guessed_shared);
  request.shared = 49152;
  says(draft_study(request).yaml, {"  dynamic_shared_bytes: 49152  # a guess"});
}

TEST(Draft, WithoutALaunchSaysWhatItGuesses) {
  const DraftedStudy study = drafted(kAxpy);
  says(study.yaml, {"grid: [\"ceil_div(n, BLOCK)\"]"});
  EXPECT_EQ(study.guessed,
            (std::vector<std::string>{"n = 1048576", "a block of 256 threads along x",
                                      "the grid along x: n in shares of BLOCK"}));
}

TEST(Draft, MacrosAreKnobsAndThoseOfAHeaderToo) {
  const DraftedStudy study = drafted(
      "#ifndef TILE\n#define TILE 16\n#endif\n#define UNROLL 4\n#define RADIUS 2\n"
      "__global__ void k(float* a, int w, int h) {\n"
      "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
      "  for (int i = 0; i < UNROLL + RADIUS; ++i) if (x < w && y < h) a[y * w + x] = 1;\n}\n");
  says(study.yaml,
       {"define_prefix: \"\"", "  replace: [UNROLL]  # the values that the source has itself\n",
        "  UNROLL: [1, 2, 4, 8]  # now 4; line 4 gives it\n",
        "  TILE: [8, 16, 32]  # now 16; macro of line 2\n",
        "grid: [\"ceil_div(w, TILE)\", \"ceil_div(h, TILE)\"]"});
  lacks(study.yaml, {"RADIUS"});
  DraftRequest request{
      "__global__ void k(float* a) { a[threadIdx.x] = UNROLL; }\n", "k.cu", "k.cu", {}};
  request.project.headers = {{"/p/u.h", "#define UNROLL 4\n"}};
  says(draft_study(request).yaml,
       {"  replace: [UNROLL]  #", "  UNROLL: [1, 2, 4, 8]  # now 4; u.h:1 gives it\n"});
}

TEST(Draft, AnExtentOfTheBlockAndOfSharedMemoryIsAKnobWhateverItsName) {
  says(drafted("#define NDIM 8\n#define OTHER 8\n"
               "__global__ void k(float* a) {\n"
               "  __shared__ float s[NDIM + 2][OTHER];\n"
               "  s[threadIdx.x][0] = a[blockIdx.x * NDIM + threadIdx.x];\n}\n"
               "void f(float* a) { k<<<64, dim3(NDIM, NDIM, NDIM)>>>(a); }\n")
           .yaml,
       {"replace: [NDIM]  #", "NDIM: [4, 8]  # now 8; line 1 gives it",
        "block: [NDIM, NDIM, NDIM]"});
}

TEST(Draft, OnlyWhatTheKernelUsesIsAKnob) {
  const std::string yaml =
      drafted(
          "#define BLOCK_A 32\nconst int TILE = 4;\n#define BOTH (TILE * 2)\n"
          "__device__ int of(int i) { constexpr int UNROLL{2}; return i * BOTH * UNROLL; }\n"
          "__global__ void other(float* a) { const int PAD = 1; a[BLOCK_A] = PAD; }\n"
          "__global__ void k(float* a) { a[threadIdx.x] = of(1) + STAGES; }\n"
          "void host() { int STAGES_OF = VEC; }\n",
          "k")
          .yaml;
  says(yaml, {"replace: [TILE, UNROLL]", "STAGES: ["});
  lacks(yaml, {"BLOCK_A", "PAD", "VEC"});
}

TEST(Draft, KnobsThatAreAskedForAreThose) {
  DraftRequest request{
      "#define RADIUS 2\n#define OTHER 3\n__global__ void k(float* a, int n) {\n"
      "  a[blockIdx.x * blockDim.x + threadIdx.x] = RADIUS + n;\n}\n",
      "k.cu",
      "k.cu",
      {}};
  request.knobs = {"RADIUS"};
  says(draft_study(request).yaml, {"replace: [RADIUS]", "RADIUS: [1, 2, 4]"});
  request.knobs = {"OTHER"};
  EXPECT_THROW(draft_study(request), InputError);
  try {
    draft_study(request);
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "k.cu:3:1: k uses no number 'OTHER' (a knob is a #define, a const or constexpr "
              "variable, or a template parameter)");
  }
}

TEST(Draft, AnAnswerOfOneElementABlockDependsOnTheBlock) {
  const std::string yaml =
      drafted(
          "#define THREADS 128\nconst int ITEMS = 2;\n"
          "__global__ void sum(const float* x, float* out, int n) {\n"
          "  __shared__ float part[THREADS];\n  float s = 0;\n"
          "  for (int k = 0; k < ITEMS; ++k) {\n"
          "    int i = (blockIdx.x * ITEMS + k) * THREADS + threadIdx.x;\n"
          "    if (i < n) s += x[i];\n  }\n  part[threadIdx.x] = s;\n  __syncthreads();\n"
          "  if (threadIdx.x == 0) out[blockIdx.x] = part[0] + part[1];\n}\n"
          "int main() {\n  const int n = 1 << 20;\n"
          "  const int blocks = (n + THREADS * ITEMS - 1) / (THREADS * ITEMS);\n"
          "  float *x, *out;\n  cudaMalloc(&x, n * sizeof(float));\n"
          "  cudaMalloc(&out, blocks * sizeof(float));\n"
          "  sum<<<blocks, THREADS>>>(x, out, n);\n}\n")
          .yaml;
  says(yaml, {"THREADS: [32, 64, 128, 256, 512, 1024]", "ITEMS: [1, 2, 4]",
              "  per: [THREADS, ITEMS]  # the answer depends on it\n"
              "  configuration: {unroll: 0}\n  block: [THREADS]\n",
              "{name: out, type: float32, shape: [\"(((n + 32 * 1 - 1) // (32 * 1)) * 4) // 4\"], "
              "role: inout, fill: zeros}"});
}

TEST(Draft, TemplateParametersAreFilledIn) {
  const DraftedStudy study = drafted(
      "namespace n {\ntemplate <typename T, int BLOCK, bool CHECK = true>\n"
      "__global__ void k(T* a, int n) { a[blockIdx.x * BLOCK + threadIdx.x] += 1; }\n}\n"
      "void run(double* a, int n) { n::k<double, 64><<<n / 64, 64>>>(a, n); }\n");
  says(study.yaml, {"entry: \"n::k<double, {BLOCK}, {CHECK}>\"", "entry: \"n::k<double, 64, 1>\"",
                    "block: [BLOCK]\n  grid: [\"n // BLOCK\"]",
                    "{name: a, type: float64, shape: [n], role: inout"});
}

TEST(Draft, SeesThroughMacrosAndFunctionsOfTheLaunch) {
  const DraftedStudy study = drafted(
      "#define LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); "
      "i += blockDim.x * gridDim.x)\n"
      "const int THREADS = 512;\n"
      "inline int blocks_of(const int n) { return (n + THREADS - 1) / THREADS; }\n"
      "__global__ void k(int n, float* y) { LOOP(i, n) y[i] = i; }\n"
      "void run(int count, float* y) { k<<<blocks_of(count), THREADS>>>(count, y); }\n");
  says(study.yaml,
       {"BLOCK: [32, 64, 128, 256, 512, 1024]  # now 512", "grid: [\"ceil_div(n, BLOCK)\"]"});
}

TEST(Draft, AConditionalOfCIsOneOfTheStudy) {
  const DraftedStudy study = drafted(
      "template <int S> __global__ void k(float* y, int n) { y[blockIdx.x * S + threadIdx.x] = n; "
      "}\n"
      "void run(float* y, int n) {\n"
      "  int blocks = n / S + ((n % S == 0) ? 0 : 1), bytes = (S <= 32) ? 64 * sizeof(float) : S * "
      "4;\n"
      "  k<64><<<blocks, 64, bytes>>>(y, n);\n}\n");
  says(study.yaml, {"grid: [\"n // S + (0 if (n % S == 0) else 1)\"]",
                    "dynamic_shared_bytes: 64 * 4 if (S <= 32) else S * 4"});
}

TEST(Draft, OfBranchesTheOneThatIsCompiled) {
  const DraftedStudy study = drafted(
      "#ifdef WG\n#define BLOCK_SIZE WG\n#elif defined(OTHER)\n#define BLOCK_SIZE OTHER\n#else\n"
      "#define BLOCK_SIZE 64\n#endif\n"
      "#ifdef USE_DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
      "__global__ void k(real* a, int n) { a[blockIdx.x * BLOCK_SIZE + threadIdx.x] = 1; }\n"
      "void run(real* a, int n) { k<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(a, n); }\n");
  says(study.yaml, {"  WG: [32, 64, 128, 256, 512, 1024]  # now 64",
                    "block: [WG]\n  grid: [\"n // WG\"]", "{name: a, type: float32,"});
}

TEST(Draft, ComputedMacrosFollowTheirKnobs) {
  const DraftedStudy study = drafted(
      "#ifndef BLOCK_X\n#define BLOCK_X 32\n#endif\n#define THREADS (BLOCK_X * 4)\n"
      "__global__ void k(float* a, int n) { a[blockIdx.x * THREADS + threadIdx.x] = 1; }\n"
      "void run(float* a, int n) { k<<<n / THREADS, THREADS>>>(a, n); }\n");
  says(study.yaml, {"block: [\"BLOCK_X * 4\"]\n  grid: [\"n // (BLOCK_X * 4)\"]"});
}

TEST(Draft, BuffersOfPlainStructsAreBuffersOfTheirNumbers) {
  const DraftedStudy study = drafted(
      "typedef struct { float x, y; float v[2]; } Body;\n"
      "__global__ void k(Body* p, int n) { p[blockIdx.x * blockDim.x + threadIdx.x].x += 1; }\n");
  says(study.yaml, {"{name: p, type: float32, shape: [n, 4], role: inout"});
}

TEST(Draft, CompressedRowsGetOffsetsThatFit) {
  const DraftedStudy study = drafted(
      "__global__ void k(int rows, const int* offsets, const int* columns, const float* values, "
      "const float* x, float* y) {\n"
      "  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;\n"
      "  for (int i = offsets[row]; i < offsets[row + 1]; ++i) y[row] += values[i] * "
      "x[columns[i]];\n}\n"
      "void run(Csr m, float* x, float* y) {\n"
      "  const auto blocks = (m.rows + 3) / 4;\n"
      "  k<<<blocks, 128>>>(m.rows, m.offsets, m.columns, m.values, x, y);\n}\n");
  says(study.yaml, {"shape: [rows + 1], fill: {ragged: {of: \"rows * 16\"}}",
                    "name: columns, type: int32, shape: [rows, 16], fill: {integers: [0, \"rows - "
                    "1\"]}",
                    "name: values, type: float32, shape: [rows, 16]",
                    "name: x, type: float32, shape: [rows],", "grid: [\"(rows + 3) // 4\"]"});
}

TEST(Draft, LaunchesByTheRuntimesFunctionAreFound) {
  const DraftedStudy study = drafted(
      "__global__ void k(float* a, int n) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
      "void run(float* a, int count) {\n  count = 4096;\n  void* args[] = {&a, (void*)&count};\n"
      "  cudaLaunchKernel((void*)k, dim3(count / 128), dim3(128), args, 0, 0);\n}\n");
  says(study.yaml, {"- {n: 4096}", "block: [BLOCK]\n  grid: [\"n // BLOCK\"]"});
}

const std::string kRows =
    "__global__ void k(const float* in, float* out, int rows, int cols) {\n"
    "  const int c = (blockIdx.x * blockDim.x + threadIdx.x) * 4, r = blockIdx.y;\n"
    "  for (int v = 0; v < 4; ++v) out[r * cols + c + v] = in[r * cols + c + v];\n}\n";

TEST(Draft, WhatAKernelOnlyWritesIsAnOutput) {
  const auto role = [](const std::string& statement) {
    const std::string yaml =
        drafted("__global__ void k(float* out, int n) { int i = threadIdx.x; " + statement + " }")
            .yaml;
    return has(yaml, "shape: [n], role: out}") ? "out" : has(yaml, "role: inout") ? "inout" : "in";
  };
  EXPECT_STREQ(role("out[i] = 1;"), "out");
  EXPECT_STREQ(role("if (i < n) { out[i] = i == 0 ? 1 : 2; }"), "out");
  EXPECT_STREQ(role("*out = 1;"), "out");
  EXPECT_STREQ(role("int x = i + blockIdx.x; if (x > 0 && x < n - 1) out[x] = 1;"), "inout");
  EXPECT_STREQ(role("out[i] += 1;"), "inout");
  EXPECT_STREQ(role("out[i] = 2 * out[n - i];"), "inout");
  EXPECT_STREQ(role("atomicAdd(&out[i], 1);"), "inout");
  EXPECT_STREQ(role("store(out, i);"), "inout");
  EXPECT_STREQ(role("n = 2 * *out;"), "in");
}

TEST(Draft, AnOutputOfOneIndexHasTheExtentThatTheIndexRunsAlong) {
  const auto out = [](const std::string& body) {
    const std::string yaml =
        drafted("__global__ void k(float* out, int rows, int cols) {\n" + body + "\n}\n").yaml;
    const std::size_t from = yaml.find("{name: out, type: float32, ") + 27;
    return yaml.substr(from, yaml.find('}', from) - from);
  };
  EXPECT_EQ(out("int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < rows) out[r] = cols;"),
            "shape: [rows], role: out");
  EXPECT_EQ(
      out("float s = 0; for (int c = threadIdx.x; c < cols; ++c) s += f(blockIdx.x * cols + c);\n"
          "if (threadIdx.x == 0) out[blockIdx.x] = s;"),
      "shape: [rows], role: out");
  EXPECT_EQ(out("int i = blockIdx.x * 64 + threadIdx.x; if (i < cols) out[blockIdx.x] = 1;"),
            "shape: [rows, cols], role: inout, fill: zeros");
  EXPECT_EQ(out("out[blockIdx.y * cols + blockIdx.x] = 1;"), "shape: [rows, cols], role: out");
}

TEST(Draft, ExtentsThatAreGuessedAreUnlikeEachOther) {
  EXPECT_TRUE(
      has(drafted(kRows).yaml, "- {rows: 512, cols: 1024}  # a guess: rows = 512; cols = "));
  EXPECT_TRUE(
      has(drafted("__global__ void k(float* c, int m, int n, int k) { c[m] = n * k; }").yaml,
          "- {m: 256, n: 512, k: 128}"));
  EXPECT_TRUE(has(drafted(kRows + "void f() { k<<<1, 1>>>(a, b, rows, 512); }").yaml,
                  "- {rows: 1024, cols: 512}"));
}

TEST(Draft, TheSourcesOwnConstantsAreExtents) {
  const std::string yaml = drafted(
                               "#define WIDTH 512\n__global__ void k(float* c, const float* v) {\n"
                               "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                               "  if (x < WIDTH) c[y * WIDTH + x] = v[x];\n}\n")
                               .yaml;
  says(yaml, {"{name: c, type: float32, shape: [512, 512],",
              "{name: v, type: float32, shape: [512],", "grid: [\"ceil_div(512, BLOCK_X)\", 1]"});
  lacks(yaml, {"problem_sizes"});
}

TEST(Draft, NamesOfExtentsAreReadInAllStyles) {
  const std::string yaml =
      drafted(
          "__global__ void gemm(int kSizeM, int kSizeN, int kSizeK, const float* mat_a,\n"
          "                     const float* mat_b, float* mat_c) {\n"
          "  int row = blockDim.x * blockIdx.x + threadIdx.x;\n"
          "  int col = blockDim.y * blockIdx.y + threadIdx.y;\n"
          "  float sum = 0;\n"
          "  for (int k = 0; k < kSizeK; k++)\n"
          "    sum += mat_a[k * kSizeM + row] * mat_b[k * kSizeN + col];\n"
          "  mat_c[col * kSizeM + row] = sum;\n}\n")
          .yaml;
  says(yaml, {"{name: mat_b, type: float32, shape: [kSizeK, kSizeN],",
              "grid: [\"ceil_div(kSizeM, BLOCK_X)\", \"ceil_div(kSizeN, BLOCK_Y)\"]"});
}

TEST(Draft, TheGridRunsAlongWhatIndicesAreComparedWithOrAddedTo) {
  const auto grid = [](const std::string& body, const std::string& extents = "int rows, int cols") {
    const std::string yaml =
        drafted("__global__ void k(float* a, " + extents + ") {\n" + body + "\n}\n").yaml;
    const std::size_t from = yaml.find("  grid: ") + 8;
    return yaml.substr(from, yaml.find("]", from) + 1 - from);
  };
  EXPECT_TRUE(has(drafted(kRows).yaml,
                  "grid: [\"ceil_div(cols, BLOCK * 4)\", rows]  # a guess: the "
                  "grid along x: cols in shares of BLOCK * 4; "))
      << drafted(kRows).yaml;
  EXPECT_EQ(grid("int r = blockIdx.x, c = blockIdx.y; a[c + cols * r] = 1;"), "[rows, cols]");
  EXPECT_EQ(grid("int c = blockIdx.x; if (c * 2 + 1 < cols) a[c] = 1;"), "[cols]");
  EXPECT_EQ(grid("int c = blockIdx.x; if (cols <= c) return; a[c] = 1;"), "[cols]");
  EXPECT_EQ(grid("for (int c = threadIdx.x; c < cols; ++c) a[blockIdx.x * cols + c] = 1;"),
            "[rows]");
  EXPECT_EQ(
      grid("int i = blockIdx.x, j = blockIdx.y; a[i * h + j] = a[j * w + i];", "int h, int w"),
      "[w, h]");
  EXPECT_EQ(grid("int x = blockIdx.y + threadIdx.y, y = blockIdx.x + threadIdx.x;\n"
                 "a[x * h + y] = a[y * w + x];",
                 "int w, int h"),
            "[h, w]");
  EXPECT_EQ(grid("int u = blockIdx.z, v = blockIdx.y, t = blockIdx.x;\n"
                 "a[(u * h + v) * w + t] = 1;",
                 "int d, int h, int w"),
            "[w, h, d]");
  EXPECT_EQ(grid("int i = blockIdx.y, j = blockIdx.x; float s = 0;\n"
                 "for (int l = 0; l < k; ++l) s += a[i * k + l] * a[l * n + j];",
                 "int m, int n, int k"),
            "[n, m]");
  EXPECT_EQ(grid("a[blockIdx.y] = blockIdx.x;", "int height, int width"), "[width, height]");
}

TEST(Draft, WhatNobodyDefinesHasNoBaseline) {
  const std::string head =
      "# baseline: what you use now, to show speed-ups over it; your present value was not found "
      "for ";
  const std::string kernel =
      "__global__ void k(float* a, int n) { a[blockIdx.x * block_size_x + threadIdx.x] = n; }\n";
  const std::string yaml = drafted(kernel).yaml;
  EXPECT_TRUE(has(yaml, head + "block_size_x\n")) << yaml;
  says(yaml, {"block_size_x: [16, 32, 64, 128, 256, 512, 1024]  # a guess; used and "});
  lacks(yaml, {"\nbaseline:"});
  EXPECT_TRUE(has(drafted("#ifndef block_size_x\n#define block_size_x 64\n#endif\n" + kernel).yaml,
                  "\nbaseline: {block_size_x: 64}"));
  EXPECT_TRUE(
      has(drafted("template <int TILE> __global__ void k(float* a, int n) { a[n] = TILE; }").yaml,
          head + "TILE, BLOCK\n"));
  EXPECT_TRUE(has(drafted(kAxpy).yaml, head + "BLOCK\n"));
}

TEST(Draft, MarksEveryGuessInTheStudy) {
  const std::string yaml =
      drafted("template <typename T> __global__ void k(T* a) { a[blockIdx.x + threadIdx.x] = 1; }")
          .yaml;
  says(yaml, {"entry: \"k<float>\"  # a guess: template parameter T is float\n",
              "block: [BLOCK]  # a guess: a block of 256 threads along x\n",
              "  - {N: 65536}  # a guess: 65536 elements: the kernel has no argument for "});
  EXPECT_TRUE(has(
      yaml, "grid: [\"ceil_div(N, BLOCK)\"]  # a guess: the grid along x: N in shares of BLOCK\n"))
      << yaml;
  EXPECT_TRUE(has(drafted("__global__ void k(const float* a, int n) { n = a[n]; }").yaml,
                  "# No output was found, so nothing is verified.\n"));
}

TEST(Draft, NamesOfFilesAreQuoted) {
  const auto source = [](const std::string& name) {
    const std::string yaml = draft_study({kAxpy, name, name, {}}).yaml;
    EXPECT_TRUE(yaml.starts_with("# Made by tuner init from ")) << yaml;
    EXPECT_EQ(yaml.find("\nschema: 1\n"), yaml.find("\n", yaml.find("\n") + 1)) << yaml;
    const std::size_t from = yaml.find("  source: ") + 10;
    return yaml.substr(from, yaml.find('\n', from) - from);
  };
  EXPECT_EQ(source("x: y.cu"), "\"x: y.cu\"");
  EXPECT_EQ(source("- a.cu"), "\"- a.cu\"");
  EXPECT_EQ(source("{N}.cu"), "\"{N}.cu\"");
  EXPECT_EQ(source("a #b.cu"), "\"a #b.cu\"");
  EXPECT_EQ(source("a\\\"b.cu"), "\"a\\\\\\\"b.cu\"");
  EXPECT_EQ(source("a\nmeasure: {finalists: 0}\n#.cu"),
            "\"a\\x0ameasure: {finalists: 0}\\x0a#.cu\"");
  EXPECT_EQ(source("src/k-1.cu"), "src/k-1.cu");
  EXPECT_EQ(source("null"), "\"null\"");
}

// A compiler complains of what headers of the system and the host's code write, too.
TEST(Draft, AnUndeclaredNameIsAKnobOnlyWhereTheDeviceUsesIt) {
  DraftRequest request{
      "#define STEP2 (2 * STEP)\n"
      "__device__ int twice(int i) { return WIDE * i; }\n"
      "__global__ void k(float* y) { y[twice(threadIdx.x)] = TILE + STEP2; }\n"
      "int main() { return hosts; }\n",
      "k.cu", "k.cu", ""};
  request.undefined = {"noinline", "hosts", "TILE", "WIDE", "STEP"};
  const std::string yaml = draft_study(request).yaml;
  says(yaml, {"  TILE: ", "  WIDE: ", "  STEP: "});
  lacks(yaml, {"noinline", "hosts"});
}

TEST(Draft, NamesAFewOfManyOtherKernels) {
  std::string source;
  for (int i = 0; i < 2000; ++i) {
    source += "#define M" + std::to_string(i) + " 1\n__global__ void k" + std::to_string(i) +
              "(float* a) {}\n";
  }
  EXPECT_EQ(drafted(source).guessed.front(),
            "there are other kernels: k1, k2, k3, k4, k5, k6, k7, k8, k9, k10 and 1989 more "
            "(--kernel NAME drafts for one)");
  EXPECT_EQ(drafted(source, "k1999").found.front(), "kernel k1999 (line 4000)");
}

TEST(Draft, WhatIndicesAreHeldAgainstIsAnExtent) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* a, int points) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= points) return;\n"
          "  a[i] = 1; }\n")
          .yaml;
  says(yaml, {"- {points: 1048576}", "grid: [\"ceil_div(points, BLOCK)\"]", "shape: [points]"});
}

TEST(Draft, RowsOfAnOutputDoNotOverlap) {
  const std::string yaml =
      drafted(
          "__global__ void k(const float* x, float* y, int cols, int s1, int gap) {\n"
          "  const int c = threadIdx.x, at = blockIdx.x * s1 + c;\n"
          "  if (c < cols) y[at] = x[blockIdx.x * 3 + c * gap]; }\n")
          .yaml;
  says(yaml, {"{name: s1, type: int32, value: cols}", "{name: gap, type: int32, value: 16}"});
}

TEST(Draft, AClockIsSaidToMakeAnswersDiffer) {
  const DraftedStudy draft = drafted(
      "__global__ void k(long long* a, float* b) { b[threadIdx.x] = 1; a[blockIdx.x] = clock64(); "
      "}\n");
  EXPECT_TRUE(draft.reads_clock);
  EXPECT_EQ(std::ranges::count(
                draft.guessed,
                "the kernel reads a clock: what it writes of that differs from launch to launch"),
            1);
  EXPECT_FALSE(drafted(kAxpy).reads_clock);
}

}  // namespace
}  // namespace tuner
