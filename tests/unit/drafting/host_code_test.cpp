// What headers, host code and a trial tell of a kernel, and types that are more than numbers.

#include <gtest/gtest.h>

#include "tests/unit/drafting/drafted.h"

namespace tuner {
namespace {

TEST(DraftFromHostCode, TypesAndKnobsOfHeadersAreSeen) {
  DraftRequest request{
      "#include \"types.h\"\n__global__ void k(real* a, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= TILE; "
      "}\n",
      "k.cu",
      "k.cu",
      {}};
  request.project.headers = {{"/p/include/types.h",
                              "#if defined(USE_HALF)\ntypedef half real;\n#else\ntypedef double "
                              "real;\n#endif\n#ifndef TILE\n#define TILE 4\n#endif\n"}};
  request.include_dirs = {"include"};
  const DraftedStudy study = draft_study(request);
  says(study.yaml,
       {"{name: a, type: float64, shape: [n]", "TILE: [2, 4, 8]  # now 4; macro of types.h:7",
        "  include_dirs: [\"include\"]\n"});
  request.source = "#define USE_HALF\n" + request.source;  // which the header asks for
  says(draft_study(request).yaml, {"{name: a, type: float16, shape: [n]"});
}

TEST(DraftFromHostCode, BuffersAreAsLargeAsTheHostCodeAllocates) {
  const DraftedStudy study = drafted(
      "__global__ void k(float* out, const float* in, int B, int T, int w) { out[B * T * w] = "
      "in[0]; "
      "}\n"
      "void launch(float* o, float* i, int b, int t, int w) { k<<<b, 64>>>(o, i, b, t, w); }\n"
      "int main(int argc, char** argv) {\n"
      "  int rows = 8, cols = argc > 1 ? atoi(argv[1]) : 32;\n"
      "  size_t bytes = (rows + 1) * cols * sizeof(float);\n"
      "  float *d_out, *d_in;\n"
      "  cudaCheck(cudaMalloc((void**)&d_out, rows * cols * sizeof(float)));\n"
      "  cudaMalloc(&d_in, bytes);\n"
      "  launch(d_out, d_in, rows, cols, 3);\n}\n");
  says(study.yaml,
       {"- {B: 8, T: 32, w: 3}\n", "{name: out, type: float32, shape: [B, T], role: out}\n",
        "{name: in, type: float32, shape: [\"((B + 1) * T * 4) // 4\"]"});
}

TEST(DraftFromTrial, WholeNumbersThatMayBePlacesAreSmallWhereTheyCrash) {
  DraftRequest request{
      "__global__ void k(float* y, const int* at, const int* row_begin, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = at[row_begin[i]];\n}\n",
      "k.cu",
      "k.cu",
      {}};
  EXPECT_TRUE(draft_study(request).has_whole_inputs);
  request.small = true;
  says(draft_study(request).yaml,
       {"{name: at, type: int32, shape: [n], fill: {integers: [0, 1]}}  # larger numbers crashed",
        "{name: row_begin, type: int32, shape: [n], fill: zeros}"});
}

TEST(DraftFromTrial, WhereOnlyTheOrderDiffersItDoesNotCount) {
  DraftRequest request{
      "__global__ void k(const int* x, int* y, int* count) {\n"
      "  if (x[threadIdx.x] > 50) y[atomicAdd(count, 1)] = x[threadIdx.x]; }\n",
      "k.cu", "k.cu", ""};
  request.any_order.insert("y");
  says(draft_study(request).yaml,
       {"y: {tolerance: usual, order: any}  # only the order of its elements differs",
        "count: {tolerance: usual}"});
}

TEST(DraftFromTrial, HowMuchSmallerADraftIsMadeIsSaid) {
  EXPECT_EQ(drafted("__global__ void k(float* y) { y[threadIdx.x] = 1; }\n").smaller, 1);
  EXPECT_GT(drafted("__global__ void k(float* y, const float* x, int n) {\n  __syncthreads();\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n"
                    "}\n")
                .smaller,
            1);
}

TEST(DraftFromTrial, WhereThreadsMeetPlacesAreAllDifferent) {
  DraftRequest request{
      "__global__ void k(float* y, const float* x, const int* at, const int* many, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n"
      "  const int to = at[i];\n  y[to * 2] = x[i] * many[i];\n}\n",
      "k.cu",
      "k.cu",
      {}};
  request.distinct = true;
  says(draft_study(request).yaml,
       {"{name: at, type: int32, shape: [n], fill: {formula: \"i % (n // 2)\"}}",
        "{name: many, type: int32, shape: [n], fill: {integers: [0, 100]}}"});
}

TEST(DraftFromHostCode, ABufferWhoseShapeIsNotSeenHasNotAllExtentsOfMany) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* y, const float* x, int n, int m, int batch, int rows, int "
          "size) "
          "{\n  y[threadIdx.x] = x[blockIdx.x] * (n + m + batch + rows + size);\n}\n")
          .yaml;
  says(yaml, {"{name: x, type: float32, shape: [m, batch, rows, size]"});
}

TEST(DraftFromHostCode, LaunchesInOtherFilesAreFound) {
  DraftRequest request{
      "__global__ void k(float* a, int n) { a[blockIdx.x * 64] = n; }\n", "k.cu", "k.cu", {}};
  request.project.hosts = {
      {"/p/other.cu", "#define N 7\n"},
      {"/p/main.cu", "#define N 4096\nvoid f() {\n  k<<<N / 64, 64>>>(p, N);\n}"}};
  const DraftedStudy study = draft_study(request);
  EXPECT_EQ(study.found.back(), "its launch in main.cu:3");
  says(study.yaml, {"- {n: 4096}\n"});
}

TEST(DraftFromHostCode, AMacroOfTheSourceChoosesTheBranchOfItsHeader) {
  const std::string kernel = "__global__ void k(real* x, int n) { if (threadIdx.x < n) x[0] = 1; }";
  DraftRequest request{"#define IN_HALVES\n#include \"types.h\"\n" + kernel, "k.cu", "k.cu", ""};
  request.project.headers = {{"types.h",
                              "#if defined(IN_HALVES)\ntypedef __half real;\n"
                              "#else\ntypedef float real;\n#endif\n"}};
  says(draft_study(request).yaml, {"{name: x, type: float16,"});
  request.source = "#include \"types.h\"\n" + kernel;
  says(draft_study(request).yaml, {"{name: x, type: float32,"});
}

TEST(DraftFromHostCode, WhatTheSourceItselfDefinesNoOtherFileSays) {
  DraftRequest request{
      "struct P { float a; float b; };\nconst int TILE = 8;\n"
      "__global__ void k(const P* p, float* y, int n) {\n"
      "  __shared__ float s[TILE];\n  y[blockIdx.x * 64] = p[n].a + s[0];\n}\n"
      "void go(P* p, float* y, int n) { k<<<(n + 63) / 64, 64>>>(p, y, n); }\n",
      "k.cu",
      "k.cu",
      {}};
  request.project.hosts = {
      {"/p/other.cu",
       "typedef double P;\n#define TILE 99\n__global__ void k(const P* p, float* y, int n) {}\n"
       "void go(P* p, float* y, int n) { k<<<1, 64>>>(p, y, n); }\n"}};
  says(draft_study(request).yaml, {"{name: p, type: float32, shape: [n, 2]"});
}

TEST(DraftFromHostCode, NumbersOfTheHostCodeAreConvertedAsCDoes) {
  const std::string yaml =
      drafted(
          "__global__ void k(int mark, unsigned char c, float f, float* a) { a[mark] = c * f; "
          "}\nvoid f() { k<<<1, 64>>>(0xDEADBEEF, 300, -1, a); }\n")
          .yaml;
  says(yaml, {"{name: mark, type: int32, value: -559038737}\n",
              "{name: c, type: uint8, value: 44}\n", "{name: f, type: float32, value: -1}\n"});
}

TEST(DraftFromHostCode, AGridOfNothingIsNotDrafted) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* a, int n) { a[blockIdx.x * blockDim.x] = 1; }\n"
          "void f() { int b = 0; k<<<b, 2048>>>(a, 512); }\n")
          .yaml;
  says(yaml, {"block: [BLOCK]  # a guess: the block's extent, since '2048' is beyond ",
              "grid: [\"ceil_div(n, BLOCK)\"]  # a guess: the grid, since 'b' is beyond "});
}

TEST(DraftFromHostCode, MembersAndDim3OfTheHostCodeAreRead) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* c, int wa) { c[blockIdx.y * wa + blockIdx.x] = 1; }\n"
          "void run(float* c, const dim3& size) {\n  dim3 threads(8, 8);\n"
          "  dim3 grid(size.x / threads.x, size.y / threads.y);\n"
          "  k<<<grid, threads>>>(c, size.x);\n}\n"
          "int main() { dim3 all(64, 32, 1); all.y = getFlag(argc, argv); run(c, all); }\n")
          .yaml;
  says(yaml, {"grid: [8, 4]\n", "{name: wa, type: int32, value: 64}\n"});
}

TEST(DraftFromHostCode, MacrosThatNobodyDefinesAreParameters) {
  const std::string yaml =
      drafted(
          "enum { KNOWN = 3 };\n__global__ void k(float* a, int n) {\n"
          "  a[blockIdx.x * WORK_GROUP + threadIdx.x] = UNROLL + KNOWN + FLT_MAX; }\n")
          .yaml;
  says(yaml, {"WORK_GROUP: [", "UNROLL: [1, 2, 4]  # a guess; used and defined nowhere\n"});
  lacks(yaml, {"KNOWN: ", "FLT_MAX: "});
}

TEST(DraftFromHostCode, NamesThatALibraryMayDefineAreNoParameters) {
  const std::string kernel =
      "__global__ void k(float* a, int n) { Load<LOAD_DIRECT> l; a[threadIdx.x] = block_size_x; "
      "}\n";
  says(drafted(kernel).yaml, {"LOAD_DIRECT: ["});
  const std::string yaml = drafted("#include <cub/cub.cuh>\n" + kernel).yaml;
  lacks(yaml, {"LOAD_DIRECT: ["});
  says(yaml, {"block_size_x: ["});
}

TEST(DraftFromHostCode, AMacroThatIsComparedHasOneOfTheValues) {
  const std::string yaml =
      drafted(
          "#if VEC == 2\ntypedef float2 vec;\n#elif VEC == 4\ntypedef float4 vec;\n#endif\n"
          "#if DEBUG == 1\n#define CHECK\n#endif\n"
          "__global__ void k(vec* a, int n) {\n#pragma unroll unroll_by\n"
          "  for (int i = 0; i < n; i += VEC) a[i] = a[i + 1];\n}\n")
          .yaml;
  says(yaml, {"VEC: [2, 4]  # a guess; used and defined nowhere\n",
              "unroll_by: [1, 2, 4]  # a guess; used and defined nowhere\n"});
  lacks(yaml, {"DEBUG: "});
  says(yaml, {"{name: a, type: float32, shape: [n, 2]"});
}

TEST(DraftFromHostCode, WhatIsSetLastAboveTheLaunchCounts) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* a, int step, int n) { a[threadIdx.x] = step * n; }\n"
          "void f() { int i; for (i = 0; i < 4; ++i) prepare(i);\n"
          "  dim3 grid; grid.x = 3; grid.y = 2;\n"
          "  for (i = 5; i < 9; ++i) k<<<grid, 32>>>(a, i, 64); i = 7; }\n")
          .yaml;
  says(yaml, {"{name: step, type: int32, value: 5}", "grid: [3, 2]\n"});
}

TEST(DraftFromHostCode, BuffersAreSmallerWithTheirSizes) {
  const std::string yaml =
      drafted(
          "__global__ void k(const unsigned char* a, int count) { if (threadIdx.x < count) f(a); "
          "}\n"
          "void run() { unsigned bytes = 64 * 1048576; cudaMalloc(&d, bytes);\n"
          "  k<<<240, 192>>>(d, bytes / 4); }\n")
          .yaml;
  says(yaml, {"- {count: 2097152}\n", "{name: a, type: uint8, shape: [count, 4],"});
}

TEST(DraftFromHostCode, ExtentsStandInTheOrderOfRows) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* a, float* b, int width, int height) {\n"
          "  const int x = threadIdx.x, y = blockIdx.x;\n"
          "  if (x < width && y < height) a[y * width + x] = b[x * height + y]; }\n"
          "void run() { int width = 640, height = 480;\n"
          "  cudaMalloc(&p, width * height * 4); cudaMalloc(&q, width * height * 4);\n"
          "  k<<<height, width>>>(p, q, width, height); }\n")
          .yaml;
  EXPECT_TRUE(has(yaml, "{name: a, type: float32, shape: [height, width],")) << yaml;
  EXPECT_TRUE(has(yaml, "{name: b, type: float32, shape: [width, height],")) << yaml;
}

TEST(DraftFromHostCode, NumbersThatMakeUpAnExtentAreThatExtent) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* a, int rows, int cols) { if (threadIdx.x < rows) f(a, cols); "
          "}\n"
          "void run() { int B = 8, T = 1024, cols = 8000; cudaMalloc(&d, B * T * cols * 4);\n"
          "  k<<<240, 192>>>(d, B * T, cols); }\n")
          .yaml;
  says(yaml, {"- {rows: 1024, cols: 2048}\n", "{name: a, type: float32, shape: [rows, cols],"});
}

TEST(DraftFromHostCode, AConstantThatTheKernelHasTooIsReplacedAsAnExtent) {
  const std::string kernel =
      "__global__ void k(float* a) { for (int i = threadIdx.x; i < W; i += blockDim.x)\n"
      "  a[blockIdx.x * W + i] *= 2; }\n"
      "void run() { float* a; cudaMalloc(&a, H * W * 4); k<<<H, 256>>>(a); }\n";
  const std::string yaml =
      drafted("const int H = 1 << 12;\nconst int W = 1 << 12;\n" + kernel).yaml;
  says(yaml, {"replace: [unroll, W]", "- {H: 1024, W: 2048}", "grid: [H]", "shape: [H, W],"});
}

TEST(DraftFromHostCode, ManyExtentsAreSmallWhereATrialAsksForIt) {
  DraftRequest request{
      "__global__ void k(float* a, int b, int h, int s) {\n"
      "  if (threadIdx.x < s && blockIdx.x < b * h * s) a[blockIdx.x * s + threadIdx.x] = 0; }\n"
      "void run() { int b = 32, h = 64, s = 512; k<<<b * h * s, 32>>>(a, b, h, s); }\n",
      "k.cu", "k.cu", ""};
  request.smaller = 4096;
  says(draft_study(request).yaml, {"- {b: 8, h: 8, s: 8}"});
}

TEST(DraftFromHostCode, AModeIsOneThatTheKernelKnows) {
  const std::string head =
      "enum Pool { kSum = 3, kMost = 4 };\nenum class Edge { kWrap = 5 };\n"
      "__global__ void k(float* a, Pool mode, Edge edge, int bits, int axis) {\n";
  const std::string yaml =
      drafted(head +
              "  switch (mode) { case kMost: a[threadIdx.x] = 1; break; default: assert(false); }\n"
              "  switch (bits) { case 8: break; }\n  if (axis == 0) return;\n"
              "  if (edge == Edge::kWrap) a[0] = 2; }\n")
          .yaml;
  says(yaml, {"{name: mode, type: int32, value: 4}", "{name: bits, type: int32, value: 8}",
              "{name: edge, type: int32, value: 5}", "{name: axis, type: int32, value: 16}"});
}

TEST(DraftFromHostCode, ADim3IsWhatItWasSetToLastAboveTheLaunch) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* a) { a[threadIdx.y * 32 + threadIdx.x] = 1; }\n"
          "void run(float* a) { dim3 blocks(7), threads(9);\n"
          "  blocks = dim3(4); threads = dim3(32, 2); k<<<blocks, threads>>>(a);\n"
          "  threads = dim3(32, 5); other<<<blocks, threads>>>(a); }\n")
          .yaml;
  says(yaml, {"block: [32, 2]", "grid: [4]"});
}

TEST(DraftFromHostCode, ABlockThatIsNotSeenHasTheAxesThatTheKernelUses) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* a, int n) {\n"
          "  const int i = threadIdx.y * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }\n"
          "void run(float* a, int n, dim3 threads) { k<<<1, threads>>>(a, n); }\n")
          .yaml;
  says(yaml, {"block: [BLOCK_X, BLOCK_Y]"});
}

TEST(DraftFromHostCode, AKernelThatPassesItsArgumentsOnIsWhatItCalls) {
  const std::string yaml = drafted(
                               "template <int B> __device__ void inner(float* c, int w) {\n"
                               "  c[blockIdx.y * w + threadIdx.y * B + threadIdx.x] = 1; }\n"
                               "__global__ void outer(float* c, int w) { inner<8>(c, w); }\n")
                               .yaml;
  says(yaml, {"  block: [BLOCK_X, BLOCK_Y]"});
}

TEST(DraftFromHostCode, AKernelWithoutArgumentsHasAStudyWithoutAny) {
  const std::string yaml =
      drafted("__global__ void k() { printf(\"x\"); }\nvoid f() { k<<<2, 32>>>(); }\n").yaml;
  lacks(yaml, {"arguments:", "reference:"});
}

TEST(DraftFromHostCode, WhatATrialTaughtIsMinded) {
  DraftRequest request{kAxpy, "k.cu", "k.cu", {}};
  request.room = {{kEvery, 8}, {"y", 2}};
  request.atol = {{"y", "3e-3"}};
  request.fewer = 4;
  request.smaller = 1024;
  request.remarks = {"tried"};
  const std::string yaml = draft_study(request).yaml;
  says(yaml, {"\n# tried\nschema: 1\n", "  - {n: 1024}", "{name: x, type: float32, shape: [n, 8],",
              "{name: y, type: float32, shape: [n, 2],",
              "  y: {rtol: 1e-4, atol: 3e-3}  # sums in another order differ",
              "configuration: {BLOCK: 64}"});
  request.source = "__global__ void k(float* y, int n) { y[threadIdx.x] = n; }";
  request.unwritten = {"y"};
  EXPECT_TRUE(has(draft_study(request).yaml, "role: inout, fill: zeros}  # not every element"));
  request.unsteady = {"y"};
  EXPECT_TRUE(has(draft_study(request).yaml, "role: scratch}  # not verified: two launches wrote"));
}

TEST(DraftFromHostCode, WhatNoFillSaysIsZero) {
  const std::string yaml =
      drafted(
          "struct Near { int at; };\nstruct Box { int x; Near near[26]; float* more; };\n"
          "__global__ void k(Box* boxes, curandState_t* states, int n) {\n"
          "  if (threadIdx.x < n) states[threadIdx.x] = boxes[threadIdx.x].x; }\n")
          .yaml;
  says(yaml, {"{name: boxes, type: Box, shape: [n], fill: {x: {integers: [0, 9]}}}",
              "{name: states, type: uint8, shape: [n, 48], role: out}"});
}

TEST(DraftFromHostCode, StructsAreDraftedMemberByMember) {
  const std::string yaml =
      drafted(
          "#define bool char\n#ifdef SIDE\n#define KINDS SIDE\n#else\n#define KINDS 1\n#endif\n"
          "typedef struct { int width; int height; float* elements; } Matrix;\n"
          "struct Cell { float3 at; int kind[KINDS + 1]; bool alive; void step() {} };\n"
          "__global__ void k(Matrix a, Matrix c, Cell* cells, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n) c.elements[i] = a.elements[i] * cells[i].kind[0];\n}\n"
          "void f() { Matrix a, c; a.width = 512; k<<<4, 128>>>(a, c, cells, 512); }\n")
          .yaml;
  says(yaml, {"types:\n  Matrix: [{width: int32}, {height: int32}, {elements: pointer}]\n"
              "  Cell: [{at: float3}, {kind: [int32, 2]}, {alive: bool}]\n",
              "{name: a, type: Matrix, value: {width: \"512\", height: 64, elements: "
              "a_elements}}",
              "{name: cells, type: Cell, shape: [n], fill: {at: {uniform: [0, 1]}, kind: "
              "{integers: [0, 9]}, alive: {integers: [0, 1]}}}",
              "buffers:\n  - {name: a_elements, type: float32, shape: [65536], fill: ",
              "{name: c_elements, type: float32, shape: [65536], role: inout,"});
}

TEST(DraftFromHostCode, AddressesAreNullOrOfATable) {
  const std::string yaml =
      drafted(
          "__global__ void k(float** rows, const float* bias, float4 wind, float* y) {\n"
          "  y[threadIdx.x] = rows[1][0] + wind.x + (bias ? bias[0] : 0);\n}\n"
          "void f() { float** r; cudaMalloc(&r, 2 * sizeof(float*));\n"
          "  k<<<1, 64>>>(r, NULL, w, y); }\n")
          .yaml;
  says(yaml, {"- {name: rows, pointers: [rows_0, rows_1]}\n", "- {name: bias, value: null}\n",
              "- {name: wind, type: float4, value: [0.5, 0.5, 0.5, 0.5]}"});
}

// ---- launches behind it, and loops around it ---------------------------------------------------

const std::string kStep =
    "__global__ void step(const float* from, float* to, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) to[i] = 2 * from[i];\n}\n"
    "__global__ void clip(float* to, float most, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) to[i] = min(to[i], most);\n}\n"
    "void host(float* a, float* b, float* c[2], int n, int steps) {\n"
    "  cudaMalloc(&a, 4 * n);\n  cudaMalloc(&b, 4 * n);\n  int src = 1, dst = 0;\n";
const std::string kLaunch = "step<<<(n + 255) / 256, 256>>>(a, b, n); ";

TEST(Draft, RoundsInWhichBuffersChangePlacesAreRepeated) {
  for (const std::string swap :
       {"std::swap(a, b);", "swap(a, b);", "float* t = a; a = b; b = t;"}) {
    const std::string yaml = drafted(kStep + "  for (int k = 0; k < 1000; ++k) { " + kLaunch +
                                     "cudaDeviceSynchronize(); " + swap + " }\n}\n")
                                 .yaml;
    says(yaml, {"  repeat: 8  # the loop around it (line 13) makes 1000 rounds\n"
                "  swap: [[from, to]]\n"});
    EXPECT_TRUE(has(yaml, "  repeat: 8\n  swap: [[from, to]]\n")) << "of the reference";
    says(yaml, {"{name: from, type: float32, shape: [n], role: inout, fill: {uniform",
                "{name: to, type: float32, shape: [n], role: out}", "  from: {tolerance: usual}"});
  }
  const std::string by_index =
      drafted(kStep +
              "  for (int k = 0; k < 3; k++) { int t = src; src = dst; dst = t; "
              "step<<<n / 256, 256>>>(c[src], c[dst], n); }\n}\n")
          .yaml;
  says(by_index, {"  repeat: 3  # the loop around it (line 13) makes as many\n"});
}

TEST(Draft, AKernelBehindItThatHasItsBuffersFollows) {
  const std::string yaml = drafted(kStep + "  " + kLaunch + "\n  CHECK(cudaGetLastError());\n" +
                                   "  clip<<<(n + 255) / 256, 256>>>(b, 0.5f, n);\n}\n")
                               .yaml;
  says(yaml, {"  arguments: [from, to, n]\n  then:\n    - {entry: \"clip\", block: [BLOCK], "
              "grid: [\"ceil_div(n, BLOCK)\"], arguments: [to, most, n]}\n",
              "  then:\n    - {entry: \"clip\", block: [256], grid: [\"ceil_div(n, 256)\"], "
              "arguments: [to, most, n]}\n",
              "  - {name: most, type: float32, value: 0.5}"});
}

TEST(Draft, WhatIsNotPlainIsSaidAndNotTaken) {
  const std::string loop = "  for (int k = 0; k < 9; ++k) { ";
  for (const auto& [host, said] : std::vector<std::pair<std::string, std::string>>{
           {loop + kLaunch + "}", "the loop around it (line 13) launches it on the same buffers"},
           {loop + kLaunch + "std::swap(a, b); cudaMemcpy(a, b, n, cudaMemcpyDefault); }",
            "the loop around it (line 13) does more than launch and swap"},
           {loop + kLaunch + "std::swap(a, c); }",
            "the loop around it (line 13) swaps what is not passed"},
           {"  for (int k = 9; k > 0; --k) { " + kLaunch + "std::swap(a, b); }",
            "the loop around it (line 13) does not count from 0 by 1"},
           {loop + "step<<<n / 256, 256>>>(a, b, n - k); std::swap(a, b); }",
            "the loop around it (line 13) passes 'k'"},
           {"  " + kLaunch + "clip<<<n / 64, 64>>>(b, 1, n);",
            "clip is launched behind it (line 13), but it has a parameter of its own, 'BLOCK'"},
           {"  " + kLaunch + "clip<<<n / 256, 256>>>(c[0], 1, n);",
            "clip is launched behind it (line 13), but it calls something else 'to'"},
           {"  " + kLaunch + "n = 7; clip<<<n / 256, 256>>>(b, 1, n);",
            "clip is launched later in the same function (line 13), with other code between"}}) {
    const std::string yaml = drafted(kStep + host + "\n}\n").yaml;
    EXPECT_TRUE(has(yaml, "  # seen and not taken: " + said + "\n")) << host << "\n" << yaml;
    EXPECT_FALSE(has(yaml, "  repeat: ") || has(yaml, "  then:")) << yaml;
  }
}

TEST(HostCode, MasksOfPowersOfTwoAreArithmetic) {
  says(drafted(
           "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
           "if (i < n) x[i] = 1; }\n"
           "int main() { int m = 1000, n = m + (512 - (m & 511)), b = (n + 127) & ~127; float* x; "
           "cudaMalloc(&x, b * sizeof(float)); k<<<b / 128, 128>>>(x, n); }\n")
           .yaml,
       {"- {n: 1024", "  grid: [\"((n + 127) // 128 * 128) // BLOCK\"]\n"});
}

TEST(HostCode, ALocalNameOfTheBlocksExtentIsSeenThrough) {
  says(drafted("__global__ void k(float* x, int n) { int size = blockDim.x; "
               "int i = blockIdx.x * size + threadIdx.x; if (i < n) x[i] = 1; }\n")
           .yaml,
       {"  grid: [\"ceil_div(n, BLOCK)\"]"});
}

// ---- structs that are passed by value -----------------------------------------------------------

const std::string kBlur =
    "struct Image { const unsigned char* pixels; int width, height; };\n"
    "struct Job { Image in; float* out; float gain; };\n"
    "__global__ void blur(Job job) {\n"
    "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "  if (x >= job.in.width || y >= job.in.height) return;\n"
    "  job.out[y * job.in.width + x] = job.gain * job.in.pixels[y * job.in.width + x];\n}\n";

TEST(HostCode, MembersOfAStructAreSizesAndBuffers) {
  const auto draft = drafted(
      kBlur +
      "void run(Job job) {\n"
      "  blur<<<dim3((job.in.width + 31) / 32, (job.in.height + 7) / 8), dim3(32, 8)>>>(job);\n}\n"
      "int main() {\n  const int w = 1920, h = 1080;\n"
      "  cudaMalloc(&p, w * h); cudaMalloc(&o, w * h * sizeof(float));\n"
      "  Image im = {p, w, h};\n  Job job;\n"
      "  job.in = im; job.out = o; job.gain = 2.f;\n  run(job);\n}\n");
  says(draft.yaml,
       {"- {w: 1920, h: 1080}", "grid: [\"ceil_div(w, BLOCK_X)\", \"ceil_div(h, BLOCK_Y)\"]",
        "value: {in: {pixels: job_in_pixels, width: \"w\", height: \"h\"}, out: job_out, gain: "
        "\"2.0\"}}\n",
        "{name: job_in_pixels, type: uint8, shape: [w, h], fill: {integers: [0, 9]}}\n",
        "{name: job_out, type: float32, shape: [w, h], role: inout,"});
}

TEST(HostCode, AStructIsSetInBraces) {
  for (const char* set :
       {"View<float> a{x, n}, b{y, n};", "View<float> a(x, n); View<float> b(y, n);",
        "View<float> a = {.data = x, .size = n}; auto b = View<float>{y, n};"}) {
    const auto draft = drafted(
        "template <typename T> struct View { T* data; int size; };\n"
        "__global__ void twice(View<float> in, View<float> out) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < in.size) out.data[i] = 2 * in.data[i];\n}\n"
        "int main() {\n  int n = 5000;\n  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);\n  " +
        std::string(set) + "\n  twice<<<(n + 255) / 256, 256>>>(a, b);\n}\n");
    says(draft.yaml, {"value: {data: in_data, size: \"n\"}", "value: {data: out_data, size: \"n\"}",
                      "{name: in_data, type: float32, shape: [n], fill",
                      "{name: out_data, type: float32, shape: [n], role: inout"});
  }
}

TEST(HostCode, CopiesOfStructsThatHaveNoEndAreNotFollowed) {
  says(drafted(kBlur + "int main() {\n  Job a = b; Job b = a; a.in = b.in; b.in = a.in;\n"
                       "  blur<<<8, 64>>>(a);\n}\n")
           .yaml,
       {"width: 64"});
}

}  // namespace
}  // namespace tuner
