// Fills of buffers whose elements are indices.

#include <gtest/gtest.h>

#include "tests/unit/drafting/drafted.h"

namespace tuner {
namespace {

// Drafts a kernel of these parameters and this body, in which i is a thread's number.
std::string drafted_kernel(const std::string& parameters, const std::string& body) {
  return drafted("__global__ void k(" + parameters +
                 ") {\n  int i = blockIdx.x * 64 + threadIdx.x;\n" + body + "\n}\n")
      .yaml;
}

TEST(DraftIndices, LieInWhatTheyIndex) {
  says(drafted_kernel("float* y, const float* x, const int* at, int n",
                      "  if (i < n) y[i] = x[at[i]];"),
       {"{name: at, type: int32, shape: [n], fill: {integers: [0, \"n - 1\"]}}  # indices of x"});
}

TEST(DraftIndices, AreFollowedThroughVariablesCastsAndPointers) {
  says(drafted_kernel("float* y, const float* x, const unsigned* at, int n",
                      "  const unsigned* mine = at + blockIdx.x;\n  const float* from = x;\n"
                      "  const int j = (int)mine[threadIdx.x];\n  int place = 0;\n"
                      "  place = j;\n  if (i < n) y[i] = from[place];"),
       {"{name: at, type: uint32, shape: [n], fill: {integers: [0, \"n - 1\"]}}"});
  says(drafted_kernel("float* y, const float* x, const int* at, int n",
                      "  __shared__ int mine[64];\n  mine[threadIdx.x] = __ldg(&at[i]);\n"
                      "  if (i < n) y[i] = x[mine[threadIdx.x]];"),
       {"{name: at, type: int32, shape: [n], fill: {integers: [0, \"n - 1\"]}}"});
}

TEST(DraftIndices, OfRowsAreFewer) {
  says(drafted_kernel("float* y, const float* x, const int* row, int rows, int cols",
                      "  int c = blockIdx.y;\n"
                      "  if (i < rows && c < cols) y[i * cols + c] = x[row[i] * cols + c];"),
       {"{name: row, type: int32, shape: [rows, cols], fill: {integers: [0, \"rows - 1\"]}}"});
  // A class of each row.
  says(drafted_kernel("float* y, const float* x, const int* label, int rows, int cols",
                      "  if (i < rows) y[i] = x[i * cols + label[i]];"),
       {"{name: label, type: int32, shape: [rows, cols], fill: {integers: [0, \"cols - 1\"]}}"});
  says(drafted_kernel(
           "float* y, const float* x, const int* at, int n",
           "  const float* mine = x + blockIdx.x * 32;\n  if (i < n) y[i] = mine[at[i]];"),
       {"{name: at, type: int32, shape: [n], fill: {integers: [0, 31]}}"});
}

TEST(DraftIndices, LeaveRoomForWhatIsAdded) {
  says(drafted_kernel("float* y, const float* x, const int* at, int n",
                      "  if (i < n) y[i] = x[at[i] + 2] - x[at[i]];"),
       {"{name: at, type: int32, shape: [n], fill: {integers: [0, \"n - 3\"]}}"});
  // A part of each row, whose length nothing says.
  says(drafted_kernel(
           "float* y, const float* x, const int* at, int n",
           "  for (int j = 0; j < 8; ++j) y[i] += x[at[i] + j + blockDim.x * blockIdx.y];"),
       {"{name: at, type: int32, shape: [n], fill: {integers: [0, \"n // 2 - 1\"]}}"});
}

TEST(DraftIndices, OfAPointerThatTheKernelMovesLieInItsRow) {
  says(drafted_kernel("float* y, const float* x, const int* at, int rows, int cols",
                      "  x += i * cols;\n  if (i < rows) y[i] = x[at[i]];"),
       {"{name: at, type: int32, shape: [rows, cols], fill: {integers: [0, \"cols - 1\"]}}"});
}

TEST(DraftIndices, OfAnArrayOfTheKernelLieInIt) {
  says(drafted_kernel("int* y, const int* key, int n",
                      "  __shared__ int bins[48];\n  if (i < n) atomicAdd(&bins[key[i]], 1);\n"
                      "  y[threadIdx.x] = bins[threadIdx.x];"),
       {"{name: key, type: int32, shape: [n], fill: {integers: [0, 47]}}  # indices of bins"});
}

TEST(DraftIndices, ThatManyThreadsWriteToAreAllDifferent) {
  says(drafted_kernel("float* y, const float* x, const int* to, int n",
                      "  if (i < n) y[to[i]] = x[i];"),
       {"{name: to, type: int32, shape: [n], fill: {permutation: true}}"});
}

TEST(DraftIndices, OfTheNextElementMakeLongChains) {
  says(drafted_kernel("int* y, const int* next, int n, int steps",
                      "  int at = i;\n  for (int s = 0; s < steps; ++s) at = next[at];\n"
                      "  if (i < n) y[i] = at;"),
       {"{name: next, type: int32, shape: [n], fill: {permutation: true}}"});
}

TEST(DraftIndices, ThatEndALoopLieInWhatItReads) {
  says(drafted_kernel("float* y, const float* x, const int* begin, const int* end, int n",
                      "  float sum = 0;\n"
                      "  for (int j = begin[i]; j < end[i]; ++j) sum += x[j];\n  y[i] = sum;"),
       {"{name: begin, type: int32, shape: [n], fill: {integers: [0, \"n - 1\"]}}",
        "{name: end, type: int32, shape: [n], fill: {integers: [0, \"n - 1\"]}}"});
}

TEST(DraftIndices, AreNotWhatOnlyDecides) {
  says(drafted_kernel("float* y, const float* x, const int* flag, const int* key, int n",
                      "  if (flag[i] > 3) y[i] = x[key[i] % n];"),
       {"{name: flag, type: int32, shape: [n], fill: {integers: [0, 100]}}",
        "{name: key, type: int32, shape: [n], fill: {integers: [0, 100]}}"});
}

TEST(DraftIndices, OfRowsAscendToTheEndOfWhatLiesInThem) {
  const std::string source =
      "__global__ void k(int* first, float* values, float* y, int rows) {\n"
      "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n  if (r >= rows) return;\n"
      "  int begin = first[r], end = first[r + 1];\n  float sum = 0;\n"
      "  for (int j = begin; j < end; j++) sum += values[j];\n  y[r] = sum;\n}\n"
      "int main() {\n  int rows = 4096, count = 65536;\n  int* first; float *values, *y;\n"
      "  cudaMalloc(&first, (rows + 1) * sizeof(int));\n"
      "  cudaMalloc(&values, count * sizeof(float));\n  cudaMalloc(&y, rows * sizeof(float));\n"
      "  k<<<rows / 128, 128>>>(first, values, y, rows);\n}\n";
  says(drafted(source).yaml, {"shape: [\"rows + 1\"], fill: {ragged: {of: \"rows * 16\"}}}"});
}

TEST(DraftIndices, OfRowsAscendWhereOnlyTheirLengthsAreRead) {
  says(drafted("__global__ void k(const int* first, float* y, int rows) {\n"
               "  int r = blockIdx.x * 128 + threadIdx.x;\n"
               "  if (r < rows) y[r] = first[r + 1] - first[r];\n}\n"
               "int main() {\n  int rows = 4096;\n  int* first;\n  float* y;\n"
               "  cudaMalloc(&first, (rows + 1) * sizeof(int));\n"
               "  cudaMalloc(&y, rows * sizeof(float));\n"
               "  k<<<rows / 128, 128>>>(first, y, rows);\n}\n")
           .yaml,
       {"shape: [\"rows + 1\"], fill: {sequence: [0, 16]}}"});
}

}  // namespace
}  // namespace tuner
