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
      {"", "const unsigned t{256U}; k<<<(n + t - 1U) / t, t>>>(x, n);", "BLOCK", follows},
      {"", "int t = 256; k<<<(static_cast<unsigned>(n) + t - 1) / t, t>>>(x, n);", "BLOCK",
       follows},
      {"int blocks_for(int a, int b) { return (a + b - 1) / b; }\n",
       "dim3 block(256); k<<<blocks_for(n, block.x), block>>>(x, n);", "BLOCK", follows},
      {"int iDivUp(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }\n",
       "dim3 block(256); dim3 grid(iDivUp(n, block.x)); " + kOfAxes, "BLOCK", follows},
      {"#define CEIL(a, b) (((a) + (b) - 1) / (b))\n",
       "dim3 block(256); k<<<CEIL(n, block.x), block>>>(x, n);", "BLOCK", follows},
      {"", "int t = 256, b = n / t; if (n % t) b++; k<<<b, t>>>(x, n);", "BLOCK", follows},
      {"", "int t = 256, b = n / t; if (n % t != 0) { b += 1; } k<<<b, t>>>(x, n);", "BLOCK",
       follows},
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

}  // namespace
}  // namespace tuner
