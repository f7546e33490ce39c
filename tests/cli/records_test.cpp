// Structs, vectors and addresses as kernels take them, from the study to the answer.
#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

constexpr const char* kSource = R"(
struct Matrix { int width; int height; float* elements; };
__global__ void product(Matrix A, Matrix B, Matrix C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= A.height || col >= B.width) return;
  float sum = 0;
  for (int e = 0; e < A.width; ++e) sum += A.elements[row * A.width + e] * B.elements[e * B.width + col];
  C.elements[row * C.width + col] = sum + TUNE_OFF;
}
struct Body { float mass; float pos[3]; int id; };
__global__ void move(Body* b, const float* bias, float4 v, int n, float** rows, const float* tail) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0) rows[1][0] = tail[0];
  if (i > 0) rows[1][i] = 2 * rows[0][i];
  b[i].pos[1] += v.y * b[i].mass + (bias ? bias[0] : 0);
  if (TUNE_OFF < 2) b[i].id += 1 + TUNE_OFF * (i == 7);
}
)";

constexpr const char* kProduct = R"yaml(schema: 1
kernel: {name: product, source: records.cu, entry: product}
problem_sizes: [{M: 20, N: 30, K: 8}]
parameters: {BX: [8, 16], OFF: [0, 1]}
types: {Matrix: [{width: int}, {height: int}, {elements: pointer}]}
arguments:
  - {name: A, type: Matrix, value: {width: K, height: M, elements: a}}
  - {name: B, type: Matrix, value: {width: N, height: K, elements: b}}
  - {name: C, type: Matrix, value: {width: N, height: M, elements: c}}
buffers:
  - {name: a, type: float32, shape: [M, K], fill: {uniform: [-1, 1]}}
  - {name: b, type: float32, shape: [K, N], fill: {uniform: [-1, 1]}}
  - {name: c, type: float32, shape: [M, N], role: out}
launch: {block: [BX, 8], grid: ["ceil_div(N, BX)", "ceil_div(M, 8)"]}
reference: {entry: product, configuration: {BX: 8, OFF: 0}, block: [8, 8], grid: ["ceil_div(N, 8)", "ceil_div(M, 8)"]}
search: {strategy: exhaustive}
)yaml";

constexpr const char* kMove = R"yaml(schema: 1
kernel: {name: move, source: records.cu, entry: move}
problem_sizes: [{N: 100}]
parameters: {BX: [32], OFF: [0, 1, 2]}
types: {Body: [{mass: float}, {pos: [float, 3]}, {id: int}]}
arguments:
  - {name: bodies, type: Body, shape: [N], role: inout, fill: {mass: {uniform: [0, 1]}, pos: {normal: [0, 1]}, id: {sequence: [0, 1]}}}
  - {name: bias, value: null}
  - {name: v, type: float4, value: [1, 2, 3, 4]}
  - {name: n, type: int, value: N}
  - {name: rows, pointers: [x, y]}
  - {name: tail, buffer: x, offset: N - 1}
buffers:
  - {name: x, type: float32, shape: [N], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [N], role: out}
launch: {block: [BX], grid: ["ceil_div(N, BX)"]}
reference: {entry: move, configuration: {OFF: 0}, block: [32], grid: ["ceil_div(N, 32)"]}
search: {strategy: exhaustive}
)yaml";

std::map<std::string, std::string> messages(const Sandbox& sandbox, const std::string& kernel) {
  std::map<std::string, std::string> out;
  for (const auto& row : ranking_of(sandbox, kernel)) {
    if (row.at("state") == "correctness") out[row.at("OFF")] = row.at("message");
  }
  return out;
}

TEST(Records, TheGuidesProductIsTunedWithItsStructs) {
  const Sandbox sandbox;
  sandbox.write("records.cu", kSource);
  sandbox.write("product.yaml", kProduct);
  const auto done = run_to(0, sandbox, {"run", "product.yaml", "--backend", "cpu"});
  EXPECT_TRUE(says(done.err, "2 correctness"));
  EXPECT_TRUE(says(messages(sandbox, "product")["1"], "c[0][0] = "));
  run_to(0, sandbox, {"export", "product.yaml", "-o", "product.h"});
  const auto launcher =
      run_to(2, sandbox, {"export", "product.yaml", "--format", "launcher", "-o", "launcher"});
  EXPECT_TRUE(says(launcher.err, "'A' is a struct, a vector, an address"));
}

TEST(Records, AWrongMemberOfABufferOfStructsIsFoundByItsName) {
  const Sandbox sandbox;
  sandbox.write("records.cu", kSource);
  sandbox.write("move.yaml", kMove);
  run_to(0, sandbox, {"run", "move.yaml", "--backend", "cpu"});
  auto wrong = messages(sandbox, "move");
  EXPECT_TRUE(says(wrong["1"], "bodies.id[7] = 9, expected 8"));
  EXPECT_TRUE(says(wrong["2"], "bodies.id[0] = 0, expected 1"));
  EXPECT_EQ(wrong.size(), 2U);
}

TEST(Records, ASourceThatTakesAnotherStructIsFoundByCheck) {
  const Sandbox sandbox;
  sandbox.write("records.cu", kSource);
  std::string study = kProduct;
  study.replace(study.find("{height: int}, "), 15, "");
  study.replace(study.find(", height: M"), 11, "");
  study.replace(study.find(", height: K"), 11, "");
  study.replace(study.find(", height: M"), 11, "");
  sandbox.write("product.yaml", study);
  const auto same_size = run(sandbox, {"check", "product.yaml"});
  EXPECT_EQ(same_size.status, 0) << "padding hides it";
  study.replace(study.find("elements: pointer"), 17, "elements: int");
  for (const char* name : {"elements: a", "elements: b", "elements: c"}) {
    study.replace(study.find(name), 11, "elements: 1");
  }
  sandbox.write("product.yaml", study);
  const auto shorter = run_to(2, sandbox, {"check", "product.yaml"});
  EXPECT_TRUE(says(shorter.err, "it has 8 bytes, the kernel's at least 16 bytes"));
}

}  // namespace
}  // namespace tuner::cli
