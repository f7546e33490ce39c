#pragma once
// A study for several devices: a kernel whose variants take a known share of time.

#include <string>

#include "program.h"

namespace tuner::cli {

// spin.cu and spin.yaml: `loops` of a variant, the `space` (problem_sizes and parameters), and
// `more` sections. Every answer is right.
inline void write_spin_study(const Sandbox& sandbox, const std::string& loops,
                             const std::string& space, const std::string& more = "") {
  sandbox.write("spin.cu", R"cuda(
extern "C" __global__ void spin(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  volatile float sum = 0;
  for (int k = 0; k < )cuda" + loops +
                               R"cuda(; ++k) sum = sum + x[i];
  y[i] = 2 * x[i];
}
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)cuda");
  sandbox.write("spin.yaml", R"yaml(schema: 1
kernel: {name: spin, source: spin.cu, entry: spin, define_prefix: ""}
)yaml" + space + R"yaml(launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: twice, block: [32], grid: ["ceil_div(n, 32)"]}
verify: {y: {rtol: 0, atol: 0}}
search: {strategy: exhaustive}
)yaml" + more);
}

}  // namespace tuner::cli
