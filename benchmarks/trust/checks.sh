#!/usr/bin/env bash
# What the checks of two programs cost: benchmarks/trust/checks.sh OLD NEW [BACKEND]
#
# Both search the same 45 variants over a million floats, exhaustively, three times in turns; a first
# run of each fills its cache of artifacts. Prints wall and processor seconds, a line each run.
set -euo pipefail

programs=("$(realpath "${1:?usage: benchmarks/trust/checks.sh OLD NEW [BACKEND]}")" "$(realpath "${2:?NEW is missing}")")
backend=${3:-cpu}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >s.yaml <<'YAML'
schema: 1
kernel: {name: line, source: s.cu, entry: line}
problem_sizes: [{N: 1000000}]
parameters: {BLOCK: [32, 64, 128, 256, 512], VEC: [1, 2, 4], UNROLL: [1, 2, 4]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK * VEC)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
reference: {entry: plain, block: [128], grid: ["ceil_div(N, 128)"]}
search: {strategy: exhaustive}
YAML
cat >s.cu <<'CUDA'
extern "C" __global__ void plain(const float* x, float* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + 1;
}
extern "C" __global__ void line(const float* x, float* y, int n) {
  const int at = (blockIdx.x * TUNE_BLOCK + threadIdx.x) * TUNE_VEC;
#pragma unroll TUNE_UNROLL
  for (int k = 0; k < TUNE_VEC; ++k) {
    if (at + k < n) y[at + k] = 2 * x[at + k] + 1;
  }
}
CUDA

run() { "$1" run s.yaml --backend "$backend" --results "$2" --progress none >"$2.log" 2>&1 || { cat "$2.log" >&2; exit 1; }; }

for program in "${programs[@]}"; do run "$program" "warm$RANDOM"; done
for turn in 1 2 3; do
  for i in 0 1; do
    TIMEFORMAT="$( [ $i = 0 ] && echo old || echo new )  %R s  %U s of processors"
    time run "${programs[$i]}" "turn$turn-$i"
  done
done
