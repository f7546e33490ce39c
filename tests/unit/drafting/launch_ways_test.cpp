// The ways in which host code writes the grid of a launch: each follows the block that is tuned.

#include <gtest/gtest.h>

#include "tests/unit/drafting/drafted.h"

namespace tuner {
namespace {

struct Way {
  std::string above, host;  // what stands above the function that launches, and in it
  std::string block, grid;
};

const std::string kOfAxes = "k<<<grid, block>>>(x, n);";

std::string launched(const Way& way) {
  return "__global__ void k(float* x, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 2;\n}\n" +
         way.above + "void run(float* x, int n) {\n" + way.host + "\n}\n";
}

TEST(DraftedGrid, FollowsTheBlockHoweverItIsWritten) {
  const std::string follows = "\"ceil_div(n, BLOCK)\"";
  const std::vector<Way> ways{
      {"", "dim3 block(256); dim3 grid((n + block.x - 1) / block.x);" + kOfAxes, "BLOCK", follows},
      {"", "dim3 block{256}; dim3 grid{(n + block.x - 1) / block.x};" + kOfAxes, "BLOCK", follows},
      {"", "dim3 block = dim3(256, 1, 1), grid = dim3((n + block.x - 1) / block.x);" + kOfAxes,
       "BLOCK", follows},
      {"", "auto block = dim3(256); auto grid = dim3((n + block.x - 1) / block.x);" + kOfAxes,
       "BLOCK", follows},
      {"", "dim3 block, grid; block.x = 256; grid.x = (n - 1) / block.x + 1;" + kOfAxes, "BLOCK",
       follows},
      {"", "dim3 block(256); k << <(n + block.x - 1) / block.x, block >> >(x, n);", "BLOCK",
       follows},
      {"", "const unsigned t{256U}; k<<<(n + t - 1U) / t, t>>>(x, n);", "BLOCK", follows},
      {"", "int t = 256; k<<<(static_cast<unsigned>(n) + t - 1) / t, t>>>(x, n);", "BLOCK",
       follows},
      {"int blocks_for(int a, int b) { return (a + b - 1) / b; }\n",
       "dim3 block(256); k<<<blocks_for(n, block.x), block>>>(x, n);", "BLOCK", follows},
      {"int iDivUp(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }\n",
       "dim3 block(256); dim3 grid(iDivUp(n, block.x)); " + kOfAxes, "BLOCK", follows},
      {"int blocks_for(int a, int b) { const int all = a + b - 1; int c = all / b; return c; }\n",
       "dim3 block(256); k<<<blocks_for(n, block.x), block>>>(x, n);", "BLOCK", follows},
      {"int blocks_for(int a, int b) { if (a % b == 0) return a / b; else return a / b + 1; }\n",
       "dim3 block(256); k<<<blocks_for(n, block.x), block>>>(x, n);", "BLOCK",
       "\"(n // BLOCK) if (n % BLOCK == 0) else (n // BLOCK + 1)\""},
      {"", "dim3 block(256); dim3 grid((n + 255) / 256); k<<<dim3(grid), dim3(block)>>>(x, n);",
       "BLOCK", follows},
      {"", "const int t(256); unsigned b((n + t - 1) / t); k<<<b, t>>>(x, n);", "BLOCK", follows},
      {"constexpr unsigned T(256);\n", "k<<<(n + T - 1) / T, T>>>(x, n);", "BLOCK", follows},
      {"#define CEIL(a, b) (((a) + (b) - 1) / (b))\n",
       "dim3 block(256); k<<<CEIL(n, block.x), block>>>(x, n);", "BLOCK", follows},
      {"", "int t = 256, b = n / t; if (n % t) b++; k<<<b, t>>>(x, n);", "BLOCK", follows},
      {"", "int t = 256, b = n / t; if (n % t != 0) { b += 1; } k<<<b, t>>>(x, n);", "BLOCK",
       follows},
      {"", "int t = 256, b = n / t; b += (n % t) ? 1 : 0; k<<<b, t>>>(x, n);", "BLOCK", follows},
      {"", "int t = 256, b = n / t; if (b * t < n) ++b; k<<<b, t>>>(x, n);", "BLOCK",
       "\"n // BLOCK + (1 if (n // BLOCK) * BLOCK < n else 0)\""},
      {"", "dim3 block(256), grid(n / 256); if (n % 256 != 0) grid.x++;" + kOfAxes, "BLOCK",
       follows},
      {"", "dim3 block(256), grid(n / 256); grid.x += n % 256 != 0;" + kOfAxes, "BLOCK", follows},
      {"", "int t = 256; int b = ceil((float)n / t); k<<<b, t>>>(x, n);", "BLOCK",
       "\"ceil(n / BLOCK)\""},
      {"", "k<<<(n + 255) / 256, 256>>>(x, n);", "BLOCK", follows},
      {"",
       "dim3 block(256); dim3 grid(min(65535, (n + (int)block.x - 1) / (int)block.x));" + kOfAxes,
       "BLOCK", "\"min(65535, (n + BLOCK - 1) // BLOCK)\""},
      {"struct Tile { static constexpr int x = 256; };\n",
       "k<<<(n + Tile::x - 1) / Tile::x, Tile::x>>>(x, n);", "BLOCK", follows},
      {"template <int X, int Y> struct Tile { static constexpr int x = X; enum { y = Y }; };\n"
       "typedef Tile<256, 8> T;\n",
       "dim3 block(T::x); k<<<(n + block.x - 1) / block.x, block>>>(x, n);", "BLOCK", follows},
  };
  for (const Way& way : ways) {
    const std::string yaml = drafted(launched(way)).yaml;
    EXPECT_TRUE(has(yaml, "launch:\n  block: [" + way.block + "]\n  grid: [" + way.grid + "]\n"))
        << way.above << way.host << "\n"
        << yaml;
  }
}

TEST(DraftedLaunch, TilesInBracesAndTruthValuesAreItsPresentValues) {
  const std::string yaml =
      drafted(
          "template <typename T, size_t TX, size_t TY, const bool TWICE>\n"
          "__global__ void k(T* x, size_t n) { x[blockIdx.x * TX * TY + threadIdx.x] = TWICE; }\n"
          "void run(float* x, size_t n) {\n"
          "  constexpr unsigned TX{32U}, TY{4U};\n  constexpr unsigned THREADS{TX * TY};\n"
          "  const bool TWICE = false;\n  const dim3 block{THREADS, 1U, 1U};\n"
          "  k<float, TX, TY, TWICE><<<(n + THREADS - 1) / THREADS, block>>>(x, n);\n}\n")
          .yaml;
  says(yaml, {"TX: [16, 32, 64]  # now 32", "TY: [", "# now 4", "TWICE: [0]  # now 0",
              "baseline: {TX: 32, TY: 4, TWICE: 0}", "block: [\"TX * TY\"]\n"});
}

TEST(DraftedLaunch, TemplateArgumentsAreThoseOfTheCallersOfTheFunctionThatLaunches) {
  const std::string yaml =
      drafted(
          "template <class T> struct Rng { T next; };\n"
          "template <class T, class R, int B> __global__ void k(T* x, int n) {\n"
          "  int i = blockIdx.x * B + threadIdx.x;\n  if (i < n) x[i] = R().next;\n}\n"
          "#define LAUNCH(SIZE) k<T, R, SIZE><<<(n + SIZE - 1) / SIZE, SIZE>>>(x, n)\n"
          "template <class T, class R, int B = 64> void run(T* x, int n) { LAUNCH(B); }\n"
          "int main() {\n  using data_t = std::uint64_t;\n  using rng_t = Rng<data_t>;\n"
          "  data_t* x;\n  run<data_t, rng_t>(x, 4096);\n}\n")
          .yaml;
  says(yaml,
       {"entry: \"k<uint64_t, Rng < std :: uint64_t >, {B}>\"\n", "B: [", "# now 64",
        "  block: [B]\n  grid: [\"ceil_div(n, B)\"]\n", "{name: x, type: uint64, shape: [n]"});
}

TEST(DraftedLaunch, ATemplateArgumentThatTheKernelAlsoNamesIsOneParameter) {
  const std::string yaml =
      drafted(
          "#define THREADS 256\ntemplate <unsigned size> __global__ void k(float* x, int n) {\n"
          "  __shared__ float s[THREADS];\n  s[threadIdx.x] = size;\n"
          "  x[blockIdx.x * size + threadIdx.x] = s[0];\n}\n"
          "void run(float* x, int n) { k<THREADS><<<n / THREADS, THREADS>>>(x, n); }\n")
          .yaml;
  says(yaml, {"entry: \"k<{THREADS}>\"", "THREADS: [32, 64, 128, 256, 512, 1024]  # now 256",
              "block: [THREADS]", "grid: [\"n // THREADS\"]"});
  lacks(yaml, {"size: ["});
}

TEST(DraftedLaunch, ALeadingDimensionIsTheLengthOfItsBuffersRows) {
  const std::string yaml =
      drafted(
          "__global__ void k(int m, int n, int k, const float* a, int lda, const float* b, int "
          "ldb, float* c, int ldc) {\n  int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
          "  int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (row >= m || col >= n) return;\n  float sum = 0;\n"
          "  for (int i = 0; i < k; ++i) sum += a[row * lda + i] * b[i * ldb + col];\n"
          "  c[row * ldc + col] = sum;\n}\n")
          .yaml;
  says(yaml, {"{name: lda, type: int32, value: k}", "{name: ldb, type: int32, value: n}",
              "{name: ldc, type: int32, value: n}"});
}

TEST(DraftedLaunch, EnumeratorsFunctionsAndFunctorsAreTemplateArguments) {
  const std::string yaml =
      drafted(
          "enum Mode { FIRST = 3, SECOND };\nenum class Pool : int { MAX, MEAN };\n"
          "struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };\n"
          "__device__ float square(float x) { return x * x; }\n"
          "template <Mode MODE, float (*F)(float), typename Op>\n"
          "__global__ void k(float* x, int n, Pool pool, int mode, Op op) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] = op(F(i), MODE);\n"
          "}\nvoid f(float* x, int n) {\n"
          "  k<SECOND, square, Plus><<<(n + 63) / 64, 64>>>(x, n, Pool::MEAN, SECOND, "
          "Plus());\n}\n")
          .yaml;
  says(yaml, {"entry: \"k<SECOND, square, Plus>\"", "{name: pool, type: int32, value: 1}",
              "{name: mode, type: int32, value: 4}", "  Plus: [{nothing: uint8}]\n",
              "{name: op, type: Plus, value: {nothing: 0}}"});
}

TEST(DraftedLaunch, ClassTemplatesAreDraftedMemberByMember) {
  const std::string yaml =
      drafted(
          "template <typename T, int N> struct alignas(8) Pack { T of[N]; };\n"
          "template <typename T, int DIM> class View {\n public:\n"
          "  __host__ __device__ View(T* data, int n) : data_(data), extent_{n, 1} {}\n"
          "  __device__ T& operator()(int i) { return data_[i]; }\n private:\n"
          "  T* data_;\n  int extent_[DIM];\n};\n"
          "template <typename T, int VEC> __global__ void k(Pack<T, VEC>* p, View<T, 2> v, int n) "
          "{\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) v(i) = p[i].of[0];\n}\n"
          "void f(Pack<double, 2>* p, int n) {\n"
          "  k<double, 2><<<(n + 63) / 64, 64>>>(p, View<double, 2>(nullptr, n), n);\n}\n")
          .yaml;
  says(yaml, {"{name: p, type: float64, shape: [n, 2]",
              "View_double_2: [{data_: pointer}, {extent_: [int32, 2]}]",
              "{name: v, type: View_double_2, value: {data_: v_data_, extent_:"});
}

TEST(DraftedLaunch, RelationsThatTheCompilerAssertsAreConstraints) {
  const std::string yaml =
      drafted(
          "template <int N, int M> __device__ void load() { static_assert(N % 4 == 0, \"fours\"); "
          "}\n"
          "template <int TILE_N, int TILE_K> __global__ void k(float* x, int n) {\n"
          "  constexpr int threads{TILE_N * 2};\n  load<TILE_N, 1>();\n"
          "  static_assert(threads % TILE_K == 0 && TILE_N >= TILE_K);\n"
          "  static_assert(TILE_N == 5, \"misread: it does not hold now\");\n"
          "  x[blockIdx.x * TILE_N + threadIdx.x] = n;\n}\n"
          "void f(float* x, int n) { k<64, 32><<<n / 64, 64>>>(x, n); }\n")
          .yaml;
  says(yaml, {"  - \"(TILE_N * 2) % TILE_K == 0 and TILE_N >= TILE_K\"\n"});
  lacks(yaml, {"== 5", "fours"});
}

// Numbers of the launch that are the tile's in other words: a tile that changes alone is wrong.
TEST(DraftedLaunch, NumbersOfTheLaunchFollowTheKernelsTile) {
  const std::string begin =
      "template <int BM, int BN, int BK, int TM> __global__ void k(int M, int N, float* c) {\n"
      "  const int by = blockIdx.y;\n  __shared__ float s[BM * BK + BN];\n";
  const std::string end =
      "  c[by * BM * N + blockIdx.x * BN + threadIdx.x % BN] = s[threadIdx.x / BN];\n}\n"
      "void f(int M, int N, float* c) {\n"
      "  dim3 grid((N + 64 - 1) / 64, M / 128);\n  k<128, 64, 8, 8><<<grid, 1024>>>(M, N, c);\n}\n";
  const std::string by_variable = drafted(begin +
                                          "  const int threads = BM * BN / TM;\n"
                                          "  assert(BM * BK == blockDim.x);\n" +
                                          end)
                                      .yaml;
  says(by_variable, {"block: [\"BM * BN // TM\"]", "grid: [\"ceil_div(N, BN)\", \"M // BM\"]",
                     "  - \"BM * BK == (BM * BN // TM)\"\n"});
  says(drafted(begin + end).yaml, {"block: [1024]", "grid: [\"ceil_div(N, BN)\", \"M // BM\"]"});
  says(drafted("template <int T> __global__ void k(float* c, int n) {\n  const int B = T;\n"
               "  c[(blockIdx.x * B + threadIdx.x / B) * n + threadIdx.x % B] = 1;\n}\n"
               "void f(float* c, int n) { k<32><<<n / 32, 1024>>>(c, n); }\n")
           .yaml,
       {"block: [\"T * T\"]  # a guess: as many threads as its tile says", "grid: [\"n // T\"]"});
}

TEST(DraftedLaunch, SizesOfTheHostCodeAreDimensions) {
  const std::string source =
      "#define THREADS 256\n__global__ void k(const float* x, float* y) {\n"
      "  int i = blockIdx.x * THREADS + threadIdx.x;\n  y[i] = x[i];\n}\n"
      "int main() {\n  const int total = 32 * 1024 * 1024;\n  float *x, *y;\n"
      "  cudaMalloc(&x, total * sizeof(float));\n  cudaMalloc(&y, total * sizeof(float));\n"
      "  k<<<total / THREADS, THREADS>>>(x, y);\n}\n";
  says(drafted(source).yaml,
       {"  # - {total: 33554432}  # the host code's value", "grid: [\"total // THREADS\"]",
        "{name: x, type: float32, shape: [total],"});
  DraftRequest request{source, "k.cu", "k.cu", {}};
  request.keeps_numbers = true;
  says(draft_study(request).yaml, {"{name: x, type: float32, shape: [33554432],"});
}

// Several files may have kernels of one name.
TEST(DraftedLaunch, ALaunchWithTemplateArgumentsIsOfATemplate) {
  const std::string kernel =
      "__global__ void scale(float* y, const float* x, int w, int h) {\n"
      "  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;\n"
      "  if (i < w && j < h) y[j * w + i] = x[j * w + i];\n}\n";
  const std::string yaml = drafted(kernel +
                                   "void go(float* y, float* x, int w, int h) {\n"
                                   "  scale<float, 256><<<(w + 255) / 256, 256>>>(y, x, w, h); }\n")
                               .yaml;
  EXPECT_EQ(yaml.find("256"), std::string::npos) << yaml;
}

TEST(DraftedLaunch, LessonsOfATrialChangeValuesAndTheGrid) {
  DraftRequest request{
      "__global__ void k(float* x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = i;\n}\nint main() { k<<<40, 256>>>(x, 10001); }\n",
      "k.cu",
      "k.cu",
      {}};
  const DraftedStudy first = draft_study(request);
  says(first.yaml, {"grid: [40]\n"});
  ASSERT_EQ(first.knobs.size(), 1U);
  EXPECT_TRUE(first.knobs.front().is_untied);
  request.follow = {"BLOCK"};
  request.refused["BLOCK"] = {{32, "crashes"}, {64, "crashes"}, {1024, "gives another answer"}};
  const DraftedStudy second = draft_study(request);
  says(second.yaml,
       {"BLOCK: [128, 256, 512]  # now 256; launch; 32, 64 crashes; 1024 gives another "
        "answer\n",
        "grid: [\"ceil_div(40 * 256, BLOCK)\"]  # a guess: as many threads along x"});
  EXPECT_FALSE(second.knobs.front().is_untied);
}

// A kernel that tests no end, launched with blocks of BLOCK threads.
std::string undivided(const std::string& host) {
  return "__global__ void k(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }\n"
         "void run() { float* x; int n = " +
         host + "\n}\n";
}

TEST(DraftedGrid, HasNoValueThatMakesItEmpty) {
  const std::string yaml =
      drafted(undivided("512; cudaMalloc(&x, n * 4); dim3 b(128); k<<<n / (2 * b.x), b>>>(x);"))
          .yaml;
  says(yaml, {"grid: [\"n // (2 * BLOCK)\"]",
              "BLOCK: [32, 64, 128, 256]  # now 128; launch; 512, 1024 makes a grid of no blocks"});
}

TEST(DraftedGrid, HasNoValueThatLeavesElementsOut) {
  const std::string yaml =
      drafted(undivided("960; cudaMalloc(&x, n * 4); dim3 b(64); k<<<n / b.x, b>>>(x);")).yaml;
  says(yaml, {"grid: [\"n // BLOCK\"]",
              "BLOCK: [32, 64]  # now 64; launch; 128, 256, 512 leaves elements out; "
              "1024 makes a grid of no blocks"});
  lacks(drafted(undivided("961; cudaMalloc(&x, n * 4); dim3 b(64); k<<<n / b.x, b>>>(x);")).yaml,
        {"leaves elements out"});  // so does the present one
}

TEST(DraftedGrid, TakesASmallerSizeThatBlocksDivideLikeTheWholeOne) {
  const std::string yaml =
      drafted(undivided("100000000; cudaMalloc(&x, n * 4); dim3 b(128); k<<<n / b.x, b>>>(x);"))
          .yaml;
  says(yaml, {"- {n: 1562624}", "# - {n: 100000000}"});
}

// Drafts a kernel template, launched by this host code, whose buffers are of this type.
std::string type_of_template(const std::string& host) {
  const std::string yaml =
      drafted(
          "template <typename T>\n__global__ void k(T* y, const T* x, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n" +
          host)
          .yaml;
  const std::size_t at = yaml.find("entry: \"k<") + 10;
  return yaml.substr(at, yaml.find('>', at) - at);
}

TEST(DraftedLaunch, TypesOfATemplateFollowFromWhatIsPassed) {
  EXPECT_EQ(type_of_template("int main() { double *x, *y; k<<<8, 128>>>(y, x, 1024); }"), "double");
  EXPECT_EQ(type_of_template("void run(const int* x, void* y) { k<<<8, 128>>>((int*)y, x, 9); }"),
            "int");
  EXPECT_EQ(type_of_template("int main() { std::vector<double> x, y;\n"
                             "  k<<<8, 128>>>(raw(y.data()), raw(x.data()), 1024); }"),
            "double");
  EXPECT_EQ(type_of_template("template <typename U> void run(U* to, const U* from) {\n"
                             "  k<U><<<8, 128>>>(to, from, 1024); }\n"
                             "int main() { int n = 4; double* a = get(n), *b; run(a, b); }"),
            "double");
  EXPECT_EQ(type_of_template("template <class A> void run(A* to) { k<<<8, 128>>>(to, to, 1024); }\n"
                             "template <class B> void test() { B *to = 0; run(to); }\n"
                             "int main() { test<double>(); }"),
            "double");
}

TEST(DraftedLaunch, TypesThatNothingShowsAreGuessed) {
  EXPECT_EQ(type_of_template("int main() { auto x = get(); k<<<8, 128>>>(x, x, 1024); }"), "float");
}

}  // namespace
}  // namespace tuner
